package ref

import (
	kernel "github.com/gradcue/gradcue/kernels/ref"
)

func gelu(o *operands) func() {
	y, x, tanh := o.F("y"), o.F("x"), o.Attr.Tanh
	return func() { kernel.GELU(y, x, tanh) }
}

func geluGrad(o *operands) func() {
	dx, x, dy, tanh := o.F("dx"), o.F("x"), o.F("dy"), o.Attr.Tanh
	return func() { kernel.GELUGrad(dx, x, dy, tanh) }
}

func swiGLU(o *operands) func() {
	h, gu := o.F("h"), o.F("gu")
	R, F := o.Dim("gu", 0), o.Dim("gu", 1)/2
	return func() { kernel.SwiGLU(h, gu, R, F) }
}

func swiGLUGrad(o *operands) func() {
	dgu, gu, dh := o.F("dgu"), o.F("gu"), o.F("dh")
	R, F := o.Dim("gu", 0), o.Dim("gu", 1)/2
	return func() { kernel.SwiGLUGrad(dgu, gu, dh, R, F) }
}

func add(o *operands) func() {
	y, a, b := o.F("y"), o.F("a"), o.F("b")
	return func() { kernel.Add(y, a, b) }
}

func dropout(o *operands) func() {
	y, x, ctl, a := o.F("y"), o.F("x"), o.Ctl(), o.Attr
	T, C := a.SeqLen, o.Dim("x", 1)
	B := o.Dim("x", 0) / T
	return func() {
		kernel.Dropout(y, x, a.Rate, uint64(a.Seed), ctl.Update(), uint32(a.Site), ctl.Seq0(), B, T, C)
	}
}
