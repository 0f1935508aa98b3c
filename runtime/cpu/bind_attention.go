package cpu

import (
	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func rope(o *operands, p kernel.Par) func() {
	y, x, pos, base, inverse := o.F("y"), o.F("x"), o.I("positions"), o.Attr.Base, o.Attr.Inverse
	H, G, D, T := o.Attr.Heads, o.Attr.KVHeads, o.Attr.HeadDim, o.Attr.SeqLen
	R := o.Dim("x", 0)
	return func() { kernel.RoPE(p, y, x, pos, R, T, H, G, D, base, inverse) }
}

func attention(o *operands, p kernel.Par) func() {
	out, lse, qkv, lo, scale := o.F("att"), o.F("lse"), o.F("qkv"), o.I("lo"), float32(o.Attr.Scale)
	H, G, D, T := o.Attr.Heads, o.Attr.KVHeads, o.Attr.HeadDim, o.Attr.SeqLen
	B := o.Dim("qkv", 0) / T
	ws := o.Work()
	return func() { kernel.Attention(p, ws, out, lse, qkv, lo, B, T, H, G, D, scale) }
}

func attentionGrad(o *operands, p kernel.Par) func() {
	dqkv, dout, qkv, out := o.F("dqkv"), o.F("datt"), o.F("qkv"), o.F("att")
	lse, lo, scale := o.F("lse"), o.I("lo"), float32(o.Attr.Scale)
	H, G, D, T := o.Attr.Heads, o.Attr.KVHeads, o.Attr.HeadDim, o.Attr.SeqLen
	B := o.Dim("qkv", 0) / T
	ws := o.Work()
	return func() { kernel.AttentionGrad(p, ws, dqkv, dout, qkv, out, lse, lo, B, T, H, G, D, scale) }
}
