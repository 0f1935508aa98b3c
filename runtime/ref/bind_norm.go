package ref

import (
	kernel "github.com/gradcue/gradcue/kernels/ref"
)

func layerNorm(o *operands) func() {
	y, mean, rstd, x, w, b := o.F("y"), o.F("mean"), o.F("rstd"), o.F("x"), o.F("w"), o.F("b")
	R, C, eps := o.Dim("x", 0), o.Dim("x", 1), o.Attr.Eps
	return func() { kernel.LayerNorm(y, mean, rstd, x, w, b, R, C, eps) }
}

func layerNormApply(o *operands) func() {
	y, x, mean, rstd, w, b := o.F("y"), o.F("x"), o.F("mean"), o.F("rstd"), o.F("w"), o.F("b")
	R, C := o.Dim("x", 0), o.Dim("x", 1)
	return func() { kernel.LayerNormApply(y, x, mean, rstd, w, b, R, C) }
}

func layerNormGrad(o *operands) func() {
	dx, dw, db, dy := o.F("dx"), o.F("gw"), o.F("gb"), o.F("dy")
	x, w, mean, rstd, ctl := o.F("x"), o.F("w"), o.F("mean"), o.F("rstd"), o.Ctl()
	R, C := o.Dim("x", 0), o.Dim("x", 1)
	return func() { kernel.LayerNormGrad(dx, dw, db, dy, x, w, mean, rstd, R, C, ctl.Accumulate()) }
}

func rmsNorm(o *operands) func() {
	y, rstd, x, w := o.F("y"), o.F("rstd"), o.F("x"), o.F("w")
	R, C, eps := o.Dim("x", 0), o.Dim("x", 1), o.Attr.Eps
	return func() { kernel.RMSNorm(y, rstd, x, w, R, C, eps) }
}

func rmsNormApply(o *operands) func() {
	y, x, rstd, w := o.F("y"), o.F("x"), o.F("rstd"), o.F("w")
	R, C := o.Dim("x", 0), o.Dim("x", 1)
	return func() { kernel.RMSNormApply(y, x, rstd, w, R, C) }
}

func rmsNormGrad(o *operands) func() {
	dx, dw, dy := o.F("dx"), o.F("gw"), o.F("dy")
	x, w, rstd, ctl := o.F("x"), o.F("w"), o.F("rstd"), o.Ctl()
	R, C := o.Dim("x", 0), o.Dim("x", 1)
	return func() { kernel.RMSNormGrad(dx, dw, dy, x, w, rstd, R, C, ctl.Accumulate()) }
}
