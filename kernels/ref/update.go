package ref

import "math"

// Norm2 is Σ g².
func Norm2(g []float64) float64 {
	sum := 0.0
	for _, v := range g {
		sum += v * v
	}
	return sum
}

// AdamWArgs are the scalars of one [AdamW] update: BC1 = 1-Beta1^u, BC2 = 1-Beta2^u.
type AdamWArgs struct{ LR, Beta1, Beta2, Eps, Decay, BC1, BC2, GScale float64 }

// AdamW is PyTorch's AdamW (arXiv:1711.05101): decay first, eps outside the root.
func AdamW(w, g, m, v []float64, a AdamWArgs) {
	for i := range w {
		d := g[i] * a.GScale
		w[i] -= a.LR * a.Decay * w[i]
		m[i] = a.Beta1*m[i] + (1-a.Beta1)*d
		v[i] = a.Beta2*v[i] + (1-a.Beta2)*d*d
		w[i] -= a.LR / a.BC1 * m[i] / (math.Sqrt(v[i])/math.Sqrt(a.BC2) + a.Eps)
	}
}

// SGDArgs are the scalars of one [SGD] update; First says that mom holds nothing yet.
type SGDArgs struct {
	LR, Momentum, Decay, GScale float64
	Nesterov, First             bool
}

// SGD is PyTorch's SGD with momentum: g = GScale g + Decay w; mom = Momentum mom + g, at first g;
// w -= LR (Nesterov ? g + Momentum mom : mom). With Momentum 0 mom is not touched.
func SGD(w, g, mom []float64, a SGDArgs) {
	for i := range w {
		d := g[i]*a.GScale + a.Decay*w[i]
		if a.Momentum != 0 {
			if a.First {
				mom[i] = d
			} else {
				mom[i] = a.Momentum*mom[i] + d
			}
			if a.Nesterov {
				d += a.Momentum * mom[i]
			} else {
				d = mom[i]
			}
		}
		w[i] -= a.LR * d
	}
}
