package cpu

import (
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
)

func norm2(o *operands, p kernel.Par) func() {
	g, norms, index := o.F("g"), o.D("norms"), o.Attr.Index
	return func() { norms[index] = kernel.Norm2Par(p, g) }
}

func clip(o *operands, _ kernel.Par) func() {
	norms, ctl, maxNorm := o.D("norms"), o.Ctl(), o.Attr.MaxNorm
	return func() { exec.Clip(norms, ctl, maxNorm) }
}

func adamW(o *operands, p kernel.Par) func() {
	w, g, m, v, ctl, a := o.F("w"), o.F("g"), o.F("m"), o.F("v"), o.Ctl(), o.Attr
	return func() {
		if ctl.Apply() {
			kernel.AdamW(p, w, g, m, v, kernel.AdamWArgs{LR: ctl[plan.CtlLR] * a.LRScale, Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps,
				Decay: a.Decay, BC1: ctl[plan.CtlBC1], BC2: ctl[plan.CtlBC2], GScale: ctl[plan.CtlGScale]})
		}
	}
}

func sgd(o *operands, p kernel.Par) func() {
	w, g, ctl, a := o.F("w"), o.F("g"), o.Ctl(), o.Attr
	return func() {
		if ctl.Apply() {
			kernel.SGD(p, w, g, nil, kernel.SGDArgs{LR: ctl[plan.CtlLR] * a.LRScale, Decay: a.Decay,
				GScale: ctl[plan.CtlGScale], First: ctl.First()})
		}
	}
}

func sgdMomentum(o *operands, p kernel.Par) func() {
	w, g, m, ctl, a := o.F("w"), o.F("g"), o.F("m"), o.Ctl(), o.Attr
	return func() {
		if ctl.Apply() {
			kernel.SGD(p, w, g, m, kernel.SGDArgs{LR: ctl[plan.CtlLR] * a.LRScale, Momentum: a.Momentum, Decay: a.Decay,
				GScale: ctl[plan.CtlGScale], Nesterov: a.Nesterov, First: ctl.First()})
		}
	}
}
