package cpu

// Elementwise kernels on matrices in 16 bits: span by span they widen, compute with the kernel of the tier, and round.

// span is the number of elements of a matrix that are held widened at a time; five times that fit a first-level cache.
const span = 1024

type (
	ins  [3]Matrix
	outs [2]Matrix
)

// pointwise is one of these kernels and its matrices.
type pointwise struct {
	p    Par
	u    ISA
	fn   pointFunc
	in   ins
	out  outs
	tanh bool
}

// pointFunc names what is computed of a span. It is no func value, which would move the memory of a span to the heap.
type pointFunc uint8

const (
	pointGELU pointFunc = iota
	pointGELUGrad
	pointAdd
	pointGated
	pointGatedGrad
)

// compute is y = fn(x).
func (t *pointwise) compute(y *[2][]float32, x *[3][]float32) {
	switch t.fn {
	case pointGELU:
		t.u.gelu(y[0], x[0], t.tanh)
	case pointGELUGrad:
		t.u.geluGrad(y[0], x[0], x[1], t.tanh)
	case pointAdd:
		t.u.addRow(y[0], x[0], x[1])
	case pointGated:
		t.u.gated(y[0], x[0], x[1])
	case pointGatedGrad:
		t.u.gatedGrad(y[0], y[1], x[0], x[1], x[2])
	}
}

// span computes n <= span elements; those of each matrix start at in and out. All inputs are read before an output is
// written, so that a matrix may be both. mem is memory of the worker.
func (t *pointwise) span(mem []float32, n int, in [3]int, out [2]int) {
	var x [3][]float32
	var y [2][]float32
	for i := range t.in {
		if !t.in[i].none() {
			x[i] = t.in[i].row(t.u, mem[i*span:][:n], in[i], n)
		}
	}
	for i := range y {
		y[i] = mem[(len(x)+i)*span:][:n]
	}
	t.compute(&y, &x)
	for i := range t.out {
		if !t.out[i].none() {
			t.out[i].store(t.u, out[i], y[i])
		}
	}
}

// memory is room for the spans of all matrices.
func (t *pointwise) memory(worker int) []float32 {
	return memory(t.p, worker, (len(t.in)+len(t.out))*span)
}

// all computes n elements that lie in the same place everywhere.
func (t pointwise) all(p Par, n int) {
	t.p, t.u = p, isa(p)
	each(p, n, elementGrain, t, func(t *pointwise, lo, hi, worker int) {
		mem := t.memory(worker)
		for ; lo < hi; lo += span {
			t.span(mem, min(span, hi-lo), [3]int{lo, lo, lo}, [2]int{lo, lo})
		}
	})
}

// gated computes R rows of which two matrices are the halves of one: in of gate and up, h or dh have F columns.
func (t pointwise) gated(p Par, R, F int) {
	type args struct {
		pointwise
		F int
	}
	t.p, t.u = p, isa(p)
	each(p, R, rowGrain(F), args{t, F}, func(t *args, lo, hi, worker int) {
		mem := t.memory(worker)
		for r := lo; r < hi; r++ {
			for c := 0; c < t.F; c += span {
				gate, up, h := 2*r*t.F+c, (2*r+1)*t.F+c, r*t.F+c
				out := [2]int{h}
				if t.fn == pointGatedGrad {
					out = [2]int{gate, up}
				}
				t.span(mem, min(span, t.F-c), [3]int{gate, up, h}, out)
			}
		}
	})
}

// GELUOf is [GELU] of n elements as they are stored.
func GELUOf(p Par, y, x Matrix, n int, tanh bool) {
	if !x.half() {
		GELU(p, y.wide[:n], x.wide[:n], tanh)
		return
	}
	pointwise{fn: pointGELU, in: ins{x}, out: outs{y}, tanh: tanh}.all(p, n)
}

// GELUGradOf is [GELUGrad] of n elements as they are stored.
func GELUGradOf(p Par, dx, x, dy Matrix, n int, tanh bool) {
	if !x.half() {
		GELUGrad(p, dx.wide[:n], x.wide[:n], dy.wide[:n], tanh)
		return
	}
	pointwise{fn: pointGELUGrad, in: ins{x, dy}, out: outs{dx}, tanh: tanh}.all(p, n)
}

// AddOf is [Add] of n elements as they are stored.
func AddOf(p Par, y, a, b Matrix, n int) {
	if !a.half() {
		Add(p, y.wide[:n], a.wide[:n], b.wide[:n])
		return
	}
	pointwise{fn: pointAdd, in: ins{a, b}, out: outs{y}}.all(p, n)
}

// SwiGLUOf is [SwiGLU] of matrices as they are stored.
func SwiGLUOf(p Par, h, gu Matrix, R, F int) {
	if !gu.half() {
		SwiGLU(p, h.wide, gu.wide, R, F)
		return
	}
	pointwise{fn: pointGated, in: ins{gu, gu}, out: outs{h}}.gated(p, R, F)
}

// SwiGLUGradOf is [SwiGLUGrad] of matrices as they are stored.
func SwiGLUGradOf(p Par, dgu, gu, dh Matrix, R, F int) {
	if !gu.half() {
		SwiGLUGrad(p, dgu.wide, gu.wide, dh.wide, R, F)
		return
	}
	pointwise{fn: pointGatedGrad, in: ins{gu, gu, dh}, out: outs{dgu, dgu}}.gated(p, R, F)
}
