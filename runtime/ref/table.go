package ref

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/exec"
)

// operands is one application in the engine's numbers.
type operands = exec.Operands[float64]

// table binds ops to kernels: an entry looks its operands up once and returns
// what a launch does. Leaves and copies have none.
var table = [ir.NumOps]func(*operands) func(){
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
