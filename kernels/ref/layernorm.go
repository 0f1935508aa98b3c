package ref

import "math"

// LayerNorm is mean = Σx/C, rstd = 1/√(Σ(x-mean)²/C + eps), y = (x-mean) rstd w + b for each row (arXiv:1607.06450).
func LayerNorm(y, mean, rstd, x, w, b []float64, R, C int, eps float64) {
	for r := range R {
		row := x[r*C : (r+1)*C]
		sum, square := 0.0, 0.0
		for _, v := range row {
			sum += v
		}
		mean[r] = sum / float64(C)
		for _, v := range row {
			square += (v - mean[r]) * (v - mean[r])
		}
		rstd[r] = 1 / math.Sqrt(square/float64(C)+eps)
	}
	LayerNormApply(y, x, mean, rstd, w, b, R, C)
}

// LayerNormApply computes y of [LayerNorm] from the statistics; b may be nil.
func LayerNormApply(y, x, mean, rstd, w, b []float64, R, C int) {
	for r := range R {
		for c := range C {
			v := (x[r*C+c] - mean[r]) * rstd[r] * w[c]
			if b != nil {
				v += b[c]
			}
			y[r*C+c] = v
		}
	}
}

// LayerNormGrad is the VJP of [LayerNorm]: with n = (x-mean) rstd and d = dy w,
// dx = rstd (d - Σd/C - n Σ(d n)/C), dw += dy n, db += dy; db may be nil.
func LayerNormGrad(dx, dw, db, dy, x, w, mean, rstd []float64, R, C int, acc bool) {
	start(dw[:C], acc)
	if db != nil {
		start(db[:C], acc)
	}
	for r := range R {
		sum, dot := 0.0, 0.0
		for c := range C {
			n, up := (x[r*C+c]-mean[r])*rstd[r], dy[r*C+c]
			dw[c] += up * n
			if db != nil {
				db[c] += up
			}
			sum += up * w[c]
			dot += up * w[c] * n
		}
		for c := range C {
			n := (x[r*C+c] - mean[r]) * rstd[r]
			dx[r*C+c] = rstd[r] * (dy[r*C+c]*w[c] - sum/float64(C) - n*dot/float64(C))
		}
	}
}
