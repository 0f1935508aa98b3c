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
	ahead, rest := float32(1), float32(0) // of the momentum and the gradient in the step
	if a.Nesterov {
		ahead, rest = mu, 1
	}
	type args struct {
		u                              ISA
		w, g, mom                      []float32
		lr, mu, decay, gs, ahead, rest float32
		first                          bool
	}
	each(p, len(w), elementGrain, args{isa(p), w, g, mom, lr, mu, decay, gs, ahead, rest, a.First}, func(t *args, lo, hi, _ int) {
		switch {
		case t.mu == 0:
			t.u.sgdPlain(t.w[lo:hi], t.g[lo:hi], t.lr, t.decay, t.gs)
		case t.first:
			t.u.sgdFirst(t.w[lo:hi], t.g[lo:hi], t.mom[lo:hi], t.lr, t.decay, t.gs, t.ahead, t.rest)
		default:
			t.u.sgdMomentum(t.w[lo:hi], t.g[lo:hi], t.mom[lo:hi], t.lr, t.decay, t.gs, t.ahead, t.rest, t.mu)
		}
	})
}

// sgdPlain updates a piece without momentum.
func sgdPlain(w, g []float32, lr, decay, gs float32) {
	g = g[:len(w)]
	for i := range w {
		d := float32(g[i]*gs) + float32(decay*w[i])
		w[i] -= float32(lr * d)
	}
}

// sgdFirst updates a piece and starts its momentum.
func sgdFirst(w, g, mom []float32, lr, decay, gs, ahead, rest float32) {
	g, mom = g[:len(w)], mom[:len(w)]
	for i := range w {
		d := float32(g[i]*gs) + float32(decay*w[i])
		mom[i] = d
		w[i] -= float32(lr * (float32(ahead*d) + float32(rest*d)))
	}
}

// sgdMomentum updates a piece and goes on with its momentum.
func sgdMomentum(w, g, mom []float32, lr, decay, gs, ahead, rest, mu float32) {
	g, mom = g[:len(w)], mom[:len(w)]
	for i := range w {
		d := float32(g[i]*gs) + float32(decay*w[i])
		next := float32(mu*mom[i]) + d
		mom[i] = next
		w[i] -= float32(lr * (float32(ahead*next) + float32(rest*d)))
	}
}
