package cpu

// each runs body over [0,n) as p.For does, with the values that it works on in a. A body that captures nothing and
// finds all it needs in a is no closure, so that a kernel need not allocate one for the workers of p.
//
// The place of a is kept by the Par between calls, if it has a method
//
//	Keep() *[]any
//
// whose list starts empty and is the kernels' alone; with another Par each call allocates it.
func each[A any](p Par, n, grain int, a A, body func(a *A, lo, hi, worker int)) {
	c := callOf[A](p)
	c.args, c.body = a, body
	p.For(n, grain, c.piece)
	*c = call[A]{piece: c.piece} // no pointer into the caller's memory stays
}

// call is one use of [each]: the body, its values, and both as what For takes.
type call[A any] struct {
	args  A
	body  func(a *A, lo, hi, worker int)
	piece func(lo, hi, worker int)
}

// callOf finds the call with values of type A that p keeps. Kernels do not nest, so that it is free.
func callOf[A any](p Par) *call[A] {
	var kept *[]any
	if k, ok := p.(interface{ Keep() *[]any }); ok {
		kept = k.Keep()
		for _, v := range *kept {
			if c, ok := v.(*call[A]); ok {
				return c
			}
		}
	}
	c := new(call[A])
	c.piece = func(lo, hi, worker int) { c.body(&c.args, lo, hi, worker) }
	if kept != nil {
		*kept = append(*kept, c)
	}
	return c
}
