package cpu

// SGDArgs are the scalars of one [SGD] update. First says that mom holds nothing yet.
type SGDArgs struct {
	LR, Momentum, Decay, GScale float64
	Nesterov, First             bool
}

// SGD updates w and its momentum from the gradient g, elementwise, as PyTorch does (Sutskever et al., ICML 2013):
//
//	g = GScale g + Decay w;  mom = First ? g : Momentum mom + g
//	w -= LR (Nesterov ? g + Momentum mom : mom)
//
// With Momentum 0 the step is g and mom, which may be nil, is not touched.
func SGD(p Par, w, g, mom []float32, a SGDArgs) {
	lr, mu, decay, gs := float32(a.LR), float32(a.Momentum), float32(a.Decay), float32(a.GScale)
	p.For(len(w), elementGrain, func(lo, hi, _ int) {
		for i := lo; i < hi; i++ {
			d := float32(g[i]*gs) + float32(decay*w[i])
			if mu != 0 {
				next := d
				if !a.First {
					next = float32(mu*mom[i]) + d
				}
				mom[i] = next
				if a.Nesterov {
					d = float32(mu*next) + d
				} else {
					d = next
				}
			}
			w[i] -= float32(lr * d)
		}
	})
}
