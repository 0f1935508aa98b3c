package ref

import (
	kernel "github.com/gradcue/gradcue/kernels/ref"
)

func rope(o *operands) func() {
	y, x, pos, base, inverse := o.F("y"), o.F("x"), o.I("positions"), o.Attr.Base, o.Attr.Inverse
	H, G, D, T := o.Attr.Heads, o.Attr.KVHeads, o.Attr.HeadDim, o.Attr.SeqLen
	R := o.Dim("x", 0)
	return func() { kernel.RoPE(y, x, pos, R, T, H, G, D, base, inverse) }
}

func attention(o *operands) func() {
	out, lse, qkv, lo, scale := o.F("att"), o.F("lse"), o.F("qkv"), o.I("lo"), o.Attr.Scale
	H, G, D, T := o.Attr.Heads, o.Attr.KVHeads, o.Attr.HeadDim, o.Attr.SeqLen
	B := o.Dim("qkv", 0) / T
	return func() { kernel.Attention(out, lse, qkv, lo, B, T, H, G, D, scale) }
}

func attentionGrad(o *operands) func() {
	dqkv, dout, qkv, out := o.F("dqkv"), o.F("datt"), o.F("qkv"), o.F("att")
	lse, lo, scale := o.F("lse"), o.I("lo"), o.Attr.Scale
	H, G, D, T := o.Attr.Heads, o.Attr.KVHeads, o.Attr.HeadDim, o.Attr.SeqLen
	B := o.Dim("qkv", 0) / T
	return func() { kernel.AttentionGrad(dqkv, dout, qkv, out, lse, lo, B, T, H, G, D, scale) }
}
