package cpu

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
)

// operands is one application in the engine's numbers.
type operands struct {
	*exec.Operands[float32]
	s *session
}

// newOperands looks at a command's memory, float32 as mem has it.
func newOperands(s *session, c *plan.Command, mem exec.Memory[float32]) (*operands, error) {
	o, err := exec.NewOperands(s.p, c, mem)
	return &operands{o, s}, err
}

// M is a named operand as it is stored, the zero Matrix when absent. The op table has it as direct.
func (o *operands) M(name string) kernel.Matrix {
	b := o.Buffer(name)
	if b < 0 {
		return kernel.Matrix{}
	}
	if h, ok := half(o.DType(name)); ok {
		return kernel.Stored(elements[uint16](o.s.bytes(b)), h)
	}
	return kernel.F32(o.F(name))
}

// table binds ops to kernels: an entry looks its operands up once and returns
// what a launch does. Leaves and copies have none.
var table = [ir.NumOps]func(*operands, kernel.Par) func(){
	ir.OpEmbed:     embed,
	ir.OpEmbedGrad: embedGrad,
	ir.OpEmbedRows: embedRows,
	ir.OpEmbedAdd:  embedAdd,
	ir.OpPosGrad:   posGrad,

	ir.OpLayerNorm:      layerNorm,
	ir.OpLayerNormApply: layerNormApply,
	ir.OpLayerNormGrad:  layerNormGrad,
	ir.OpRMSNorm:        rmsNorm,
	ir.OpRMSNormApply:   rmsNormApply,
	ir.OpRMSNormGrad:    rmsNormGrad,

	ir.OpLinear:     linear,
	ir.OpLinearGELU: linearGELU,
	ir.OpLinearAdd:  linearAdd,
	ir.OpLinearDX:   linearDX,
	ir.OpLinearDW:   linearDW,
	ir.OpLinearDB:   linearDB,

	ir.OpGELU:       gelu,
	ir.OpGELUGrad:   geluGrad,
	ir.OpSwiGLU:     swiGLU,
	ir.OpSwiGLUGrad: swiGLUGrad,
	ir.OpAdd:        add,
	ir.OpDropout:    dropout,

	ir.OpRoPE:          rope,
	ir.OpAttention:     attention,
	ir.OpAttentionGrad: attentionGrad,

	ir.OpHeadLoss:     headLoss,
	ir.OpHeadLossGrad: headLossGrad,
	ir.OpHeadLogits:   headLogits,

	ir.OpNorm2:       norm2,
	ir.OpClip:        clip,
	ir.OpAdamW:       adamW,
	ir.OpSGD:         sgd,
	ir.OpSGDMomentum: sgdMomentum,
	ir.OpCast:        cast,
}

// Bound reports whether an op has a kernel here.
func Bound(op ir.Op) bool { return op < ir.NumOps && table[op] != nil }
