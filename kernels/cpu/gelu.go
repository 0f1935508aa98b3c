package cpu

// Constants of the two forms of GELU.
const (
	sqrt2OverPi = 0.79788456080286535588
	geluCubic   = 0.044715
	invSqrt2Pi  = 0.39894228040143267794
	invSqrt2    = 0.70710678118654752440

	// erfc(z) = e^(-z²) t P(t), t = 1/(1+0.3z): P near-minimax for 0 <= z <= 9.4,
	// relative error 9e-8.
	erfcP  = 0.3
	erfcC0 = 0.169175812297
	erfcC1 = 0.170902715415
	erfcC2 = 0.147123140766
	erfcC3 = 0.219276234959
	erfcC4 = -0.104055148225
	erfcC5 = 0.560327381881
	erfcC6 = -0.522535962433
	erfcC7 = 0.490205139942
	erfcC8 = -0.130419334269
)

// GELU is y = x Φ(x) (exact form, Φ the normal distribution function) or, with tanh,
// y = x/2 (1 + tanh(√(2/π)(x + 0.044715 x³))) (Hendrycks & Gimpel, arXiv:1606.08415).
// y may be x.
func GELU(p Par, y, x []float32, tanh bool) {
	p.For(len(x), elementGrain, func(lo, hi, _ int) {
		dst, src := y[lo:hi], x[lo:hi]
		dst = dst[:len(src)]
		if tanh {
			for i, v := range src {
				dst[i] = v * tanhGate(v)
			}
			return
		}
		for i, v := range src {
			phi, _ := normal(v)
			dst[i] = v * phi
		}
	})
}

// GELUGrad is the VJP of [GELU]: dx = dy dGELU(x)/dx. dx may be dy or x.
func GELUGrad(p Par, dx, x, dy []float32, tanh bool) {
	p.For(len(x), elementGrain, func(lo, hi, _ int) {
		dst, src, up := dx[lo:hi], x[lo:hi], dy[lo:hi]
		dst, up = dst[:len(src)], up[:len(src)]
		if tanh {
			for i, v := range src {
				s := tanhGate(v)
				slope := float32(float32(3*geluCubic*v)*v) + 1
				du := float32(2*sqrt2OverPi*slope) * v
				dst[i] = up[i] * (s + float32(float32(s*(1-s))*du))
			}
			return
		}
		for i, v := range src {
			phi, density := normal(v)
			dst[i] = up[i] * (phi + float32(v*density))
		}
	})
}

// tanhGate is (1 + tanh(u))/2 = 1/(1 + e^(-2u)) with u = √(2/π)(x + 0.044715 x³).
func tanhGate(x float32) float32 {
	cube := float32(float32(geluCubic*x)*x) + 1
	return sigmoid(float32(float32(2*sqrt2OverPi*x) * cube))
}

// normal returns the distribution function Φ(x) and the density φ(x) of the standard normal; they
// share e^(-x²/2). The tail is computed without cancellation.
func normal(x float32) (phi, density float32) {
	z := x
	if z < 0 {
		z = -z
	}
	e := exp(float32(float32(-0.5*x) * x))
	t := 1 / (1 + float32(erfcP*invSqrt2*z))
	q := float32(erfcC8*t) + erfcC7
	q = float32(q*t) + erfcC6
	q = float32(q*t) + erfcC5
	q = float32(q*t) + erfcC4
	q = float32(q*t) + erfcC3
	q = float32(q*t) + erfcC2
	q = float32(q*t) + erfcC1
	q = float32(q*t) + erfcC0
	phi = float32(0.5*e) * float32(q*t)
	if x > 0 {
		phi = 1 - phi
	}
	return phi, float32(invSqrt2Pi * e)
}
