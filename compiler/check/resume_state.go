package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

var resumeState = Rule{
	ID: "resume.state", Title: "a checkpoint holds everything", Formula: "saved ⊇ {parameters, master copies, moments, update counter, scaler, random streams, data cursor}; η = f(counter)",
	Doc: "A resumed run is the same run only if everything that changes is saved and restored: the loss scaler with all its fields, the optimizer's moments and counter, random streams, and the place in the data. The rate is a function of the counter of updates: a schedule object has to be saved, and has to drive the optimizer that is in use after loading.",
	Spec: func(in *Input) (fs []Finding) {
		r := in.pipeline().resume
		if r.Saves != nil {
			var lacks []string
			for _, s := range in.needed(r) {
				if !slices.Contains(r.Saves, s) && !slices.Contains(r.Restarts, s) {
					lacks = append(lacks, stateNames[s])
				}
			}
			if len(lacks) > 0 {
				fs = append(fs, Finding{Field: "pipeline.resume.saves", Summary: fmt.Sprintf("a checkpoint lacks %s: a resumed run differs from %s on%s", list(lacks), in.nextUpdate(r), in.restarted(r, in.missing(r))), Help: "save it, and restore it"})
			}
		}
		var anew []string
		for _, s := range r.Restarts {
			if s != "scaler" || in.Experiment.Precision.LossScale.Kind == "dynamic" {
				anew = append(anew, stateNames[s])
			}
		}
		if len(anew) > 0 {
			fs = append(fs, Finding{Field: "pipeline.resume.restarts", Summary: fmt.Sprintf("a resumed run starts anew with %s: it differs from %s on%s", list(anew), in.nextUpdate(r), in.restarted(r, r.Restarts)), Help: "restore it from the checkpoint"})
		}
		if r.Scaler != nil && in.Experiment.Precision.LossScale.Kind == "dynamic" {
			for _, f := range []struct{ id, text string }{{"scale", "the scale"}, {"cleanUpdates", "the number of updates since the scale changed"}} {
				if !slices.Contains(r.Scaler, f.id) {
					fs = append(fs, Finding{Field: "pipeline.resume.scaler", Related: []string{"precision.lossScale.growthEvery"}, Help: "save every field of the scaler",
						Summary: fmt.Sprintf("the saved loss scaler lacks %s: the scale grows after %d clean updates, and their count starts again at each save", f.text, in.Experiment.Precision.LossScale.GrowthEvery)})
					break
				}
			}
		}
		if r.Schedule == "stale object" {
			fs = append(fs, Finding{Field: "pipeline.resume.schedule", Summary: "after resuming, the schedule changes the rate of an optimizer that is not used any more: the rate stays constant" + in.stale(r), Help: "compute the rate from the counter of updates"})
		}
		return fs
	},
}

var stateNames = map[shape.State]string{
	"parameters": "the parameters", "master": "the master copies", "moments": "the optimizer's moments", "updates": "the counter of updates", "schedule": "the schedule",
	"scaler": "the loss scaler", "random": "the random streams", "cursor": "the place in the data", "epoch": "the epoch",
	"gradients": "the gradients of an unfinished window", "average": "the average of the parameters",
}

// needed is what a checkpoint of this spec must hold.
func (in *Input) needed(r *shape.ResumePipeline) []shape.State {
	x := in.Experiment
	out := []shape.State{"parameters"}
	if x.Precision.Master != x.Precision.Params {
		out = append(out, "master")
	}
	if x.Optimizer.Kind == "adamw" || x.Optimizer.Momentum != nil && *x.Optimizer.Momentum > 0 {
		out = append(out, "moments")
	}
	out = append(out, "updates")
	if r.Schedule == "saved object" {
		out = append(out, "schedule")
	}
	if x.Precision.LossScale.Kind == "dynamic" {
		out = append(out, "scaler")
	}
	if x.Dropout.Rate > 0 || x.Dropout.Attention > 0 || in.pipeline().data.Order == "random stream" {
		out = append(out, "random")
	}
	return append(out, "cursor")
}

func (in *Input) missing(r *shape.ResumePipeline) (out []shape.State) {
	for _, s := range in.needed(r) {
		if !slices.Contains(r.Saves, s) {
			out = append(out, s)
		}
	}
	return out
}

func (in *Input) nextUpdate(r *shape.ResumePipeline) string {
	if r.At == nil {
		return "the next update"
	}
	return fmt.Sprintf("update %d", *r.At+1)
}

// restarted puts numbers to what begins anew.
func (in *Input) restarted(r *shape.ResumePipeline, states []shape.State) string {
	if slices.Contains(states, "scaler") && in.Experiment.Precision.LossScale.Kind == "dynamic" {
		return fmt.Sprintf(" (the scale is %s again)", number(in.Experiment.Precision.LossScale.Value))
	}
	if r.At != nil && (slices.Contains(states, "schedule") || slices.Contains(states, "updates")) {
		lr := in.Experiment.Optimizer.LR
		return fmt.Sprintf(" (the rate is %s, expected %s)", number(lr*in.factorAt(1)), number(lr*in.factorAt(*r.At+1)))
	}
	return ""
}

// stale is the rate that stays, and the one that the schedule says at the end.
func (in *Input) stale(r *shape.ResumePipeline) string {
	if r.At == nil {
		return ""
	}
	lr := in.Experiment.Optimizer.LR
	return fmt.Sprintf(" at %s, while the schedule goes down to %s", number(lr*in.factorAt(max(1, *r.At))), number(lr*in.factorAt(in.Experiment.Schedule.Updates)))
}
