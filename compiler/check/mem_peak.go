package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/shape"
)

var memPeak = Rule{
	ID: "mem.peak", Title: "the peak fits the budget",
	Formula: "max_t Σ a_i(t) b_i ≤ budget, over forward, head, backward, reduce, step of the first update, later ones and the first after a resume",
	Doc:     `Every byte has an owner with a size and a life: parameters, master copies, gradients, optimizer state, temporaries of the step, activations, logits and each of their copies, staging. The peak is over all phases and over the first update, later ones and the first after a resume, since optimizer state appears with the first step and a loaded checkpoint may be there twice. A prediction that leaves out an owner is found by comparing it with the sum of the owners. The life of logits ends with the backward of the loss: a reference that survives into the next update adds to its forward. One graph is alive at a time: backward once per window keeps those of all micro-batches. A probe for the batch size must run the step as well. In a caching allocator the largest hole counts, not the sum of free bytes. gradcue's own device arena is allocated once, with an offset for every buffer: its size is the plan's, the same in the first update, later ones and after a resume, and memory.budget binds it, fragments included.`,
	Spec: func(in *Input) []Finding {
		r := memory(in)
		for _, step := range []func() []Finding{r.unsized, r.lives, r.omitted, r.overBudget} {
			if fs := step(); len(fs) > 0 {
				return append(fs, r.holes()...)
			}
		}
		return r.holes()
	},
	Plan: func(in *Input) []Finding {
		return over("memory.budget", in.Experiment.Memory.Budget, in.Plan.Arenas[0].Bytes, "device", in)
	},
}

// over compares an arena of gradcue's own plan with its budget.
func over(field string, budget, arena int64, tier string, in *Input) []Finding {
	if budget <= 0 || arena <= budget {
		return nil
	}
	p := &in.Plan.Predictions
	var owners []string
	for _, o := range p.OwnersAtPeak[:min(3, len(p.OwnersAtPeak))] {
		owners = append(owners, fmt.Sprintf("%s %s", o.Name, plan.Bytes(o.Bytes)))
	}
	f := Finding{Field: field, Summary: fmt.Sprintf("the %s arena needs %s, the budget is %s: %s are missing", tier, plan.Bytes(arena), plan.Bytes(budget), plan.Bytes(arena-budget))}
	if tier != "device" {
		f.Help = "offload fewer blocks or tensors"
		return []Finding{f}
	}
	f.Summary += fmt.Sprintf("; the peak is in %s at %s, owned by %s", p.Peak.Section, p.Peak.What, strings.Join(owners, ", "))
	var sections []string
	for _, s := range p.Sections {
		sections = append(sections, fmt.Sprintf("%s %s", s.Section, plan.Bytes(s.Bytes)))
	}
	if len(sections) > 1 {
		f.Summary += fmt.Sprintf("; peaks of the sections: %s; the same in the first update, later ones and after a resume", strings.Join(sections, ", "))
	}
	f.Help = "recompute (checkpointing.policy: \"full\"), offload, or use smaller micro-batches with more of them"
	return []Finding{f}
}

// unsized are owners whose size or life nothing says.
func (r *remembering) unsized() (fs []Finding) {
	for i := range r.Owners {
		o := &r.Owners[i]
		switch until := slices.Index(memPhases, o.Until); {
		case r.size(o) < 0 && o.Without == nil:
			fs = append(fs, Finding{Field: memOwnerField(i), Summary: fmt.Sprintf("memory owner %s has no size", o.Name), Help: "give bytes, perParameter, or tokens and width"})
		case until >= 0 && until < slices.Index(memPhases, string(o.From)):
			fs = append(fs, Finding{Field: memOwnerField(i) + ".until", Summary: fmt.Sprintf("memory owner %s ends in %s, before it starts in %s", o.Name, o.Until, o.From), Help: "use next-forward or next-head where it lives into the next update"})
		}
	}
	return fs
}

// lives are owners that live longer than they should.
func (r *remembering) lives() (fs []Finding) {
	for i := range r.Owners {
		o := &r.Owners[i]
		if o.Grows {
			fs = append(fs, r.leak(i))
			continue
		}
		if _, crosses := strings.CutPrefix(o.Until, "next-"); !crosses {
			continue
		}
		with := r.peak(r.size, memUpdates, memPhases)
		fs = append(fs, Finding{Field: memOwnerField(i) + ".until", Help: "drop the last reference after its backward",
			Summary: fmt.Sprintf("%s of an update (%s) are still alive in the next one, until %s: peak %s in %s", o.Name, plan.Bytes(r.size(o)), strings.TrimPrefix(o.Until, "next-"), plan.Bytes(with.bytes), with)})
	}
	k := r.in.Experiment.Window.MicroBatches
	if r.Backward != "whole-window" || k < 2 {
		return fs
	}
	one := int64(0)
	var names, fields []string
	for i := range r.Owners {
		if o := &r.Owners[i]; o.Is == "activations" || o.Is == "logits" {
			one = plus(one, max(0, r.size(o)))
			names, fields = append(names, o.Name), append(fields, memOwnerField(i))
		}
	}
	f := Finding{Field: "pipeline.memory.backward", Related: append(fields, "window.microBatches"), Help: "run backward after each micro-batch, and divide the gradient by the count of the window afterwards",
		Summary: fmt.Sprintf("one backward for the whole window keeps the graphs of all %d micro-batches", k)}
	if one > 0 {
		f.Summary += fmt.Sprintf(": %s take %s instead of %s", strings.Join(names, ", "), plan.Bytes(times(one, k)), plan.Bytes(one))
	}
	return append(fs, f)
}

// leak is an owner of which every update adds one.
func (r *remembering) leak(i int) Finding {
	o := &r.Owners[i]
	each := r.size(o)
	f := Finding{Field: memOwnerField(i) + ".grows", Help: "keep the number and not the tensor, so that the graph is freed",
		Summary: fmt.Sprintf("every update adds %s of %s and frees none: %s after the %d updates of the run", plan.Bytes(each), o.Name, plan.Bytes(times(each, r.in.Experiment.Schedule.Updates)), r.in.Experiment.Schedule.Updates)}
	budget, peak := r.limit(), r.peak(r.size, memUpdates, memPhases).bytes
	if budget > peak && each > 0 {
		f.Summary += fmt.Sprintf("; the budget of %s ends after %d updates", plan.Bytes(budget), (budget-peak)/each+1)
	}
	return f
}

// limit is the budget in force, 0 for none.
func (r *remembering) limit() int64 {
	if r.Budget > 0 {
		return r.Budget
	}
	return r.in.Experiment.Memory.Budget
}

// omitted compares what somebody expects with the owners: a predicted peak, and
// a probe that does not run every phase.
func (r *remembering) omitted() (fs []Finding) {
	if len(r.Owners) == 0 {
		return nil
	}
	peak := r.peak(r.size, memUpdates, memPhases)
	owners, fields := r.largest(peak)
	if p := r.Predicted; p > 0 && math.Abs(float64(peak.bytes-p)) > r.Tolerance*float64(peak.bytes) {
		fs = append(fs, Finding{Field: "pipeline.memory.predicted", Related: fields, Help: "give every byte an owner in the prediction: copies, temporaries of the step, state",
			Summary: fmt.Sprintf("the predicted peak is %s, but the owners add up to %s in %s: %s", plan.Bytes(p), plan.Bytes(peak.bytes), peak, owners)})
	}
	if r.Probe == nil {
		return fs
	}
	seen := r.peak(r.size, []string{"first-update"}, r.Probe.Phases)
	if peak.bytes <= seen.bytes {
		return fs
	}
	var missed []string
	for i := range r.Owners {
		o := &r.Owners[i]
		if alive(o, peak.update, peak.phase) && !slices.ContainsFunc(r.Probe.Phases, func(p string) bool { return alive(o, "first-update", p) }) {
			missed = append(missed, fmt.Sprintf("%s %s", o.Name, plan.Bytes(r.size(o))))
		}
	}
	why := ""
	if len(missed) > 0 {
		why = ": it never sees " + strings.Join(missed, ", ")
	}
	return append(fs, Finding{Field: "pipeline.memory.probe.phases", Related: fields, Help: "let the probe run two whole updates, the optimizer's step included",
		Summary: fmt.Sprintf("the probe sees a peak of %s, the run has %s in %s, %s more%s", plan.Bytes(max(0, seen.bytes)), plan.Bytes(peak.bytes), peak, plan.Bytes(peak.bytes-max(0, seen.bytes)), why)})
}

// overBudget compares the peak with the budget.
func (r *remembering) overBudget() []Finding {
	budget, field := r.limit(), "pipeline.memory.budget"
	if r.Budget == 0 {
		field = "memory.budget"
	}
	peak := r.peak(r.size, memUpdates, memPhases)
	if budget == 0 || peak.bytes <= budget {
		return nil
	}
	owners, fields := r.largest(peak)
	f := Finding{Field: field, Related: fields, Help: "shorten or shrink the largest owners, recompute, offload, or use smaller micro-batches with more of them",
		Summary: fmt.Sprintf("peak %s in %s, budget %s; largest owners: %s", plan.Bytes(peak.bytes), peak, plan.Bytes(budget), owners)}
	for i := range r.Owners {
		if o := &r.Owners[i]; o.Is == "logits" && o.TrainedShare < 1 && alive(o, peak.update, peak.phase) {
			f.Summary += fmt.Sprintf("; only %.4g %% of the positions of %s carry loss, which need %s", 100*o.TrainedShare, o.Name, plan.Bytes(int64(o.TrainedShare*float64(r.size(o)))))
			f.Help = "make logits only where a target carries loss, or in chunks"
		}
	}
	return []Finding{f}
}

// holes checks that a request finds a hole in a segment of an allocator.
func (r *remembering) holes() []Finding {
	a := r.Allocator
	if a == nil {
		return nil
	}
	live := slices.Clone(a.Live)
	slices.SortStableFunc(live, func(x, y shape.LiveBlock) int { return int(max(-1, min(1, x.At-y.At))) })
	end, largest, used := int64(0), int64(0), int64(0)
	for _, b := range live {
		largest = max(largest, b.At-end)
		end = max(end, plus(b.At, b.Bytes))
		used = plus(used, b.Bytes)
	}
	largest = max(largest, a.Bytes-end)
	if a.Request <= largest {
		return nil
	}
	return []Finding{{Field: "pipeline.memory.allocator.request", Related: []string{"pipeline.memory.allocator.bytes", "pipeline.memory.allocator.live"},
		Help:    "give every buffer an offset before the run, or keep small long-lived blocks out of large segments",
		Summary: fmt.Sprintf("a request of %s finds no room in a segment of %s: %s are free, but the largest hole is %s between %s", plan.Bytes(a.Request), plan.Bytes(a.Bytes), plan.Bytes(max(0, a.Bytes-used)), plan.Bytes(largest), plural(int64(len(live)), "live block"))}}
}
