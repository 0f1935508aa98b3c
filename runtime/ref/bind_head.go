package ref

import (
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/ref"
)

func headLoss(o *operands) func() {
	loss, x, w, targets, weight := o.F("loss"), o.F("x"), o.F("w"), o.I("targets"), o.F("weight")
	R, C, V := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.HeadLoss(loss, x, w, targets, weight, R, C, V) }
}

func headLossGrad(o *operands) func() {
	loss, dx, dw, x, w := o.F("loss"), o.F("dx"), o.F("gw"), o.F("x"), o.F("w")
	targets, weight, ctl := o.I("targets"), o.F("weight"), o.Ctl()
	R, C, V := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	return func() {
		kernel.HeadLossGrad(loss, dx, dw, x, w, targets, weight, ctl[plan.CtlC], R, C, V, ctl.Accumulate())
	}
}

func headLogits(o *operands) func() {
	logits, x, w, last := o.F("logits"), o.F("x"), o.F("w"), o.I("last")
	B, T, C, V := o.Dim("last", 0), o.Attr.SeqLen, o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.HeadLogits(logits, x, w, last, B, T, C, V) }
}
