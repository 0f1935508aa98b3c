package check

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gradcue/gradcue/spec/shape"
)

// graphRules are the rules on attention, recompute, offload, graph, memory and auxiliary losses.
func graphRules() []Rule {
	return []Rule{
		attnVisible, attnScale, attnDocs, attnHeads,
		rematInput, rematRNG, rematPure,
		placeUseless, placeOrder, placeHost,
		gradAlias, gradReach, gradSave, gradCover,
		memPeak, memReport, auxLoss,
	}
}

// part is a section of the described pipeline, or its zero value, which
// describes nothing.
func part[T any](in *Input, of func(*shape.Pipeline) *T) *T {
	if p := in.Experiment.Pipeline; p != nil {
		if x := of(p); x != nil {
			return x
		}
	}
	return new(T)
}

// times is a*b, or the largest number where that is more.
func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// plus is a+b, or the largest number where that is more.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// ceilDiv is a/b, rounded up.
func ceilDiv(a, b int64) int64 { return a/b + min(a%b, 1) }

// plural is a number with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
