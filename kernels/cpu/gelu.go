package cpu

import "math"

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

// strip is the number of elements whose exponentials an activation holds at a time.
const strip = 256

// strips calls body with the ends of the strips of [lo,hi).
func strips(lo, hi int, body func(lo, hi int)) {
	for ; lo < hi; lo += strip {
		body(lo, min(hi, lo+strip))
	}
}

// GELU is y = x Φ(x) (exact form, Φ the normal distribution function) or, with tanh,
// y = x/2 (1 + tanh(√(2/π)(x + 0.044715 x³))) (Hendrycks & Gimpel, arXiv:1606.08415).
// y may be x.
func GELU(p Par, y, x []float32, tanh bool) {
	type args struct {
		u    ISA
		y, x []float32
		tanh bool
	}
	each(p, len(x), elementGrain, args{isa(p), y, x, tanh}, func(t *args, lo, hi, _ int) { t.u.gelu(t.y[lo:hi], t.x[lo:hi], t.tanh) })
}

// GELUGrad is the VJP of [GELU]: dx = dy dGELU(x)/dx. dx may be dy or x.
func GELUGrad(p Par, dx, x, dy []float32, tanh bool) {
	type args struct {
		u         ISA
		dx, x, dy []float32
		tanh      bool
	}
	each(p, len(x), elementGrain, args{isa(p), dx, x, dy, tanh}, func(t *args, lo, hi, _ int) {
		t.u.geluGrad(t.dx[lo:hi], t.x[lo:hi], t.dy[lo:hi], t.tanh)
	})
}

// geluGrad computes a piece of the gradient of either form.
func (u ISA) geluGrad(dx, x, dy []float32, tanh bool) {
	if tanh {
		u.tanhGELUGrad(dx, x, dy)
		return
	}
	u.exactGELUGrad(dx, x, dy)
}

// gelu computes a piece of either form.
func (u ISA) gelu(y, x []float32, tanh bool) {
	if tanh {
		u.tanhGELU(y, x)
		return
	}
	u.exactGELU(y, x)
}

// tanhGELU computes a piece.
func tanhGELU(y, x []float32) {
	strips(0, len(x), func(lo, hi int) { tanhGELUStrip(y[lo:hi], x[lo:hi]) })
}

// tanhGELUStrip computes a strip: (1 + tanh u)/2 = 1/(1 + e^(-2u)), u = √(2/π)(x + 0.044715 x³).
func tanhGELUStrip(y, x []float32) {
	var buf [strip]float32
	e := buf[:len(x)]
	tanhExp(e, x)
	y = y[:len(x)]
	for i, v := range x {
		y[i] = v / (1 + e[i])
	}
}

// tanhExp stores e[i] = e^(-2u).
func tanhExp(e, x []float32) {
	e = e[:len(x)]
	for i, v := range x {
		cube := float32(float32(geluCubic*v)*v) + 1
		e[i] = float32(float32(-2*sqrt2OverPi*v) * cube)
	}
	expSub(e, e, 0)
}

// tanhGELUGrad computes a piece.
func tanhGELUGrad(dx, x, dy []float32) {
	strips(0, len(x), func(lo, hi int) { tanhGELUGradStrip(dx[lo:hi], x[lo:hi], dy[lo:hi]) })
}

// tanhGELUGradStrip computes a strip: with s = 1/(1+e^(-2u)), dy (s + x s(1-s) 2u').
func tanhGELUGradStrip(dx, x, dy []float32) {
	var buf [strip]float32
	e := buf[:len(x)]
	tanhExp(e, x)
	dx, dy = dx[:len(x)], dy[:len(x)]
	for i, v := range x {
		s := 1 / (1 + e[i])
		slope := float32(float32(3*geluCubic*v)*v) + 1
		du := float32(float32(2*sqrt2OverPi*slope) * v)
		dx[i] = dy[i] * (s + float32(float32(s*(1-s))*du))
	}
}

// exactGELU computes a piece.
func exactGELU(y, x []float32) {
	strips(0, len(x), func(lo, hi int) { exactGELUStrip(y[lo:hi], x[lo:hi]) })
}

// exactGELUStrip computes a strip.
func exactGELUStrip(y, x []float32) {
	var e, phi [strip]float32
	n := len(x)
	gaussian(e[:n], x)
	normalCDF(phi[:n], x, e[:n])
	y = y[:n]
	for i, v := range x {
		y[i] = v * phi[i&(strip-1)]
	}
}

// exactGELUGrad computes a piece.
func exactGELUGrad(dx, x, dy []float32) {
	strips(0, len(x), func(lo, hi int) { exactGELUGradStrip(dx[lo:hi], x[lo:hi], dy[lo:hi]) })
}

// exactGELUGradStrip computes a strip: dy (Φ(x) + x φ(x)), φ the normal density.
func exactGELUGradStrip(dx, x, dy []float32) {
	var e, phi [strip]float32
	n := len(x)
	gaussian(e[:n], x)
	normalCDF(phi[:n], x, e[:n])
	dx, dy = dx[:n], dy[:n]
	for i, v := range x {
		j := i & (strip - 1)
		dx[i] = dy[i] * (phi[j] + float32(v*float32(invSqrt2Pi*e[j])))
	}
}

// gaussian stores e[i] = e^(-x²/2).
func gaussian(e, x []float32) {
	e = e[:len(x)]
	for i, v := range x {
		e[i] = float32(float32(-0.5*v) * v)
	}
	expSub(e, e, 0)
}

// normalCDF stores phi[i] = Φ(x[i]), given e[i] = e^(-x²/2): half of erfc(|x|/√2), which has no cancellation in the
// tail, taken from one for positive x. The choice is by the sign bit, since a branch on random signs costs more
// than both sides.
func normalCDF(phi, x, e []float32) {
	phi, e = phi[:len(x)], e[:len(x)]
	for i, v := range x {
		bits := math.Float32bits(v)
		t := 1 / (1 + float32(erfcP*invSqrt2*math.Float32frombits(bits&^(1<<31))))
		q := float32(erfcC8*t) + erfcC7
		q = float32(q*t) + erfcC6
		q = float32(q*t) + erfcC5
		q = float32(q*t) + erfcC4
		q = float32(q*t) + erfcC3
		q = float32(q*t) + erfcC2
		q = float32(q*t) + erfcC1
		q = float32(q*t) + erfcC0
		tail := float32(float32(0.5*e[i]) * float32(q*t))
		negative := uint32(int32(bits) >> 31)
		phi[i] = math.Float32frombits(math.Float32bits(tail)&negative | math.Float32bits(1-tail)&^negative)
	}
}
