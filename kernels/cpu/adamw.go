package cpu

// AdamWArgs are the scalars of one [AdamW] update. BC1 = 1-Beta1^u and BC2 = 1-Beta2^u correct the bias of the
// moments at update u >= 1; GScale multiplies the gradient first (unscaling and clipping).
type AdamWArgs struct{ LR, Beta1, Beta2, Eps, Decay, BC1, BC2, GScale float64 }

// AdamW updates w and its moments m, v from the gradient g, elementwise, as PyTorch does (Loshchilov & Hutter,
// arXiv:1711.05101; decay first, eps outside the root):
//
//	w -= LR Decay w;  g *= GScale;  m = β1 m + (1-β1) g;  v = β2 v + (1-β2) g²
//	w -= (LR/BC1) m / (√v/√BC2 + Eps)
//
// The scalars are combined in float64 and rounded once. g is not written.
func AdamW(p Par, w, g, m, v []float32, a AdamWArgs) {
	keep, gs := float32(1-float64(a.LR*a.Decay)), float32(a.GScale)
	b1, b2 := float32(a.Beta1), float32(a.Beta2)
	n1, n2 := float32(1-a.Beta1), float32(1-a.Beta2)
	step, root, eps := float32(a.LR/a.BC1), sqrt(float32(a.BC2)), float32(a.Eps)
	type args struct {
		u                                         ISA
		w, g, m, v                                []float32
		keep, gs, b1, n1, b2, n2, step, root, eps float32
	}
	each(p, len(w), elementGrain, args{isa(p), w, g, m, v, keep, gs, b1, n1, b2, n2, step, root, eps}, func(t *args, lo, hi, _ int) {
		t.u.adamWRow(t.w[lo:hi], t.g[lo:hi], t.m[lo:hi], t.v[lo:hi], t.keep, t.gs, t.b1, t.n1, t.b2, t.n2, t.step, t.root, t.eps)
	})
}

// adamWRow updates a piece.
func adamWRow(w, g, m, v []float32, keep, gs, b1, n1, b2, n2, step, root, eps float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i := range w {
		d := float32(g[i] * gs)
		mi := float32(b1*m[i]) + float32(n1*d)
		vi := float32(b2*v[i]) + float32(n2*float32(d*d))
		m[i], v[i] = mi, vi
		w[i] = float32(w[i]*keep) - float32(step*(mi/(sqrt(vi)/root+eps)))
	}
}
