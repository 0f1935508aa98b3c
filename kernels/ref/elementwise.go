package ref

import "math"

// GELU is y = x Φ(x), or with tanh x/2 (1 + tanh(√(2/π)(x + 0.044715 x³))) (arXiv:1606.08415).
func GELU(y, x []float64, tanh bool) {
	for i, v := range x {
		if tanh {
			y[i] = 0.5 * v * (1 + math.Tanh(geluInner(v)))
		} else {
			y[i] = v * normalCDF(v)
		}
	}
}

// GELUGrad is dx = dy dGELU(x)/dx.
func GELUGrad(dx, x, dy []float64, tanh bool) {
	for i, v := range x {
		if tanh {
			t := math.Tanh(geluInner(v))
			du := math.Sqrt(2/math.Pi) * (1 + 3*0.044715*v*v)
			dx[i] = dy[i] * (0.5*(1+t) + 0.5*v*(1-t*t)*du)
		} else {
			density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
			dx[i] = dy[i] * (normalCDF(v) + v*density)
		}
	}
}

// geluInner is the argument of the tanh form.
func geluInner(x float64) float64 { return math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x) }

// normalCDF is Φ(x).
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// sigmoid is 1/(1+e^(-x)).
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// SwiGLU is h = silu(gate) up for rows [gate(F) | up(F)] of gu (arXiv:2002.05202).
func SwiGLU(h, gu []float64, R, F int) {
	for r := range R {
		for f := range F {
			g, u := gu[r*2*F+f], gu[r*2*F+F+f]
			h[r*F+f] = g * sigmoid(g) * u
		}
	}
}

// SwiGLUGrad is the VJP of [SwiGLU].
func SwiGLUGrad(dgu, gu, dh []float64, R, F int) {
	for r := range R {
		for f := range F {
			g, u, d := gu[r*2*F+f], gu[r*2*F+F+f], dh[r*F+f]
			s := sigmoid(g)
			dgu[r*2*F+f] = d * u * (s + g*s*(1-s))
			dgu[r*2*F+F+f] = d * g * s
		}
	}
}

// Add is y = a + b.
func Add(y, a, b []float64) {
	for i := range y {
		y[i] = a[i] + b[i]
	}
}
