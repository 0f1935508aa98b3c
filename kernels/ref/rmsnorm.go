package ref

import "math"

// RMSNorm is rstd = 1/√(Σx²/C + eps), y = x rstd w for each row (arXiv:1910.07467).
func RMSNorm(y, rstd, x, w []float64, R, C int, eps float64) {
	for r := range R {
		square := 0.0
		for _, v := range x[r*C : (r+1)*C] {
			square += v * v
		}
		rstd[r] = 1 / math.Sqrt(square/float64(C)+eps)
	}
	RMSNormApply(y, x, rstd, w, R, C)
}

// RMSNormApply computes y of [RMSNorm] from the statistic.
func RMSNormApply(y, x, rstd, w []float64, R, C int) {
	for r := range R {
		for c := range C {
			y[r*C+c] = x[r*C+c] * rstd[r] * w[c]
		}
	}
}

// RMSNormGrad is the VJP of [RMSNorm]: with n = x rstd and d = dy w, dx = rstd (d - n Σ(d n)/C), dw += dy n.
func RMSNormGrad(dx, dw, dy, x, w, rstd []float64, R, C int, acc bool) {
	start(dw[:C], acc)
	for r := range R {
		dot := 0.0
		for c := range C {
			n := x[r*C+c] * rstd[r]
			dw[c] += dy[r*C+c] * n
			dot += dy[r*C+c] * w[c] * n
		}
		for c := range C {
			n := x[r*C+c] * rstd[r]
			dx[r*C+c] = rstd[r] * (dy[r*C+c]*w[c] - n*dot/float64(C))
		}
	}
}
