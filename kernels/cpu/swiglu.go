package cpu

// SwiGLU is h = silu(gate) up, silu(g) = g/(1+e^(-g)) (Shazeer, arXiv:2002.05202). A row of gu [R,2F] is
// [gate(F) | up(F)]; h is [R,F].
func SwiGLU(p Par, h, gu []float32, R, F int) {
	type args struct {
		u     ISA
		h, gu []float32
		F     int
	}
	each(p, R, rowGrain(F), args{isa(p), h, gu, F}, func(t *args, lo, hi, _ int) {
		F := t.F
		for r := lo; r < hi; r++ {
			gate, up := t.gu[2*r*F:][:F], t.gu[(2*r+1)*F:][:F]
			t.u.gated(t.h[r*F:][:F], gate, up)
		}
	})
}

// SwiGLUGrad is the VJP of [SwiGLU]: dgu [R,2F] from gu [R,2F] and dh [R,F].
//
//	dup = dh silu(g)     dgate = dh up σ(g)(1 + g(1-σ(g)))
func SwiGLUGrad(p Par, dgu, gu, dh []float32, R, F int) {
	type args struct {
		u           ISA
		dgu, gu, dh []float32
		F           int
	}
	each(p, R, rowGrain(F), args{isa(p), dgu, gu, dh, F}, func(t *args, lo, hi, _ int) {
		F := t.F
		for r := lo; r < hi; r++ {
			gate, up := t.gu[2*r*F:][:F], t.gu[(2*r+1)*F:][:F]
			dgate, dup := t.dgu[2*r*F:][:F], t.dgu[(2*r+1)*F:][:F]
			t.u.gatedGrad(dgate, dup, gate, up, t.dh[r*F:][:F])
		}
	})
}

// gated computes a row of silu(gate) up.
func gated(h, gate, up []float32) {
	strips(0, len(gate), func(lo, hi int) { gatedStrip(h[lo:hi], gate[lo:hi], up[lo:hi]) })
}

// gatedStrip computes a strip of it.
func gatedStrip(h, gate, up []float32) {
	var buf [strip]float32
	e := buf[:len(gate)]
	expNeg(e, gate)
	h, up = h[:len(gate)], up[:len(gate)]
	for i, g := range gate {
		h[i] = g / (1 + e[i]) * up[i]
	}
}

// gatedGrad computes a row of the gradient.
func gatedGrad(dgate, dup, gate, up, dh []float32) {
	strips(0, len(gate), func(lo, hi int) {
		gatedGradStrip(dgate[lo:hi], dup[lo:hi], gate[lo:hi], up[lo:hi], dh[lo:hi])
	})
}

// gatedGradStrip computes a strip of it.
func gatedGradStrip(dgate, dup, gate, up, dh []float32) {
	var buf [strip]float32
	e := buf[:len(gate)]
	expNeg(e, gate)
	dgate, dup, up, dh = dgate[:len(gate)], dup[:len(gate)], up[:len(gate)], dh[:len(gate)]
	for i, g := range gate {
		s, u, d := 1/(1+e[i]), up[i], dh[i]
		dup[i] = d * float32(g*s)
		dgate[i] = float32(d*u) * float32(s*(float32(g*(1-s))+1))
	}
}

// expNeg stores e[i] = e^(-x[i]).
func expNeg(e, x []float32) {
	e = e[:len(x)]
	for i, v := range x {
		e[i] = -v
	}
	expSub(e, e, 0)
}
