package cpu

// Add is y = a + b, elementwise over len(y); y may be a or b. It is its own gradient: each branch gets dy.
func Add(p Par, y, a, b []float32) {
	type args struct {
		u       ISA
		y, a, b []float32
	}
	each(p, len(y), elementGrain, args{isa(p), y, a, b}, func(t *args, lo, hi, _ int) {
		t.u.addRow(t.y[lo:hi], t.a[lo:hi], t.b[lo:hi])
	})
}

// addRow is y = a + b.
func addRow(y, a, b []float32) {
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] = a[i] + b[i]
	}
}
