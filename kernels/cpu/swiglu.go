package cpu

// SwiGLU is h = silu(gate) up, silu(g) = g/(1+e^(-g)) (Shazeer, arXiv:2002.05202). A row of gu [R,2F] is
// [gate(F) | up(F)]; h is [R,F].
func SwiGLU(p Par, h, gu []float32, R, F int) {
	p.For(R, rowGrain(F), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			gate, up := gu[2*r*F:][:F], gu[(2*r+1)*F:][:F]
			dst := h[r*F:][:F]
			for i, g := range gate {
				dst[i] = float32(g*sigmoid(g)) * up[i]
			}
		}
	})
}

// SwiGLUGrad is the VJP of [SwiGLU]: dgu [R,2F] from gu [R,2F] and dh [R,F].
//
//	dup = dh silu(g)     dgate = dh up σ(g)(1 + g(1-σ(g)))
func SwiGLUGrad(p Par, dgu, gu, dh []float32, R, F int) {
	p.For(R, rowGrain(F), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			gate, up := gu[2*r*F:][:F], gu[(2*r+1)*F:][:F]
			dgate, dup := dgu[2*r*F:][:F], dgu[(2*r+1)*F:][:F]
			src := dh[r*F:][:F]
			for i, g := range gate {
				s, u, d := sigmoid(g), up[i], src[i]
				dup[i] = d * float32(g*s)
				dgate[i] = float32(d*u) * float32(s*(float32(g*(1-s))+1))
			}
		}
	})
}
