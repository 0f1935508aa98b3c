package kerneltest

import "github.com/gradcue/gradcue/kernels/cpu"

// f32 is a float32 tensor, f64 its reference.
type (
	f32 = []float32
	f64 = []float64
	ids = []int32
)

// Kernels is an implementation under test; the fields are the functions of kernels/cpu of the same names.
type Kernels struct {
	Linear     func(p cpu.Par, y, x, w, b f32, R, K, N int)
	LinearGELU func(p cpu.Par, fc, act, x, w, b f32, R, K, N int, tanh bool)
	LinearAdd  func(p cpu.Par, y, r, x, w, b f32, R, K, N int)
	LinearDX   func(p cpu.Par, dx, dy, w f32, R, K, N int)
	LinearDW   func(p cpu.Par, dw, dy, x f32, R, K, N int, acc bool)
	LinearDB   func(p cpu.Par, db, dy f32, R, N int, acc bool)

	GELU       func(p cpu.Par, y, x f32, tanh bool)
	GELUGrad   func(p cpu.Par, dx, x, dy f32, tanh bool)
	SwiGLU     func(p cpu.Par, h, gu f32, R, F int)
	SwiGLUGrad func(p cpu.Par, dgu, gu, dh f32, R, F int)
	Add        func(p cpu.Par, y, a, b f32)

	LayerNorm      func(p cpu.Par, y, mean, rstd, x, w, b f32, R, C int, eps float32)
	LayerNormApply func(p cpu.Par, y, x, mean, rstd, w, b f32, R, C int)
	LayerNormGrad  func(p cpu.Par, dx, dw, db, dy, x, w, mean, rstd f32, R, C int, acc bool)
	RMSNorm        func(p cpu.Par, y, rstd, x, w f32, R, C int, eps float32)
	RMSNormApply   func(p cpu.Par, y, x, rstd, w f32, R, C int)
	RMSNormGrad    func(p cpu.Par, dx, dw, dy, x, w, rstd f32, R, C int, acc bool)

	RoPE                   func(p cpu.Par, y, x f32, pos ids, R, T, H, G, D int, base float64, inverse bool)
	Attention              func(p cpu.Par, ws, out, lse, qkv f32, lo ids, B, T, H, G, D int, scale float32)
	AttentionGrad          func(p cpu.Par, ws, dqkv, dout, qkv, out, lse f32, lo ids, B, T, H, G, D int, scale float32)
	AttentionWorkspace     func(B, T, H, G, D, workers int) int64
	AttentionGradWorkspace func(B, T, H, G, D, workers int) int64

	Embed     func(p cpu.Par, x, table, pos f32, tokens, positions ids, R, T, C int)
	EmbedGrad func(p cpu.Par, dtable, dx f32, tokens ids, R, V, C int, acc bool)
	EmbedRows func(p cpu.Par, compact, dx f32, row ids, R, C, rows int, acc bool)
	EmbedAdd  func(p cpu.Par, dtable, compact f32, tokens ids, n, C int)
	PosGrad   func(p cpu.Par, dpos, dx f32, positions ids, R, T, C, rows int, acc bool)
	Dropout   func(p cpu.Par, y, x f32, rate float64, seed, u uint64, site uint32, seq0, B, T, C int)

	HeadLoss      func(p cpu.Par, ws, loss, x, w f32, targets ids, weight f32, R, C, V int)
	HeadLossGrad  func(p cpu.Par, ws, loss, dx, dw, x, w f32, targets ids, weight f32, c float32, R, C, V int, acc bool)
	HeadWorkspace func(R, C, V, workers int) int64
	HeadLogits    func(p cpu.Par, logits, x, w f32, last ids, B, T, C, V int)

	Norm2    func(g f32) float64
	Norm2Par func(p cpu.Par, g f32) float64
	AdamW    func(p cpu.Par, w, g, m, v f32, a cpu.AdamWArgs)
	SGD      func(p cpu.Par, w, g, mom f32, a cpu.SGDArgs)
}

// CPU are the kernels of kernels/cpu.
func CPU() Kernels {
	return Kernels{
		Linear: cpu.Linear, LinearGELU: cpu.LinearGELU, LinearAdd: cpu.LinearAdd, LinearDX: cpu.LinearDX, LinearDW: cpu.LinearDW, LinearDB: cpu.LinearDB,
		GELU: cpu.GELU, GELUGrad: cpu.GELUGrad, SwiGLU: cpu.SwiGLU, SwiGLUGrad: cpu.SwiGLUGrad, Add: cpu.Add,
		LayerNorm: cpu.LayerNorm, LayerNormApply: cpu.LayerNormApply, LayerNormGrad: cpu.LayerNormGrad,
		RMSNorm: cpu.RMSNorm, RMSNormApply: cpu.RMSNormApply, RMSNormGrad: cpu.RMSNormGrad,
		RoPE: cpu.RoPE, Attention: cpu.Attention, AttentionGrad: cpu.AttentionGrad,
		AttentionWorkspace: cpu.AttentionWorkspace, AttentionGradWorkspace: cpu.AttentionGradWorkspace,
		Embed: cpu.Embed, EmbedGrad: cpu.EmbedGrad, EmbedRows: cpu.EmbedRows, EmbedAdd: cpu.EmbedAdd,
		PosGrad: cpu.PosGrad, Dropout: cpu.Dropout,
		HeadLoss: cpu.HeadLoss, HeadLossGrad: cpu.HeadLossGrad, HeadWorkspace: cpu.HeadWorkspace, HeadLogits: cpu.HeadLogits,
		Norm2: cpu.Norm2, Norm2Par: cpu.Norm2Par, AdamW: cpu.AdamW, SGD: cpu.SGD,
	}
}
