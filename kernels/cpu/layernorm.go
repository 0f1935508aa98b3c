package cpu

import "math"

// LayerNorm normalises each row of x [R,C] (Ba et al., arXiv:1607.06450):
//
//	mean = Σ x / C    rstd = 1/√(Σ (x-mean)² / C + eps)    y = (x-mean) rstd w + b
//
// mean and rstd [R] are the statistics its gradient needs; w is [C], b [C] or nil. y may be x.
func LayerNorm(p Par, y, mean, rstd, x, w, b []float32, R, C int, eps float32) {
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			row := x[r*C:][:C]
			m := sum16(row) / float32(C)
			var l lanes
			for i, v := range row {
				d := v - m
				l.at(i, float32(d*d))
			}
			s := 1 / sqrt(l.tree()/float32(C)+eps)
			mean[r], rstd[r] = m, s
			normRow(y[r*C:][:C], row, m, s, w, b)
		}
	})
}

// LayerNormApply computes y of [LayerNorm] from saved statistics, with the same bits.
func LayerNormApply(p Par, y, x, mean, rstd, w, b []float32, R, C int) {
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			normRow(y[r*C:][:C], x[r*C:][:C], mean[r], rstd[r], w, b)
		}
	})
}

// normRow is y = (x-m) s w + b; b nil adds nothing.
func normRow(y, x []float32, m, s float32, w, b []float32) {
	y, w = y[:len(x)], w[:len(x)]
	if b == nil {
		for i, v := range x {
			y[i] = float32((v-m)*s) * w[i]
		}
		return
	}
	b = b[:len(x)]
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
	p.For(C, columnGrain(R), func(lo, hi, _ int) {
		normGradWeights(dw, db, dy, x, mean, rstd, R, C, lo, hi, acc)
	})
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			normGradRow(dx[r*C:][:C], dy[r*C:][:C], x[r*C:][:C], w, mean[r], rstd[r], true)
		}
	})
}

// normGradWeights continues the columns [lo,hi) of dw and db (each may be nil). mean nil is zero.
func normGradWeights(dw, db, dy, x, mean, rstd []float32, R, C, lo, hi int, acc bool) {
	if !acc {
		clear(dw[lo:hi])
		if db != nil {
			clear(db[lo:hi])
		}
	}
	sw := dw[lo:hi]
	for r := range R {
		up, row := dy[r*C+lo:r*C+hi], x[r*C+lo:r*C+hi]
		up, row = up[:len(sw)], row[:len(sw)]
		s, m := rstd[r], float32(0)
		if mean != nil {
			m = mean[r]
		}
		for j := range sw {
			sw[j] = float32(up[j]*float32((row[j]-m)*s)) + sw[j]
		}
		if db != nil {
			sb := db[lo:hi]
			for j, v := range up {
				sb[j] += v
			}
		}
	}
}

// normGradRow is the gradient of one normalised row; centred says that the mean was subtracted
// (LayerNorm) and so Σd/C leaves the gradient.
func normGradRow(dx, dy, x, w []float32, m, s float32, centred bool) {
	C := len(x)
	dx, dy, w = dx[:C], dy[:C], w[:C]
	var sum, dot lanes
	for i, v := range x {
		d := float32(dy[i] * w[i])
		sum.at(i, d)
		dot.at(i, float32(d*float32((v-m)*s)))
	}
	a, b := float32(0), dot.tree()/float32(C)
	if centred {
		a = sum.tree() / float32(C)
	}
	for i, v := range x {
		d := float32(dy[i] * w[i])
		dx[i] = s * ((d - a) - float32(float32((v-m)*s)*b))
	}
}
