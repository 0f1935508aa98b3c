package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var rematRNG = Rule{
	ID: "remat.rng", Title: "recompute repeats its random draws",
	Formula: "random op in a recomputed segment ⇒ draws numbered by a counter, or generator state saved and put back",
	Doc:     `A segment that is run a second time must draw the same random numbers, or the gradient belongs to another sample than the loss. Either every draw is a function of a counter, or the state of the generator that the op uses is saved and put back. The same holds for ops that a compiler or a memory planner chooses to recompute: a random op is no candidate unless it can be replayed. gradcue's dropout is a function of seed, place, element and update.`,
	Spec: func(in *Input) (fs []Finding) {
		r := recompute(in)
		for i := range r.Segments {
			s := &r.Segments[i]
			if !r.runsAgain(s) {
				continue
			}
			for k, op := range s.Random {
				if op.Rate != nil && *op.Rate == 0 {
					continue
				}
				field := fmt.Sprintf("pipeline.recompute.segments.%d.random.%d", i, k)
				why := ""
				switch {
				case op.State == "fresh":
					field += ".state"
				case op.State == "saved" && !slices.Contains(s.Generators, op.Generator):
					field += ".generator"
					why = fmt.Sprintf(": its generator is %s, and only %s is put back", op.Generator, strings.Join(s.Generators, ", "))
					if len(s.Generators) == 0 {
						why = fmt.Sprintf(": its generator is %s, and none is put back", op.Generator)
					}
				case op.State == "saved" && !r.randomState:
					field += ".state"
					why = ": settings switch off that random state is kept"
				default:
					continue
				}
				if op.Rate != nil {
					p := *op.Rate
					why += fmt.Sprintf("; at rate %g the two masks differ in %.4g %% of the elements", p, 200*p*(1-p))
				}
				if s.KeepsShare > 0 {
					why += fmt.Sprintf("; the planner may keep a share of %g only, so it chooses what to run again", s.KeepsShare)
				}
				fs = append(fs, Finding{Field: field, Help: "number the draws with a counter, save and restore the generator's state, or keep the op out of recompute",
					Summary: fmt.Sprintf("%s in segment %s would draw again in backward%s", op.Op, s.Name, why)})
			}
		}
		if len(fs) == 0 {
			fs = r.undescribed(in)
		}
		return fs
	},
}

// undescribed: settings give up random state, the model drops, and no segment
// says how its draws repeat.
func (r *recomputing) undescribed(in *Input) []Finding {
	rate, field := in.Experiment.Dropout.Rate, "dropout.rate"
	if rate == 0 {
		rate, field = in.Experiment.Dropout.Attention, "dropout.attention"
	}
	at := slices.IndexFunc(r.Settings, func(s shape.RecomputeSetting) bool { return s.RandomState != nil && !*s.RandomState })
	if rate == 0 || r.randomState || r.off || at < 0 || slices.ContainsFunc(r.Segments, func(s shape.RecomputeSegment) bool { return len(s.Random) > 0 }) {
		return nil
	}
	return []Finding{{Field: fmt.Sprintf("pipeline.recompute.settings.%d.randomState", at), Related: []string{field}, Help: "keep random state, or number the draws with a counter",
		Summary: fmt.Sprintf("dropout would draw again in backward: %s switches off that random state is kept; at rate %g the two masks differ in %.4g %% of the elements", r.Settings[at].By, rate, 200*rate*(1-rate))}}
}
