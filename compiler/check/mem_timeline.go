package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/shape"
)

// remembering is the described memory: M_t = Σ a_i(t) b_i over the phases of the
// first update, of later ones, and of the first after a resume.
type remembering struct {
	*shape.MemoryPipeline
	in *Input
}

func memory(in *Input) *remembering {
	return &remembering{part(in, func(p *shape.Pipeline) *shape.MemoryPipeline { return p.Memory }), in}
}

// memPhases are the phases of an update, in order.
var memPhases = []string{"forward", "head", "backward", "reduce", "step"}

// memUpdates are the kinds of update. Later ones come first: of equal peaks theirs is shown.
var memUpdates = []string{"later-updates", "first-update", "resume"}

// memMoment is a phase of a kind of update and what is there.
type memMoment struct {
	update, phase string
	bytes         int64
}

func (m memMoment) String() string {
	return m.phase + map[string]string{"later-updates": " of every update", "first-update": " of the first update", "resume": " of the first update after a resume"}[m.update]
}

// size is b_i, -1 where nothing says it.
func (r *remembering) size(o *shape.MemoryOwner) int64 {
	n := int64(-1)
	tokens, width := o.Tokens, o.Width
	if o.Is == "logits" {
		if tokens == 0 {
			tokens = times(r.in.Experiment.Window.MicroBatchSize, r.in.Experiment.Window.SeqLen)
		}
		if width == 0 {
			width = r.in.Experiment.Model.Vocab
		}
	}
	switch {
	case o.Bytes > 0:
		n = o.Bytes
	case o.PerParameter > 0:
		params := r.Parameters
		if params == 0 {
			params = r.in.Model.Count()
		}
		n = int64(min(math.Round(o.PerParameter*float64(params)), 1<<62))
	case tokens > 0 && width > 0:
		n = times(times(tokens, width), o.Element)
	}
	if n < 0 {
		return n
	}
	return ceilDiv(times(n, o.Count), o.Ranks)
}

// alive is a_i(t).
func alive(o *shape.MemoryOwner, update, phase string) bool {
	if o.Only != "every-update" && o.Only != update {
		return false
	}
	at := slices.Index(memPhases, phase)
	from := max(0, slices.Index(memPhases, string(o.From)))
	next, crosses := strings.CutPrefix(o.Until, "next-")
	switch {
	case crosses:
		return at >= from || update == "later-updates" && at <= slices.Index(memPhases, next)
	case o.Until != "":
		return from <= at && at <= slices.Index(memPhases, o.Until)
	default:
		return update != "first-update" || at >= from
	}
}

// peak is max M_t over some phases and kinds of update, with a size for each owner.
func (r *remembering) peak(size func(*shape.MemoryOwner) int64, updates, phases []string) (best memMoment) {
	best.bytes = -1
	for _, u := range updates {
		for _, p := range phases {
			m := memMoment{u, p, 0}
			for i := range r.Owners {
				if o := &r.Owners[i]; alive(o, u, p) {
					m.bytes = plus(m.bytes, max(0, size(o)))
				}
			}
			if m.bytes > best.bytes {
				best = m
			}
		}
	}
	return best
}

// largest lists the owners at a moment, biggest first, and their fields.
func (r *remembering) largest(m memMoment) (text string, fields []string) {
	var at []int
	for i := range r.Owners {
		if alive(&r.Owners[i], m.update, m.phase) {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int {
		x, y := r.size(&r.Owners[a]), r.size(&r.Owners[b])
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var parts []string
	for _, i := range at[:min(5, len(at))] {
		parts = append(parts, fmt.Sprintf("%s %s", r.Owners[i].Name, plan.Bytes(r.size(&r.Owners[i]))))
		fields = append(fields, memOwnerField(i))
	}
	return strings.Join(parts, ", "), fields
}

func memOwnerField(i int) string { return fmt.Sprintf("pipeline.memory.owners.%d", i) }

// useless compares the peak with the one without the recompute or offload.
func (r *remembering) useless() []Finding {
	saved, first := int64(0), -1
	for i := range r.Owners {
		if o := &r.Owners[i]; o.Without != nil {
			saved = plus(saved, *o.Without-max(0, r.size(o)))
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	with := r.peak(r.size, memUpdates, memPhases)
	without := r.peak(func(o *shape.MemoryOwner) int64 {
		if o.Without != nil {
			return *o.Without
		}
		return r.size(o)
	}, memUpdates, memPhases)
	if with.bytes < without.bytes {
		return nil
	}
	owners, fields := r.largest(with)
	f := Finding{Field: memOwnerField(first), Related: fields, Help: "keep it, and lower what owns the peak"}
	f.Summary = fmt.Sprintf("recompute or offload removes %s from %s, but the peak is %s in %s (%s) with it and %s without", plan.Bytes(saved), r.Owners[first].Name, plan.Bytes(with.bytes), with, owners, plan.Bytes(without.bytes))
	return []Finding{f}
}
