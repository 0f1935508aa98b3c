package check

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/gradcue/gradcue/spec/shape"
)

var resumeCursor = Rule{
	ID: "resume.cursor", Title: "a resumed run goes on where it stopped in the data", Formula: "skipped = counted · times in one unit, once; order = f(seed, epoch); start < end",
	Doc: "The place in the data is best saved in samples. A number in another unit has to be converted: from updates to micro-batches by K. What was used is skipped in the resumed epoch and in no other, and the order of an epoch is a function of seed and epoch, so that a resumed epoch has the order it began with and two epochs differ.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		c := &p.resume.Cursor
		add := func(field, help, text string, args ...any) {
			fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf(text, args...), Help: help})
		}
		if f := in.skipped(&p, c); f != nil {
			fs = append(fs, *f)
		}
		if c.Applied == "every epoch" {
			n := ""
			if at, b := p.resume.At, p.window.Batches; at != nil && b > 0 {
				used := *at * in.Experiment.Window.MicroBatches % b
				n = fmt.Sprintf(": %d of %d micro-batches of each later epoch are never seen", used, b)
			}
			add("pipeline.resume.cursor.applied", "skip in the resumed epoch only", "what was used before is skipped in every epoch after resuming%s", n)
		}
		if c.Epoch == "starts at 0" && p.data.Order != "seed" && p.data.Order != "sequential" {
			n := ""
			if at, b := p.resume.At, p.window.Batches; at != nil && b > 0 {
				n = fmt.Sprintf(" (epoch %d is taken from the order of epoch 0)", *at*in.Experiment.Window.MicroBatches/b)
			}
			add("pipeline.resume.cursor.epoch", "save the epoch, or compute it from the samples used", "a resumed run does not know its epoch: its samples come in the order of the first epoch%s", n)
		}
		if p.data.Order == "seed" {
			add("pipeline.data.order", "make the order from seed and epoch", "the order of samples does not depend on the epoch: every epoch has the same order")
		}
		if at := p.resume.At; at != nil && *at >= in.Experiment.Schedule.Updates {
			fs = append(fs, Finding{Field: "pipeline.resume.at", Related: []string{"schedule.updates"}, Help: "resume before the end, or use more updates",
				Summary: fmt.Sprintf("the run is resumed after update %d and ends at update %d: nothing is left to do", *at, in.Experiment.Schedule.Updates)})
		}
		return fs
	},
}

// skipped compares what is skipped with what was used.
func (in *Input) skipped(p *pipe, c *shape.CursorPipeline) *Finding {
	to := c.Skipped
	if to == "" {
		to = c.Counted
	}
	times, err := parseFactor(or1(c.Times))
	if err != nil {
		return &Finding{Field: "pipeline.resume.cursor.times", Summary: err.Error(), Help: "use a product such as K"}
	}
	have, ok1 := in.unitSamples(p, to, false)
	want, ok2 := in.unitSamples(p, c.Counted, true)
	if to == c.Counted && p.resume.Before == nil {
		have, want, ok1, ok2 = big.NewRat(1, 1), big.NewRat(1, 1), true, true
	}
	if !ok1 || !ok2 {
		return &Finding{Field: "pipeline.resume.cursor", Summary: "the place in the data is counted in epochs, but the micro-batches of an epoch are not stated", Help: "state pipeline.window.batches"}
	}
	got, _ := times.numbers(in).value()
	right := new(big.Rat).Quo(want, have)
	if got.Cmp(right) == 0 {
		return nil
	}
	f := &Finding{Field: "pipeline.resume.cursor.times", Related: []string{"window.microBatches", "pipeline.resume.cursor.counted", "pipeline.resume.cursor.skipped"}, Help: fmt.Sprintf("multiply by %s, or count samples", ratNumber(right))}
	if c.Times == "" || c.Times == "1" {
		f.Field = "pipeline.resume.cursor.skipped"
	}
	if at := p.resume.At; at != nil && c.Counted == "updates" {
		n := new(big.Rat).SetInt64(*at)
		f.Summary = fmt.Sprintf("resume skips %s %s, but %s were used: %s are counted", ratNumber(new(big.Rat).Mul(n, got)), to, ratNumber(new(big.Rat).Mul(n, right)), c.Counted)
		return f
	}
	f.Summary = fmt.Sprintf("for each of the %s counted, %s %s are skipped, but %s were used", c.Counted, ratNumber(got), to, ratNumber(right))
	return f
}

// unitSamples is how many samples, over all ranks, a unit of the cursor has, with
// the window that was saved or with the present one.
func (in *Input) unitSamples(p *pipe, unit string, saved bool) (*big.Rat, bool) {
	w := in.Experiment.Window
	if b := p.resume.Before; b != nil && saved {
		w.MicroBatches, w.MicroBatchSize, w.Replicas = cmp.Or(b.MicroBatches, w.MicroBatches), cmp.Or(b.MicroBatchSize, w.MicroBatchSize), cmp.Or(b.Replicas, w.Replicas)
	}
	per := w.MicroBatchSize * w.Replicas
	switch unit {
	case "micro-batches":
		return big.NewRat(per, 1), true
	case "updates":
		return big.NewRat(per*w.MicroBatches, 1), true
	case "epochs":
		return big.NewRat(per*p.window.Batches, 1), p.window.Batches > 0
	}
	return big.NewRat(1, 1), true
}
