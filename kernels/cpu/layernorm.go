package cpu

import "math"

// LayerNorm normalises each row of x [R,C] (Ba et al., arXiv:1607.06450):
//
//	mean = Σ x / C    rstd = 1/√(Σ (x-mean)² / C + eps)    y = (x-mean) rstd w + b
//
// mean and rstd [R] are the statistics its gradient needs; w is [C], b [C] or nil. y may be x.
func LayerNorm(p Par, y, mean, rstd, x, w, b []float32, R, C int, eps float32) {
	u := isa(p)
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			row := x[r*C:][:C]
			m := u.sum16(row) / float32(C)
			s := 1 / sqrt(u.spread16(row, m)/float32(C)+eps)
			mean[r], rstd[r] = m, s
			u.normRow(y[r*C:][:C], row, m, s, w, b)
		}
	})
}

// LayerNormApply computes y of [LayerNorm] from saved statistics, with the same bits.
func LayerNormApply(p Par, y, x, mean, rstd, w, b []float32, R, C int) {
	u := isa(p)
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			u.normRow(y[r*C:][:C], x[r*C:][:C], mean[r], rstd[r], w, b)
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
	u := isa(p)
	p.For(C, columnGrain(R), func(lo, hi, _ int) {
		u.normGradWeights(dw, db, dy, x, mean, rstd, R, C, lo, hi, acc)
	})
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			u.normGradRow(dx[r*C:][:C], dy[r*C:][:C], x[r*C:][:C], w, mean[r], rstd[r], true)
		}
	})
}

// normGradWeights continues the columns [lo,hi) of dw and db (each may be nil). mean nil is zero.
func (u ISA) normGradWeights(dw, db, dy, x, mean, rstd []float32, R, C, lo, hi int, acc bool) {
	if !acc {
		clear(dw[lo:hi])
		if db != nil {
			clear(db[lo:hi])
		}
	}
	sw := dw[lo:hi]
	for r := range R {
		up, row := dy[r*C+lo:r*C+hi], x[r*C+lo:r*C+hi]
		m := float32(0)
		if mean != nil {
			m = mean[r]
		}
		u.normGradWeight(sw, up, row, m, rstd[r])
		if db != nil {
			u.addRow(db[lo:hi], db[lo:hi], up)
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

// normGradRow is the gradient of one normalised row; centred says that the mean was subtracted
// (LayerNorm) and so Σd/C leaves the gradient.
func (u ISA) normGradRow(dx, dy, x, w []float32, m, s float32, centred bool) {
	C := float32(len(x))
	var sums [2]float32
	u.normGradSums(sums[:], dy, x, w[:len(x)], m, s)
	a, b := float32(0), sums[1]/C
	if centred {
		a = sums[0] / C
	}
	u.normGradApply(dx, dy, x, w[:len(x)], m, s, a, b)
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
