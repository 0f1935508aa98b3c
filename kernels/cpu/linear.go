package cpu

// Linear is y[r,n] = Σ_k x[r,k] w[n,k] (+ b[n]): x [R,K], w [N,K], y [R,N]; b [N] may be nil.
func Linear(p Par, y, x, w, b []float32, R, K, N int) {
	product(p, y, operand{x, K, false}, operand{w, K, false}, b, R, N, K, false)
}

// LinearDX is the VJP of [Linear] with respect to x: dx[r,k] = Σ_n dy[r,n] w[n,k], n ascending.
func LinearDX(p Par, dx, dy, w []float32, R, K, N int) {
	product(p, dx, operand{dy, N, false}, operand{w, K, true}, nil, R, K, N, false)
}

// LinearDW is the VJP of [Linear] with respect to w: dw[n,k] = Σ_r dy[r,n] x[r,k], r ascending.
// With acc the chain of every element goes on from dw.
func LinearDW(p Par, dw, dy, x []float32, R, K, N int, acc bool) {
	product(p, dw, operand{dy, N, true}, operand{x, K, true}, nil, N, K, R, acc)
}

// LinearDB is the VJP of [Linear] with respect to b: db[n] = Σ_r dy[r,n], r ascending; acc as in
// [LinearDW].
func LinearDB(p Par, db, dy []float32, R, N int, acc bool) {
	type args struct {
		u      ISA
		db, dy []float32
		R, N   int
		acc    bool
	}
	each(p, N, columnGrain(R), args{isa(p), db, dy, R, N, acc}, func(t *args, lo, hi, _ int) {
		sum := t.db[lo:hi]
		if !t.acc {
			clear(sum)
		}
		for r := range t.R {
			t.u.addRow(sum, sum, t.dy[r*t.N+lo:r*t.N+hi])
		}
	})
}

// columnGrain is the least number of columns of R rows worth a dispatch; 16 floats are a cache
// line, so that two workers seldom write the same one.
func columnGrain(R int) int {
	return max(16, elementGrain/max(R, 1))
}

// LinearGELU is [Linear] followed by [GELU]: fc [R,N] is the product, act = gelu(fc), with the bits of
// the two calls.
func LinearGELU(p Par, fc, act, x, w, b []float32, R, K, N int, tanh bool) {
	if u := isa(p); u != Go && R > 0 && K > 0 && N > 0 {
		packed{u: u, c: fc, a: operand{x, K, false}, b: operand{w, K, false}, bias: b, M: R, N: N, K: K, act: act, tanh: tanh}.run(p)
		return
	}
	Linear(p, fc, x, w, b, R, K, N)
	GELU(p, act[:R*N], fc[:R*N], tanh)
}
