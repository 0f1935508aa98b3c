package check

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/spec/shape"
)

var maskEmpty = Rule{
	ID: "mask.empty", Title: "nothing to train has a policy", Formula: "N = 0 ⇒ skip, zero or stop; a mean per micro-batch needs min_k N_k ≥ 1; share of samples without targets ≤ limit",
	Doc: "A micro-batch, a window or a sample can be without a trained position. A mean over nothing is 0/0, and one such number makes every parameter not a number. Divide by the count of the window, or say what an empty one gives; every loss implementation must give the same. Samples in which nothing is trained are a mistake of the mask more often than of the text.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		over := p.loss.Over
		if p.loss.EmptyMicroBatch == "0/0" && (over == "" || over == "micro-batch" || !p.loss.CountUsed) && !p.window.EqualTargets {
			fs = append(fs, Finding{Field: "pipeline.loss.emptyMicroBatch", Related: []string{"pipeline.loss.over"}, Help: "divide by the targets of the whole update (over: \"update\"), or skip a micro-batch without targets",
				Summary: emptyBatch(p.window.Example) + ": its mean is 0/0"})
		}
		if p.loss.EmptyWindow == "0/0" {
			fs = append(fs, Finding{Field: "pipeline.loss.emptyWindow", Help: "skip the update, or stop", Summary: "a window without a trained token gives 0/0, and then every parameter is not a number"})
		}
		fs = append(fs, implementations(p.loss.Implementations)...)
		return append(fs, unmatched(in, &p)...)
	},
	Data: func(in *Input) []Finding {
		n, all := in.emptySamples()
		limit := in.pipeline().mask.EmptySamples.Limit
		if n == 0 || float64(n) <= limit*float64(all) {
			return nil
		}
		field := "mask"
		if Foreign(in.Experiment) {
			field = "pipeline.mask"
		}
		return []Finding{{Field: field, Summary: fmt.Sprintf("%d of %d samples (%s %%) carry no loss, at most %s %% are accepted", n, all, number(100*float64(n)/float64(all)), number(100*limit)),
			Help: "find out why no position of these samples is trained, or drop them"}}
	},
}

// emptyBatch names the first micro-batch of an example without a target.
func emptyBatch(example []shape.MicroBatch) string {
	for i, m := range example {
		if m.Targets == 0 {
			return fmt.Sprintf("micro-batch %d of %d has no target", i+1, len(example))
		}
	}
	return "a micro-batch can have no target"
}

// implementations compares what loss functions give for nothing.
func implementations(ls []shape.LossImplementation) []Finding {
	var bad []string
	first, other := -1, -1
	for i, l := range ls {
		if l.Empty == "0/0" {
			bad = append(bad, l.Name)
			if first < 0 {
				first = i
			}
		} else if l.Empty != ls[0].Empty && other < 0 {
			other = i
		}
	}
	switch {
	case first >= 0:
		return []Finding{{Field: fmt.Sprintf("pipeline.loss.implementations.%d.empty", first), Help: "give every loss the same guard",
			Summary: fmt.Sprintf("%d of %d loss implementations (%s) give 0/0 for a window without a trained token", len(bad), len(ls), list(bad))}}
	case other >= 0:
		return []Finding{{Field: fmt.Sprintf("pipeline.loss.implementations.%d.empty", other), Related: []string{"pipeline.loss.implementations.0.empty"}, Help: "give every loss the same policy",
			Summary: fmt.Sprintf("without a trained token loss %s gives %s and loss %s gives %s", ls[0].Name, ls[0].Empty, ls[other].Name, ls[other].Empty)}}
	}
	return nil
}

// unmatched judges samples in which no role is found, or nothing is trained for
// another reason.
func unmatched(in *Input, p *pipe) []Finding {
	r, e := &p.mask.Roles, &p.mask.EmptySamples
	n, all, field := e.Count, e.Of, "pipeline.mask.emptySamples.count"
	if r.Unmatched == "ignore" || r.Unmatched == "drop" {
		field = "pipeline.mask.roles.unmatched"
	}
	if in.Sample != nil && r.FoundBy == "marker" && len(r.Marker) > 0 {
		all = int64(len(in.Sample.Rows))
		n = all - int64(len(in.Sample.find(r.Marker)))
		if r.Unmatched == "stop" {
			field = "pipeline.mask.roles.marker"
		}
	}
	f := Finding{Field: field, Related: []string{"pipeline.mask.emptySamples"}, Help: "find out why nothing is trained in these samples, and stop at one in which no role is found"}
	switch {
	case n > 0 && float64(n) > e.Limit*float64(all):
		f.Summary = fmt.Sprintf("%d of %d samples (%s %%) carry no loss, at most %s %% are accepted", n, all, number(100*float64(n)/float64(all)), number(100*e.Limit))
	case n == 0 && r.Unmatched == "ignore":
		f.Summary = "a sample in which no role is found is kept, with every position ignored"
	default:
		return nil
	}
	return []Finding{f}
}

// policy is the loss part of the spec.
func (in *Input) policy() loss.Policy {
	x := in.Experiment
	return loss.Policy{ShiftBy: x.Mask.Shift.By, Offset: int(x.Mask.Shift.Offset), IgnoreIndex: int(x.Mask.IgnoreIndex), Prompt: x.Mask.Prompt == "train",
		Response: x.Mask.Response == "train", EOS: x.Mask.EOS, Normalize: x.Window.Normalize, CrossDocs: x.Mask.Packing.LossAcross}
}

// emptySamples counts rows of at least two tokens in which nothing is trained, by
// the trainer's labels where there are any.
func (in *Input) emptySamples() (n, all int) {
	s := in.Sample
	w := in.policy().Make(s.Rows, max(1, s.Batch))
	for i, r := range s.Rows {
		tokens, trained := 0, false
		for t := range r.IDs {
			if r.Roles[t] != loss.Padding {
				tokens++
			}
			trained = trained || w.Weights[i][t] != 0
		}
		if i < len(s.Labels) {
			trained = false
			for _, l := range s.Labels[i] {
				trained = trained || int64(l) != in.Experiment.Mask.IgnoreIndex
			}
		}
		if tokens < 2 {
			continue
		}
		all++
		if !trained {
			n++
		}
	}
	return n, all
}
