package cpu

import "github.com/gradcue/gradcue/kernels/scratch"

// epilogue is what becomes of the elements of a product once their chains are complete, done while they are in a cache:
//
//	c → rounded to the type of out, stored there → plus add, stored again
//	                                             → GELU, stored in act
//
// A stage without its matrix is left out.
type epilogue struct {
	out  Matrix // 16 bits; nothing to do for a float32 result, which is c
	add  Matrix
	act  Matrix
	tanh bool
}

// empty reports whether there is nothing to do.
func (e *epilogue) empty() bool { return !e.out.half() && e.add.none() && e.act.none() }

// row finishes the n <= wide elements c, which are those of the results from the one at on. c becomes what is stored.
func (e *epilogue) row(u ISA, c []float32, at int) {
	if e.out.half() {
		e.out.store(u, at, c)
	}
	if !e.add.none() {
		e.sum(u, c, at)
	}
	if e.act.none() {
		return
	}
	if e.out.half() {
		e.out.load(u, c, at)
	}
	if !e.act.half() {
		u.gelu(e.act.wide[at:][:len(c)], c, e.tanh)
		return
	}
	var buf [wide]float32
	y := buf[:len(c)]
	u.gelu(y, c, e.tanh)
	e.act.store(u, at, y)
}

// sum adds to c, of 16 bits to what is stored of it.
func (e *epilogue) sum(u ISA, c []float32, at int) {
	if !e.out.half() {
		u.addRow(c, e.add.wide[at:][:len(c)], c)
		return
	}
	var buf [wide]float32
	e.out.load(u, c, at)
	u.addRow(c, e.add.row(u, buf[:], at, len(c)), c)
	e.out.store(u, at, c)
}

// apply finishes all elements of a product that was computed without its epilogue.
func (e epilogue) apply(p Par, c []float32) {
	if e.empty() {
		return
	}
	type args struct {
		epilogue
		u ISA
		c []float32
	}
	each(p, len(c), elementGrain, args{e, isa(p), c}, func(t *args, lo, hi, _ int) {
		for ; lo < hi; lo += wide {
			t.row(t.u, t.c[lo:min(hi, lo+wide)], lo)
		}
	})
}

// from is the epilogue of the results without their first i elements.
func (e epilogue) from(i int) epilogue {
	for _, m := range []*Matrix{&e.out, &e.add, &e.act} {
		if !m.none() {
			*m = m.from(i)
		}
	}
	return e
}

// inParts computes the product [M,N] of a, whose k runs along rows, and b, and finishes it: all rows at a time, but of a
// result in 16 bits as many as ws has room for.
func inParts(p Par, ws []float32, a Matrix, b operand, bias []float32, M, N, K int, end epilogue) {
	n := M
	if end.out.half() {
		n = min(M, scratch.ResultRows)
	}
	for i := 0; i < M; i += n {
		rows, part := min(n, M-i), end.from(i*N)
		product(p, chains(ws, part.out, rows*N), operand{a.from(i * K), K, false}, b, bias, rows, N, K, false, part)
	}
}

// chains is where the chains of a result of n elements are kept: in the result, or in ws when it has 16 bits.
func chains(ws []float32, y Matrix, n int) []float32 {
	if y.half() {
		return ws[:n]
	}
	return y.wide[:n]
}
