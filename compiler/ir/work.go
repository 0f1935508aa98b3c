package ir

import "github.com/gradcue/gradcue/kernels/scratch"

// The scratch columns of the op table: sizes in bytes for the CPU target.

func headWork(s *shapes, workers int) int64 {
	return 4 * scratch.Head(s.dim("x", 0), s.dim("x", 1), s.dim("w", 0))
}

func attentionWork(s *shapes, workers int) int64 {
	return 4 * scratch.Attention(s.attr.SeqLen, workers)
}

func attentionGradWork(s *shapes, workers int) int64 {
	return 4 * scratch.AttentionGrad(workers)
}

// resultWork is room for the chains of a product whose result has 16 bits: the
// rows of one argument by dimension i of the weight.
func resultWork(rows, weight string, i int) func(*shapes, int) int64 {
	return func(s *shapes, workers int) int64 {
		if !s.arg(rows).DType.Half() {
			return 0
		}
		return 4 * scratch.Result(s.dim(rows, 0), s.dim(weight, i))
	}
}

// Workspace is the scratch space in bytes that one application needs on the
// CPU target with the given number of workers: what its kernel works in, then
// the operands that are widened.
func (o Op) Workspace(attr Attr, args []Type, workers int) int64 {
	_, end := o.Widened(attr, args, workers)
	return end
}

// Wide is an operand stored in 16 bits, which the CPU target widens to f32 in
// the scratch space of the command, because its kernel does not read it directly.
type Wide struct {
	Arg, Result int // position in the op table, -1 when it is the other
	Offset      int64
	Elems       int64
}

// Widened lists the widened operands, arguments first and then the results with
// storage of their own, and the end of the scratch space. Offsets are multiples
// of 64 bytes.
func (o Op) Widened(attr Attr, args []Type, workers int) (list []Wide, end int64) {
	s, err := o.shapes(attr, args)
	if err != nil {
		return nil, 0
	}
	if table[o].work != nil {
		end = table[o].work(s, workers)
	}
	info := &table[o]
	if info.shape == nil || o.Copies() {
		return nil, end
	}
	add := func(arg, result int, t Type, p Param) {
		if p.Direct || !t.DType.Half() {
			return
		}
		at := (end + 63) &^ 63
		list = append(list, Wide{arg, result, at, t.Elems()})
		end = at + 4*t.Elems()
	}
	for i, t := range args {
		add(i, -1, t, info.Args[i])
	}
	for i, t := range info.shape(s) {
		if o.Over(i) < 0 {
			add(-1, i, t, info.Results[i])
		}
	}
	if s.err != nil {
		return nil, 0
	}
	return list, end
}

// Copies reports whether an op moves bytes without looking at them.
func (o Op) Copies() bool { return o == OpCopyOut || o == OpCopyIn || o == OpCopyStage }
