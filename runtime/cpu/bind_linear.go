package cpu

import (
	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func linear(o *operands, p kernel.Par) func() {
	ws, y, x, w, b := o.Work(), o.M("y"), o.M("x"), o.M("w"), o.F("b")
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.LinearOf(p, ws, y, x, w, b, R, K, N) }
}

func linearGELU(o *operands, p kernel.Par) func() {
	ws, fc, act, x, w, b, tanh := o.Work(), o.M("fc"), o.M("act"), o.M("x"), o.M("w"), o.F("b"), o.Attr.Tanh
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.LinearGELUOf(p, ws, fc, act, x, w, b, R, K, N, tanh) }
}

func linearAdd(o *operands, p kernel.Par) func() {
	ws, y, r, x, w, b := o.Work(), o.M("y"), o.M("r"), o.M("x"), o.M("w"), o.F("b")
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.LinearAddOf(p, ws, y, r, x, w, b, R, K, N) }
}

func linearDX(o *operands, p kernel.Par) func() {
	ws, dx, dy, w := o.Work(), o.M("dx"), o.M("dy"), o.M("w")
	R, K, N := o.Dim("dy", 0), o.Dim("w", 1), o.Dim("w", 0)
	return func() { kernel.LinearDXOf(p, ws, dx, dy, w, R, K, N) }
}

func linearDW(o *operands, p kernel.Par) func() {
	dw, dy, x, ctl := o.F("gw"), o.M("dy"), o.M("x"), o.Ctl()
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("dy", 1)
	return func() { kernel.LinearDWOf(p, dw, dy, x, R, K, N, ctl.Accumulate()) }
}

func linearDB(o *operands, p kernel.Par) func() {
	db, dy, ctl := o.F("gb"), o.M("dy"), o.Ctl()
	R, N := o.Dim("dy", 0), o.Dim("dy", 1)
	return func() { kernel.LinearDBOf(p, db, dy, R, N, ctl.Accumulate()) }
}
