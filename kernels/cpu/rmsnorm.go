package cpu

// RMSNorm scales each row of x [R,C] by its root mean square (Zhang & Sennrich, arXiv:1910.07467):
//
//	rstd = 1/√(Σ x² / C + eps)    y = x rstd w
//
// rstd [R] is the statistic its gradient needs; w is [C]. y may be x.
func RMSNorm(p Par, y, rstd, x, w []float32, R, C int, eps float32) {
	u := isa(p)
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			row := x[r*C:][:C]
			s := 1 / sqrt(u.dot16(row, row)/float32(C)+eps)
			rstd[r] = s
			u.normRow(y[r*C:][:C], row, 0, s, w, nil)
		}
	})
}

// RMSNormApply computes y of [RMSNorm] from the saved statistic, with the same bits.
func RMSNormApply(p Par, y, x, rstd, w []float32, R, C int) {
	u := isa(p)
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			u.normRow(y[r*C:][:C], x[r*C:][:C], 0, rstd[r], w, nil)
		}
	})
}

// RMSNormGrad is the VJP of [RMSNorm]. With n = x rstd and d = dy w:
//
//	dx = rstd (d - n Σ(d n)/C)    dw = Σ_r dy n
//
// dw is a chain over the rows in token order; with acc it goes on from what is stored.
func RMSNormGrad(p Par, dx, dw, dy, x, w, rstd []float32, R, C int, acc bool) {
	u := isa(p)
	p.For(C, columnGrain(R), func(lo, hi, _ int) {
		u.normGradWeights(dw, nil, dy, x, nil, rstd, R, C, lo, hi, acc)
	})
	p.For(R, rowGrain(C), func(lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			u.normGradRow(dx[r*C:][:C], dy[r*C:][:C], x[r*C:][:C], w, 0, rstd[r], false)
		}
	})
}
