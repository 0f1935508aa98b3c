//go:build cuda

package cuda

import "github.com/gradcue/gradcue/compiler/ir"

// table binds ops to kernels: an entry looks its operands up once and returns
// the launches of one application, in order on one stream. Leaves and copies
// have none.
var table = [ir.NumOps]func(*operands) []Launch{
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
