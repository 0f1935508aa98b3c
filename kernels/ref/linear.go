package ref

// Linear is y[r,n] = Σ_k x[r,k] w[n,k] (+ b[n]); b may be nil.
func Linear(y, x, w, b []float64, R, K, N int) {
	for r := range R {
		for n := range N {
			sum := 0.0
			for k := range K {
				sum += x[r*K+k] * w[n*K+k]
			}
			if b != nil {
				sum += b[n]
			}
			y[r*N+n] = sum
		}
	}
}

// LinearGELU is [Linear] into fc and [GELU] of it into act.
func LinearGELU(fc, act, x, w, b []float64, R, K, N int, tanh bool) {
	Linear(fc, x, w, b, R, K, N)
	GELU(act[:R*N], fc[:R*N], tanh)
}

// LinearAdd is [Linear] and [Add] of r to it.
func LinearAdd(y, r, x, w, b []float64, R, K, N int) {
	Linear(y, x, w, b, R, K, N)
	Add(y[:R*N], r, y)
}

// LinearDX is dx[r,k] = Σ_n dy[r,n] w[n,k].
func LinearDX(dx, dy, w []float64, R, K, N int) {
	for r := range R {
		for k := range K {
			sum := 0.0
			for n := range N {
				sum += dy[r*N+n] * w[n*K+k]
			}
			dx[r*K+k] = sum
		}
	}
}

// LinearDW is dw[n,k] = Σ_r dy[r,n] x[r,k], added to dw with acc.
func LinearDW(dw, dy, x []float64, R, K, N int, acc bool) {
	start(dw[:N*K], acc)
	for n := range N {
		for k := range K {
			for r := range R {
				dw[n*K+k] += dy[r*N+n] * x[r*K+k]
			}
		}
	}
}

// LinearDB is db[n] = Σ_r dy[r,n], added to db with acc.
func LinearDB(db, dy []float64, R, N int, acc bool) {
	start(db[:N], acc)
	for r := range R {
		for n := range N {
			db[n] += dy[r*N+n]
		}
	}
}

// start clears the sums of a gradient unless they are to go on.
func start(sum []float64, acc bool) {
	if !acc {
		clear(sum)
	}
}
