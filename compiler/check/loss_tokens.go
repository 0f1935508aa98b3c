package check

import (
	"fmt"

	"github.com/gradcue/gradcue/spec/shape"
)

var lossTokens = Rule{
	ID: "loss.tokens", Title: "every trained token weighs the same", Formula: "g = (1/N) Σ_r Σ_k Σ_t w_t ∇ℓ_t, N = Σ_r Σ_k Σ_t w_t",
	Doc: "A mean over each micro-batch (or each rank), averaged again, weighs a token by 1/(targets of its micro-batch): it is the mean over all tokens only if every micro-batch has the same number of targets. Divide once, by the targets of the whole window over all ranks. Numerator and denominator use the same weights: padding that is not summed is not counted.",
	Spec: func(in *Input) []Finding {
		p := in.pipeline()
		if p.equalTargets() && (p.loss.Count == "" || p.loss.Count == "targets") || in.everyPosition(&p) || len(lossOnce.Spec(in)) > 0 {
			return nil
		}
		unit := in.Experiment.Window.Normalize
		f := Finding{Related: []string{"window.normalize", "window.microBatches", "window.replicas"}, Help: "divide the sum of losses once, by the trained targets of the whole window over all ranks"}
		switch c := p.loss.Count; {
		case c == "unpadded" || c == "positions":
			f.Field = "pipeline.loss.count"
			f.Summary = fmt.Sprintf("losses of targets are summed, but divided by %s", countNames[c])
		case c == "samples" && unit == "tokens":
			f.Field, f.Help = "pipeline.loss.count", "divide by targets, or say window.normalize: \"sequences\" if a mean over samples is meant"
			f.Summary = "the loss is a mean over samples, but window.normalize is tokens"
		case unit == "microbatch-mean" || p.loss.Weights == "targets":
			return nil
		case p.loss.Weights != "" && p.loss.Weights != "equal":
			f.Field = "pipeline.loss.weights"
			f.Summary = fmt.Sprintf("means of micro-batches are weighted by %s, expected by trained targets", countNames[p.loss.Weights])
		default:
			over := in.unequal(&p)
			if over == "" {
				return nil
			}
			f.Field = "pipeline.loss.over"
			if !p.loss.CountUsed {
				f.Field = "pipeline.loss.countUsed"
			}
			f.Summary = fmt.Sprintf("each %s is divided by its own targets, so tokens weigh differently from %s to %s", over, over, over)
		}
		f.Summary += in.exampleWeights(&p)
		return []Finding{f}
	},
}

// equalTargets reports whether micro-batches are said to have the same number of
// targets, and those of the example have.
func (p *pipe) equalTargets() bool {
	for _, m := range p.window.Example {
		if m.Targets != p.window.Example[0].Targets {
			return false
		}
	}
	return p.window.EqualTargets
}

// everyPosition reports whether every position is a trained target: text that is
// joined to one stream, without padding, and shifted in the stream.
func (in *Input) everyPosition(p *pipe) bool {
	x := in.Experiment
	if !p.equalTargets() || x.Mask.Packing.Mode != "concat" || in.paddedRows(p) || p.data.SequenceShards > 1 {
		return false
	}
	for _, s := range p.targets.Shifts {
		if s.Positions != 0 && s.On != "stream" {
			return false
		}
	}
	return p.targets.Shifts != nil || x.Mask.Shift.By == "data"
}

var countNames = map[string]string{"unpadded": "all positions that are not padding", "positions": "all positions, padding too", "samples": "samples"}

// unequal is the scope whose own count is left in the gradient: micro-batch, rank
// or "". A scope that the spec does not state is not judged.
func (in *Input) unequal(p *pipe) string {
	w := &in.Experiment.Window
	for _, e := range p.engines() {
		product, used := p.factors(e)
		over := p.over(used)
		if p.loss.Over == "" && p.loss.CountUsed && over != "nothing" {
			continue
		}
		total := product.times(p.division(over), 1)
		switch {
		case total.of('n') != 0 && w.MicroBatches*w.Replicas > 1:
			return "micro-batch"
		case total.of('M') != 0 && w.Replicas > 1:
			return "rank"
		}
	}
	return ""
}

// exampleWeights puts the example window into the formula: the weight of a token
// of each micro-batch, and the loss that follows.
func (in *Input) exampleWeights(p *pipe) string {
	ms := p.window.Example
	if len(ms) == 0 {
		return ""
	}
	weights, right := p.weights(ms)
	if right == 0 {
		return ""
	}
	lo, hi := -1, -1
	wrong, good, known := 0.0, 0.0, true
	for i, m := range ms {
		if m.Targets > 0 {
			if lo < 0 || weights[i] < weights[lo] {
				lo = i
			}
			if hi < 0 || weights[i] > weights[hi] {
				hi = i
			}
			if m.Loss == nil {
				known = false
				continue
			}
			wrong += weights[i] * float64(m.Targets) * *m.Loss
			good += right * float64(m.Targets) * *m.Loss
		}
	}
	out := ""
	if weights[hi] > weights[lo]*(1+1e-12) {
		out = fmt.Sprintf(": token weights differ by a factor %s between micro-batch %d and %d (%s and %s, expected %s)", number(weights[hi]/weights[lo]), hi+1, lo+1, number(weights[hi]), number(weights[lo]), number(right))
	} else if weights[hi] != right {
		out = fmt.Sprintf(": a token weighs %s, expected %s", number(weights[hi]), number(right))
	}
	if known {
		out += fmt.Sprintf("; the loss of the example is %s, expected %s", number(wrong), number(good))
	}
	return out
}

// weights are the weights of one token of each example micro-batch, and the right one, 1/N.
func (p *pipe) weights(ms []shape.MicroBatch) (weights []float64, right float64) {
	over := p.loss.Over
	if over == "" || !p.loss.CountUsed {
		over = "micro-batch"
		if w := p.loss.Weights; (w == "" || w == "equal") && p.loss.CountUsed {
			over = "update"
		}
	}
	ranks := map[int64]bool{}
	joined, targets := 0.0, 0.0
	for i := range ms {
		ranks[ms[i].Rank] = true
		joined += counted(&ms[i], p.loss.Weights)
		targets += float64(ms[i].Targets)
	}
	for i := range ms {
		d := 0.0
		for k := range ms {
			if k == i || over == "update" || over == "rank" && ms[k].Rank == ms[i].Rank {
				d += counted(&ms[k], p.loss.Count)
			}
		}
		share := 1.0
		switch {
		case over == "micro-batch" && p.loss.Weights != "" && p.loss.Weights != "equal":
			share = counted(&ms[i], p.loss.Weights) / joined
		case over == "micro-batch":
			share = 1 / float64(len(ms))
		case over == "rank":
			share = 1 / float64(len(ranks))
		}
		if d == 0 {
			weights = append(weights, 0)
			continue
		}
		weights = append(weights, share/d)
	}
	if targets == 0 {
		return weights, 0
	}
	return weights, 1 / targets
}

// counted is a micro-batch in a unit; targets by default.
func counted(m *shape.MicroBatch, unit string) float64 {
	switch unit {
	case "unpadded":
		return float64(unpadded(m))
	case "positions":
		return float64(positions(m))
	case "samples":
		return float64(m.Samples)
	}
	return float64(m.Targets)
}
