package cpu

import (
	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func linear(o *operands, p kernel.Par) func() {
	y, x, w, b := o.F("y"), o.F("x"), o.F("w"), o.F("b")
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.Linear(p, y, x, w, b, R, K, N) }
}

func linearGELU(o *operands, p kernel.Par) func() {
	fc, act, x, w, b, tanh := o.F("fc"), o.F("act"), o.F("x"), o.F("w"), o.F("b"), o.Attr.Tanh
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	if h, ok := half(o.DType("fc")); ok {
		return func() { // act is computed from the rounded fc
			kernel.Linear(p, fc, x, w, b, R, K, N)
			kernel.Round(p, fc, h)
			kernel.GELU(p, act, fc, tanh)
		}
	}
	return func() { kernel.LinearGELU(p, fc, act, x, w, b, R, K, N, tanh) }
}

func linearDX(o *operands, p kernel.Par) func() {
	dx, dy, w := o.F("dx"), o.F("dy"), o.F("w")
	R, K, N := o.Dim("dy", 0), o.Dim("w", 1), o.Dim("w", 0)
	return func() { kernel.LinearDX(p, dx, dy, w, R, K, N) }
}

func linearDW(o *operands, p kernel.Par) func() {
	dw, dy, x, ctl := o.F("gw"), o.F("dy"), o.F("x"), o.Ctl()
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("dy", 1)
	return func() { kernel.LinearDW(p, dw, dy, x, R, K, N, ctl.Accumulate()) }
}

func linearDB(o *operands, p kernel.Par) func() {
	db, dy, ctl := o.F("gb"), o.F("dy"), o.Ctl()
	R, N := o.Dim("dy", 0), o.Dim("dy", 1)
	return func() { kernel.LinearDB(p, db, dy, R, N, ctl.Accumulate()) }
}
