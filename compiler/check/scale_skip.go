package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

var scaleSkip = Rule{
	ID: "scale.skip", Title: "a skipped update changes nothing and is seen", Formula: "not finite ⇒ θ, moments, decay, u and η unchanged; each skip counted and shown; skips in a row ≤ limit",
	Doc: "An update whose gradient is not finite is skipped as a whole: parameters, moments, weight decay, the counter and the schedule stay. Every skip is counted and shown in every precision, and many in a row stop the run; otherwise a run can go on for days without learning. Setting bad numbers to zero and stepping is not a skip: moments and decay move.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		s := &p.update.Skip
		add := func(field, help, text string, args ...any) {
			fs = append(fs, Finding{Field: "pipeline.update." + field, Summary: fmt.Sprintf(text, args...), Help: help})
		}
		switch s.When {
		case "never":
			add("skip.when", "skip an update whose gradient is not finite", "a gradient that is not finite is applied: every parameter becomes not a number")
			return fs
		case "always":
			add("skip.when", "skip only where the gradient is not finite", "every update is skipped, finite or not: 0 updates, expected 1 per step")
			return fs
		}
		if s.Does == "step with zeros" {
			add("skip.does", "skip the update as a whole", "bad numbers of a gradient are set to zero and the step is made: a skipped update changes moments, counter%s", in.decayed())
		} else if len(s.Changes) > 0 {
			add("skip.changes", "leave everything as it was", "a skipped update changes %s%s", list(s.Changes), in.firstRate(&p, s.Changes))
		}
		if i := slices.IndexFunc(p.update.Ticks, func(t shape.Tick) bool { return t.OnSkip }); i >= 0 && !slices.Contains(s.Changes, "schedule") {
			add(fmt.Sprintf("ticks.%d.onSkip", i), "tick only after an applied update", "the schedule ticks on skipped updates%s", in.firstRate(&p, []string{"schedule"}))
		}
		if s.DecidedBy == "each rank" && in.Experiment.Window.Replicas > 1 {
			add("skip.decidedBy", "reduce the check over all ranks", "each of %d ranks decides on its own whether to skip: ranks that step and ranks that skip drift apart", in.Experiment.Window.Replicas)
		}
		limit := in.Experiment.Precision.LossScale.SkipLimit
		if s.Limit != nil {
			limit = *s.Limit
		}
		switch dtype := in.Experiment.Precision.Compute; {
		case !s.Reported && limit == 0:
			add("skip.reported", "count and show each skip, and stop after some in a row", "skips are not visible at this precision (%s), and there is no limit of skips in a row", dtype)
		case !s.Reported:
			add("skip.reported", "count and show each skip", "skips are not visible at this precision (%s)", dtype)
		case limit == 0:
			add("skip.limit", "stop after some skips in a row, such as 20", "there is no limit of skipped updates in a row")
		}
		return fs
	},
}

// decayed says what decoupled decay does to a parameter on a skip.
func (in *Input) decayed() string {
	d := in.Experiment.Optimizer.WeightDecay
	if d == nil || *d == 0 {
		return ""
	}
	return fmt.Sprintf(" and parameters (by decay: w = 1 becomes %s)", number6(1-in.Experiment.Optimizer.LR**d))
}

// number6 prints a number near 1.
func number6(x float64) string { return fmt.Sprintf("%.6g", x) }

// firstRate is the rate of the first applied update where the schedule ticks on
// skips, from the skips that were seen at the start.
func (in *Input) firstRate(p *pipe, changes []string) string {
	n := p.update.Skip.Seen
	if n == 0 || !slices.Contains(changes, "schedule") {
		return ""
	}
	return fmt.Sprintf(": after %d skips the first applied update uses %s of the peak rate, expected %s", n, number(in.factorAt(n+1)), number(in.factorAt(1)))
}
