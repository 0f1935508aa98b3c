package cpu

// Linear is y[r,n] = Σ_k x[r,k] w[n,k] (+ b[n]): x [R,K], w [N,K], y [R,N]; b [N] may be nil.
func Linear(p Par, y, x, w, b []float32, R, K, N int) {
	LinearOf(p, nil, F32(y), F32(x), F32(w), b, R, K, N)
}

// LinearOf is [Linear] of matrices as they are stored; y in 16 bits is rounded, and its chains are kept in
// ws [min(R,1024),N].
func LinearOf(p Par, ws []float32, y, x, w Matrix, b []float32, R, K, N int) {
	inParts(p, ws, x, operand{w, K, false}, b, R, N, K, epilogue{out: y})
}

// LinearDX is the VJP of [Linear] with respect to x: dx[r,k] = Σ_n dy[r,n] w[n,k], n ascending.
func LinearDX(p Par, dx, dy, w []float32, R, K, N int) {
	LinearDXOf(p, nil, F32(dx), F32(dy), F32(w), R, K, N)
}

// LinearDXOf is [LinearDX] of matrices as they are stored; ws as in [LinearOf].
func LinearDXOf(p Par, ws []float32, dx, dy, w Matrix, R, K, N int) {
	inParts(p, ws, dy, operand{w, K, true}, nil, R, K, N, epilogue{out: dx})
}

// LinearDW is the VJP of [Linear] with respect to w: dw[n,k] = Σ_r dy[r,n] x[r,k], r ascending.
// With acc the chain of every element goes on from dw.
func LinearDW(p Par, dw, dy, x []float32, R, K, N int, acc bool) {
	LinearDWOf(p, dw, F32(dy), F32(x), R, K, N, acc)
}

// LinearDWOf is [LinearDW] of operands as they are stored.
func LinearDWOf(p Par, dw []float32, dy, x Matrix, R, K, N int, acc bool) {
	product(p, dw, operand{dy, N, true}, operand{x, K, true}, nil, N, K, R, acc, epilogue{})
}

// LinearDB is the VJP of [Linear] with respect to b: db[n] = Σ_r dy[r,n], r ascending; acc as in
// [LinearDW].
func LinearDB(p Par, db, dy []float32, R, N int, acc bool) { LinearDBOf(p, db, F32(dy), R, N, acc) }

// LinearDBOf is [LinearDB] of an operand as it is stored.
func LinearDBOf(p Par, db []float32, dy Matrix, R, N int, acc bool) {
	type args struct {
		u    ISA
		db   []float32
		dy   Matrix
		R, N int
		acc  bool
	}
	each(p, N, columnGrain(R), args{isa(p), db, dy, R, N, acc}, func(t *args, lo, hi, _ int) {
		if !t.acc {
			clear(t.db[lo:hi])
		}
		strips(lo, hi, func(lo, hi int) {
			var buf [strip]float32
			sum := t.db[lo:hi]
			for r := range t.R {
				t.u.addRow(sum, sum, t.dy.row(t.u, buf[:], r*t.N+lo, hi-lo))
			}
		})
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
	LinearGELUOf(p, nil, F32(fc), F32(act), F32(x), F32(w), b, R, K, N, tanh)
}

// LinearGELUOf is [LinearGELU] of matrices as they are stored; fc in 16 bits is rounded before act is computed from it;
// ws as in [LinearOf].
func LinearGELUOf(p Par, ws []float32, fc, act, x, w Matrix, b []float32, R, K, N int, tanh bool) {
	inParts(p, ws, x, operand{w, K, false}, b, R, N, K, epilogue{out: fc, act: act, tanh: tanh})
}

// LinearAdd is [Linear] followed by [Add]: y = r + (x wᵀ + b), with the bits of the two calls. y is not r [R,N].
func LinearAdd(p Par, y, r, x, w, b []float32, R, K, N int) {
	LinearAddOf(p, nil, F32(y), F32(r), F32(x), F32(w), b, R, K, N)
}

// LinearAddOf is [LinearAdd] of matrices as they are stored; a product in 16 bits is rounded before add is; ws as in
// [LinearOf].
func LinearAddOf(p Par, ws []float32, y, add, x, w Matrix, b []float32, R, K, N int) {
	inParts(p, ws, x, operand{w, K, false}, b, R, N, K, epilogue{out: y, add: add})
}
