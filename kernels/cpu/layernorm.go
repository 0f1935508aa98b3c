package cpu

import "math"

// LayerNorm normalises each row of x [R,C] (Ba et al., arXiv:1607.06450):
//
//	mean = Σ x / C    rstd = 1/√(Σ (x-mean)² / C + eps)    y = (x-mean) rstd w + b
//
// mean and rstd [R] are the statistics its gradient needs; w is [C], b [C] or nil. y may be x.
func LayerNorm(p Par, y, mean, rstd, x, w, b []float32, R, C int, eps float32) {
	type args struct {
		u                      ISA
		y, mean, rstd, x, w, b []float32
		C                      int
		eps                    float32
	}
	each(p, R, rowGrain(C), args{isa(p), y, mean, rstd, x, w, b, C, eps}, func(t *args, lo, hi, _ int) {
		C := t.C
		for r := lo; r < hi; r++ {
			row := t.x[r*C:][:C]
			m := t.u.sum16(row) / float32(C)
			s := 1 / sqrt(t.u.spread16(row, m)/float32(C)+t.eps)
			t.mean[r], t.rstd[r] = m, s
			t.u.normRow(t.y[r*C:][:C], row, m, s, t.w, t.b)
		}
	})
}

// LayerNormApply computes y of [LayerNorm] from saved statistics, with the same bits.
func LayerNormApply(p Par, y, x, mean, rstd, w, b []float32, R, C int) {
	type args struct {
		u                      ISA
		y, x, mean, rstd, w, b []float32
		C                      int
	}
	each(p, R, rowGrain(C), args{isa(p), y, x, mean, rstd, w, b, C}, func(t *args, lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			t.u.normRow(t.y[r*t.C:][:t.C], t.x[r*t.C:][:t.C], t.mean[r], t.rstd[r], t.w, t.b)
		}
	})
}

// normRow is y = (x-m) s w + b; b nil adds nothing.
func (u ISA) normRow(y, x []float32, m, s float32, w, b []float32) {
	if b == nil {
		u.normRowPlain(y, x, w, m, s)
		return
	}
	u.normRowBias(y, x, w, b, m, s)
}

// normRowPlain is normRow without bias.
func normRowPlain(y, x, w []float32, m, s float32) {
	y, w = y[:len(x)], w[:len(x)]
	for i, v := range x {
		y[i] = float32((v-m)*s) * w[i]
	}
}

// normRowBias is normRow with bias.
func normRowBias(y, x, w, b []float32, m, s float32) {
	y, w, b = y[:len(x)], w[:len(x)], b[:len(x)]
	for i, v := range x {
		y[i] = float32(float32((v-m)*s)*w[i]) + b[i]
	}
}

// sqrt is the float32 square root, rounded once.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// LayerNormGrad is the VJP of [LayerNorm]. With n = (x-mean) rstd and d = dy w:
//
//	dx = rstd (d - Σd/C - n Σ(d n)/C)    dw = Σ_r dy n    db = Σ_r dy
//
// dw and db are chains over the rows in token order; with acc they go on from what is stored. db
// may be nil. dx may be dy: it is written after the sums.
func LayerNormGrad(p Par, dx, dw, db, dy, x, w, mean, rstd []float32, R, C int, acc bool) {
	normGrad(p, normGradArgs{isa(p), dx, dw, db, dy, x, w, mean, rstd, R, C, acc})
}

// normGradArgs is what the gradient of either norm works on; RMSNorm's has no db and no mean.
type normGradArgs struct {
	u                                ISA
	dx, dw, db, dy, x, w, mean, rstd []float32
	R, C                             int
	acc                              bool
}

// normGrad computes the weights' gradients and then dx, which may lie over dy.
func normGrad(p Par, a normGradArgs) {
	each(p, a.C, columnGrain(a.R), a, func(t *normGradArgs, lo, hi, _ int) { t.weights(lo, hi) })
	each(p, a.R, rowGrain(a.C), a, func(t *normGradArgs, lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			t.row(r)
		}
	})
}

// at is the mean of row r.
func (t *normGradArgs) at(r int) float32 {
	if t.mean == nil {
		return 0
	}
	return t.mean[r]
}

// weights continues the columns [lo,hi) of dw and db.
func (t *normGradArgs) weights(lo, hi int) {
	if !t.acc {
		clear(t.dw[lo:hi])
		if t.db != nil {
			clear(t.db[lo:hi])
		}
	}
	for r := range t.R {
		up, row := t.dy[r*t.C+lo:r*t.C+hi], t.x[r*t.C+lo:r*t.C+hi]
		t.u.normGradWeight(t.dw[lo:hi], up, row, t.at(r), t.rstd[r])
		if t.db != nil {
			t.u.addRow(t.db[lo:hi], t.db[lo:hi], up)
		}
	}
}

// normGradWeight continues dw by the row dy (x-m) s.
func normGradWeight(dw, dy, x []float32, m, s float32) {
	dy, x = dy[:len(dw)], x[:len(dw)]
	for j := range dw {
		dw[j] = float32(dy[j]*float32((x[j]-m)*s)) + dw[j]
	}
}

// row computes row r of dx. Where the mean was subtracted (LayerNorm), Σd/C leaves the gradient.
func (t *normGradArgs) row(r int) {
	C, from, to := float32(t.C), r*t.C, (r+1)*t.C
	dy, x, w, m, s := t.dy[from:to], t.x[from:to], t.w[:t.C], t.at(r), t.rstd[r]
	var sums [2]float32
	t.u.normGradSums(sums[:], dy, x, w, m, s)
	a, b := float32(0), sums[1]/C
	if t.mean != nil {
		a = sums[0] / C
	}
	t.u.normGradApply(t.dx[from:to], dy, x, w, m, s, a, b)
}

// normGradSums stores Σd and Σ d n.
func normGradSums(sums, dy, x, w []float32, m, s float32) {
	dy, w = dy[:len(x)], w[:len(x)]
	var sum, dot lanes
	for i, v := range x {
		d := float32(dy[i] * w[i])
		sum.at(i, d)
		dot.at(i, float32(d*float32((v-m)*s)))
	}
	sums[0], sums[1] = sum.tree(), dot.tree()
}

// normGradApply is dx = s (d - a - n b).
func normGradApply(dx, dy, x, w []float32, m, s, a, b float32) {
	dx, dy, w = dx[:len(x)], dy[:len(x)], w[:len(x)]
	for i, v := range x {
		d := float32(dy[i] * w[i])
		dx[i] = s * ((d - a) - float32(float32((v-m)*s)*b))
	}
}
