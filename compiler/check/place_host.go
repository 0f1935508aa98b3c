package check

import (
	"fmt"
	"math/bits"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/shape"
)

var placeHost = Rule{
	ID: "place.host", Title: "the host tier fits its budget",
	Formula: "Σ alloc(b_i) on the host ≤ host budget, alloc = the allocator's own rounding",
	Doc:     `Host memory is counted as the allocator takes it, buffer by buffer: an allocator that rounds pinned memory up to a power of two takes nearly twice what is asked for in the worst case. gradcue's own host arena is one allocation whose size is the plan's, and memory.hostBudget binds it.`,
	Spec: func(in *Input) []Finding {
		h := &part(in, func(p *shape.Pipeline) *shape.OffloadPipeline { return p.Offload }).Host
		budget, field := h.Budget, "pipeline.offload.host.budget"
		if budget == 0 {
			budget, field = in.Experiment.Memory.HostBudget, "memory.hostBudget"
		}
		if budget == 0 || len(h.Buffers) == 0 {
			return nil
		}
		asked, taken := int64(0), int64(0)
		for _, b := range h.Buffers {
			asked, taken = plus(asked, times(b.Bytes, b.Count)), plus(taken, times(rounded(h, b.Bytes), b.Count))
		}
		if taken <= budget {
			return nil
		}
		f := Finding{Field: field, Related: []string{"pipeline.offload.host.rounding", "pipeline.offload.host.buffers"}, Help: "use an allocator that does not round, cut buffers to sizes that fit its rounding, or offload less",
			Summary: fmt.Sprintf("%s of host memory are asked for, %s are taken", plan.Bytes(asked), plan.Bytes(taken))}
		switch h.Rounding {
		case "power-of-two":
			f.Summary += fmt.Sprintf(" (power-of-two rounding, ×%.4g)", float64(taken)/float64(asked))
		case "unit":
			f.Summary += fmt.Sprintf(" (rounded to multiples of %s, ×%.4g)", plan.Bytes(h.Unit), float64(taken)/float64(asked))
		}
		f.Summary += fmt.Sprintf("; the budget is %s", plan.Bytes(budget))
		return []Finding{f}
	},
	Plan: func(in *Input) []Finding {
		return over("memory.hostBudget", in.Experiment.Memory.HostBudget, in.Plan.Arenas[1].Bytes, "host", in)
	},
}

// rounded is what the allocator takes for a size.
func rounded(h *shape.HostMemory, n int64) int64 {
	switch h.Rounding {
	case "power-of-two":
		if n > 1<<62 {
			return n
		}
		return 1 << bits.Len64(uint64(n-1))
	case "unit":
		return times(ceilDiv(n, h.Unit), h.Unit)
	}
	return n
}
