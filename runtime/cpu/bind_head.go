package cpu

import (
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

func headLoss(o *operands, p kernel.Par) func() {
	loss, x, w, targets, weight := o.F("loss"), o.M("x"), o.M("w"), o.I("targets"), o.F("weight")
	R, C, V := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	ws := o.Work()
	return func() { kernel.HeadLossOf(p, ws, loss, x, w, targets, weight, R, C, V) }
}

func headLossGrad(o *operands, p kernel.Par) func() {
	loss, dx, dw, x, w := o.F("loss"), o.M("dx"), o.F("gw"), o.M("x"), o.M("w")
	targets, weight, ctl := o.I("targets"), o.F("weight"), o.Ctl()
	R, C, V := o.Dim("x", 0), o.Dim("x", 1), o.Dim("w", 0)
	ws, brief := o.Work(), o.s.p.Run.Precision.Products == "bf16dot"
	return func() {
		kernel.HeadLossGradOf(p, ws, loss, dx, dw, x, w, targets, weight, float32(ctl[plan.CtlC]), R, C, V, ctl.Accumulate(), brief)
	}
}

func headLogits(o *operands, p kernel.Par) func() {
	logits, x, w, last := o.F("logits"), o.M("x"), o.M("w"), o.I("last")
	B, T, C, V := o.Dim("last", 0), o.Attr.SeqLen, o.Dim("x", 1), o.Dim("w", 0)
	return func() { kernel.HeadLogitsOf(p, logits, x, w, last, B, T, C, V) }
}
