// Package model turns the shape of a transformer into the forward graph of one
// micro-batch, and says which parameters it has.
//
// Two families: GPT-2 (learned positions, layer norm, GELU, biases) and Llama
// (RMS norm, rotary positions, gated SiLU, grouped heads). A block is
//
//	x = in;  resid1 = x + out(attention(qkv(norm1(x))));  in' = resid1 + mlp(norm2(resid1))
//
// The results a placement may decide on have names, one list per family (Names):
// in, ln1, qkv, att, lse, resid1, ln2 and then fc, act (GPT-2) or gateup, act
// (Llama). Statistics of norms are always kept.
//
// Weights are stored [out,in]; q, k and v are packed in one tensor, as are gate
// and up. The package knows no gradient, no window and no memory.
package model
