package cpu

// Add is y = a + b, elementwise over len(y); y may be a or b. It is its own gradient: each branch gets dy.
func Add(p Par, y, a, b []float32) {
	p.For(len(y), elementGrain, func(lo, hi, _ int) {
		dst, u, v := y[lo:hi], a[lo:hi], b[lo:hi]
		u, v = u[:len(dst)], v[:len(dst)]
		for i := range dst {
			dst[i] = u[i] + v[i]
		}
	})
}
