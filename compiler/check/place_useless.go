package check

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

var placeUseless = Rule{
	ID: "place.useless", Title: "recompute and offload lower the peak",
	Formula: "peak(with) < peak(without); bytes(inside) > bytes(inputs); exposed = max(0, copy − gap); parameters ∉ offloaded activations",
	Doc:     `Recompute and offload cost time, so they must lower the peak. They do not where the peak is somewhere else, where the condition they depend on is never true, where a segment keeps as much as it would have kept, where what is run again stays until the end of backward, where hooks ship parameters along with activations, or where staging memory is allocated in the step, which stops the overlap. For gradcue's own plan the same experiment is planned without its checkpointing and offload, and the two peaks are compared; an offload of no more blocks than staging slots moves nothing, and an optimizer without moments has nothing to offload.`,
	Spec: func(in *Input) []Finding {
		fs := uselessSegments(in)
		o := part(in, func(p *shape.Pipeline) *shape.OffloadPipeline { return p.Offload })
		fs = append(fs, shipped(o)...)
		fs = append(fs, exposed(o)...)
		fs = append(fs, memory(in).useless()...)
		for i := range fs {
			fs[i].Severity = diag.Warning
		}
		return fs
	},
	Plan: func(in *Input) []Finding {
		fs := append(idle(in), stateless(in)...)
		if len(fs) == 0 {
			fs = uselessPlan(in)
		}
		return fs
	},
}

// uselessSegments are recomputed segments that save nothing; one reason each.
func uselessSegments(in *Input) (fs []Finding) {
	r := recompute(in)
	for i := range r.Segments {
		s := &r.Segments[i]
		field := fmt.Sprintf("pipeline.recompute.segments.%d", i)
		all := int64(0)
		if s.Bytes != nil {
			all = times(s.Bytes.Without, s.Count)
		}
		switch {
		case s.Needs != "any" && s.Needs != s.Mode:
			f := Finding{Field: field + ".mode", Related: []string{field + ".needs"}, Help: "tie recompute to gradients and not to the mode, or run the module in the mode it needs",
				Summary: fmt.Sprintf("segment %s is recomputed in %s mode only, but runs in %s mode", s.Name, s.Needs, s.Mode)}
			if s.Bytes != nil {
				with := plus(times(s.Bytes.With, s.Count), s.Bytes.Without)
				f.Summary += fmt.Sprintf(": %s stay, where %s was meant", plan.Bytes(all), plan.Bytes(with))
			} else {
				f.Summary += ": nothing is saved"
			}
			fs = append(fs, f)
		case s.Bytes != nil && s.Bytes.With >= s.Bytes.Without:
			fs = append(fs, Finding{Field: field + ".bytes", Help: "recompute a larger segment, or none",
				Summary: fmt.Sprintf("segment %s saves nothing: it keeps %d B without recompute and %d B with it", s.Name, s.Bytes.Without, s.Bytes.With)})
		case s.Releases == "at-end":
			f := Finding{Field: field + ".releases", Help: "free each result of the second run after its last reader",
				Summary: fmt.Sprintf("what segment %s runs again stays until the end of backward, so the peak is as high as without recompute", s.Name)}
			if s.Bytes != nil {
				f.Summary += fmt.Sprintf(": %s instead of %s", plan.Bytes(plus(all, times(s.Bytes.With, s.Count))), plan.Bytes(plus(times(s.Bytes.With, s.Count), s.Bytes.Without)))
			}
			fs = append(fs, f)
		}
	}
	return fs
}

// shipped are tensors of another kind in an offload set.
func shipped(o *shape.OffloadPipeline) (fs []Finding) {
	for i, s := range o.Sets {
		total, first := int64(0), -1
		var names []string
		for k, h := range s.Holds {
			if h.Is == s.Of || h.Is != "parameters" {
				continue
			}
			if first < 0 {
				first = k
			}
			names = append(names, h.Name)
			total = plus(total, times(h.Bytes, h.Count))
		}
		if first < 0 {
			continue
		}
		f := Finding{Field: fmt.Sprintf("pipeline.offload.sets.%d.holds.%d", i, first), Related: []string{fmt.Sprintf("pipeline.offload.sets.%d", i)}, Help: "leave out parameters: they stay on the device anyway",
			Summary: fmt.Sprintf("offload set %s of %s also ships parameters (%s)", s.Name, s.Of, strings.Join(names, ", "))}
		if total > 0 {
			f.Summary += fmt.Sprintf(": %s are moved for nothing", plan.Bytes(total))
		}
		fs = append(fs, f)
	}
	return fs
}

// exposed shows what allocating in the step costs.
func exposed(o *shape.OffloadPipeline) []Finding {
	if o.Pool.Allocated != "in-step" {
		return nil
	}
	want, seen, n := 0.0, 0.0, int64(0)
	for _, t := range o.Transfers {
		c := float64(t.Count)
		want += c * max(0, t.Ms-t.HiddenMs)
		seen += c * t.Ms
		n += t.Count
	}
	f := Finding{Field: "pipeline.offload.pool.allocated", Help: "allocate the pool before the first step and reuse it",
		Summary: "staging memory is allocated in the step, which waits for the device: no copy overlaps with work"}
	if n > 0 {
		f.Related = []string{"pipeline.offload.transfers"}
		f.Summary += fmt.Sprintf("; %d of them add %.4g ms per update instead of %.4g ms", n, seen, want)
	}
	return []Finding{f}
}
