package cpu

// Add is y = a + b, elementwise over len(y); y may be a or b. It is its own gradient: each branch gets dy.
func Add(p Par, y, a, b []float32) {
	u := isa(p)
	p.For(len(y), elementGrain, func(lo, hi, _ int) { u.addRow(y[lo:hi], a[lo:hi], b[lo:hi]) })
}

// addRow is y = a + b.
func addRow(y, a, b []float32) {
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] = a[i] + b[i]
	}
}
