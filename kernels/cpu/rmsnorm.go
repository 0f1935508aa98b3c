package cpu

// RMSNorm scales each row of x [R,C] by its root mean square (Zhang & Sennrich, arXiv:1910.07467):
//
//	rstd = 1/√(Σ x² / C + eps)    y = x rstd w
//
// rstd [R] is the statistic its gradient needs; w is [C]. y may be x.
func RMSNorm(p Par, y, rstd, x, w []float32, R, C int, eps float32) {
	type args struct {
		u             ISA
		y, rstd, x, w []float32
		C             int
		eps           float32
	}
	each(p, R, rowGrain(C), args{isa(p), y, rstd, x, w, C, eps}, func(t *args, lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			row := t.x[r*t.C:][:t.C]
			s := 1 / sqrt(t.u.dot16(row, row)/float32(t.C)+t.eps)
			t.rstd[r] = s
			t.u.normRow(t.y[r*t.C:][:t.C], row, 0, s, t.w, nil)
		}
	})
}

// RMSNormApply computes y of [RMSNorm] from the saved statistic, with the same bits.
func RMSNormApply(p Par, y, x, rstd, w []float32, R, C int) {
	type args struct {
		u             ISA
		y, x, rstd, w []float32
		C             int
	}
	each(p, R, rowGrain(C), args{isa(p), y, x, rstd, w, C}, func(t *args, lo, hi, _ int) {
		for r := lo; r < hi; r++ {
			t.u.normRow(t.y[r*t.C:][:t.C], t.x[r*t.C:][:t.C], 0, t.rstd[r], t.w, nil)
		}
	})
}

// RMSNormGrad is the VJP of [RMSNorm]. With n = x rstd and d = dy w:
//
//	dx = rstd (d - n Σ(d n)/C)    dw = Σ_r dy n
//
// dw is a chain over the rows in token order; with acc it goes on from what is stored.
func RMSNormGrad(p Par, dx, dw, dy, x, w, rstd []float32, R, C int, acc bool) {
	normGrad(p, normGradArgs{isa(p), dx, dw, nil, dy, x, w, nil, rstd, R, C, acc})
}
