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
