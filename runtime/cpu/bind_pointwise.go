package cpu

import (
	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func gelu(o *operands, p kernel.Par) func() {
	y, x, n, tanh := o.M("y"), o.M("x"), o.Elems("x"), o.Attr.Tanh
	return func() { kernel.GELUOf(p, y, x, n, tanh) }
}

func geluGrad(o *operands, p kernel.Par) func() {
	dx, x, dy, n, tanh := o.M("dx"), o.M("x"), o.M("dy"), o.Elems("x"), o.Attr.Tanh
	return func() { kernel.GELUGradOf(p, dx, x, dy, n, tanh) }
}

func swiGLU(o *operands, p kernel.Par) func() {
	h, gu := o.M("h"), o.M("gu")
	R, F := o.Dim("gu", 0), o.Dim("gu", 1)/2
	return func() { kernel.SwiGLUOf(p, h, gu, R, F) }
}

func swiGLUGrad(o *operands, p kernel.Par) func() {
	dgu, gu, dh := o.M("dgu"), o.M("gu"), o.M("dh")
	R, F := o.Dim("gu", 0), o.Dim("gu", 1)/2
	return func() { kernel.SwiGLUGradOf(p, dgu, gu, dh, R, F) }
}

func add(o *operands, p kernel.Par) func() {
	y, a, b, n := o.M("y"), o.M("a"), o.M("b"), o.Elems("a")
	return func() { kernel.AddOf(p, y, a, b, n) }
}

func dropout(o *operands, p kernel.Par) func() {
	y, x, ctl, a := o.F("y"), o.F("x"), o.Ctl(), o.Attr
	T, C := a.SeqLen, o.Dim("x", 1)
	B := o.Dim("x", 0) / T
	return func() {
		kernel.Dropout(p, y, x, a.Rate, uint64(a.Seed), ctl.Update(), uint32(a.Site), ctl.Seq0(), B, T, C)
	}
}
