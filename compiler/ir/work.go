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
		return 4 * int64(s.dim(rows, 0)) * int64(s.dim(weight, i))
	}
}
