package ref

import (
	kernel "github.com/gradcue/gradcue/kernels/ref"
)

func linear(o *operands) func() {
	y, x, w, b := o.F("y"), o.F("x"), o.F("w"), o.F("b")
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.Linear(y, x, w, b, R, K, N) }
}

func linearGELU(o *operands) func() {
	fc, act, x, w, b, tanh := o.F("fc"), o.F("act"), o.F("x"), o.F("w"), o.F("b"), o.Attr.Tanh
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	if round := rounderOf(o.DType("fc")); round != nil {
		return func() { // act is computed from the rounded fc
			kernel.Linear(fc, x, w, b, R, K, N)
			round(fc)
			kernel.GELU(act, fc, tanh)
		}
	}
	return func() { kernel.LinearGELU(fc, act, x, w, b, R, K, N, tanh) }
}

func linearAdd(o *operands) func() {
	y, r, x, w, b := o.F("y"), o.F("r"), o.F("x"), o.F("w"), o.F("b")
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	if round := rounderOf(o.DType("y")); round != nil {
		return func() { // r is added to the rounded product
			kernel.Linear(y, x, w, b, R, K, N)
			round(y)
			kernel.Add(y, r, y)
		}
	}
	return func() { kernel.LinearAdd(y, r, x, w, b, R, K, N) }
}

func linearDX(o *operands) func() {
	dx, dy, w := o.F("dx"), o.F("dy"), o.F("w")
	R, K, N := o.Dim("dy", 0), o.Dim("w", 1), o.Dim("w", 0)
	return func() { kernel.LinearDX(dx, dy, w, R, K, N) }
}

func linearDW(o *operands) func() {
	dw, dy, x, ctl := o.F("gw"), o.F("dy"), o.F("x"), o.Ctl()
	R, K, N := o.Dim("x", 0), o.Dim("x", 1), o.Dim("dy", 1)
	return func() { kernel.LinearDW(dw, dy, x, R, K, N, ctl.Accumulate()) }
}

func linearDB(o *operands) func() {
	db, dy, ctl := o.F("gb"), o.F("dy"), o.Ctl()
	R, N := o.Dim("dy", 0), o.Dim("dy", 1)
	return func() { kernel.LinearDB(db, dy, R, N, ctl.Accumulate()) }
}
