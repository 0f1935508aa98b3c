package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

var cadenceZero = Rule{
	ID: "cadence.zero", Title: "gradients are cleared once an update", Formula: "one clear per update, none between the first add and the step, none while a window is pending",
	Doc: "A clear inside the window leaves only the micro-batches behind it; none at all adds every update's gradient to the next one's; a clear at the start of an epoch throws a pending window away. Only a gradient check shows it, since the loss is an ordinary number.",
	Spec: func(in *Input) []Finding {
		p, k := in.pipeline(), in.Experiment.Window.MicroBatches
		clears := p.update.Clears
		if clears != nil && len(clears) == 0 {
			return []Finding{{Field: "pipeline.update.clears", Summary: "nobody clears gradients: each update adds to those of all updates before", Help: "clear gradients once, after the step"}}
		}
		updates := 0
		for i, c := range clears {
			f := Finding{Field: fmt.Sprintf("pipeline.update.clears.%d", i), Related: []string{"window.microBatches"}, Help: "clear once, after the step and not inside the window"}
			switch {
			case c.Per == "micro-batch" && k > 1:
				f.Summary = fmt.Sprintf("the %s clears gradients in each micro-batch: gradients of %d of %d micro-batches are cleared", c.By, k-1, k)
				return []Finding{f}
			case c.Per == "epoch":
				lost, known := in.pending(&p)
				if known && lost == 0 {
					continue
				}
				f.Related = append(f.Related, "pipeline.window.batches", "window.last")
				f.Summary = fmt.Sprintf("the %s clears gradients at the start of an epoch, while a window is pending", c.By)
				if known {
					f.Summary += fmt.Sprintf(": %d of %d micro-batches (%s %%) are lost in each epoch", lost, p.window.Batches, number(100*float64(lost)/float64(p.window.Batches)))
				}
				return []Finding{f}
			case c.Per != "epoch":
				updates++
			}
		}
		if len(clears) > 0 && updates == 0 {
			return []Finding{{Field: "pipeline.update.clears", Summary: "gradients are cleared at the start of an epoch only: each update adds to those before", Help: "clear gradients once, after the step"}}
		}
		if updates > 1 {
			return []Finding{{Field: fmt.Sprintf("pipeline.update.clears.%d", len(clears)-1), Summary: fmt.Sprintf("gradients are cleared %s an update (%s), expected once", often(updates), listBy(clears, func(c shape.Clear) string { return c.By })), Help: "let one component clear gradients"}}
		}
		return clearedBeforeStep(p.update.Order)
	},
}

// clearedBeforeStep finds a clear between backward and step in the order.
func clearedBeforeStep(order []string) []Finding {
	clear, back, step := slices.Index(order, "clear"), slices.Index(order, "backward"), slices.Index(order, "step")
	if clear < 0 || step < 0 || clear > step || clear < back || back < 0 {
		return nil
	}
	return []Finding{{Field: fmt.Sprintf("pipeline.update.order.%d", clear), Summary: "gradients are cleared between backward and step: the step sees a gradient of zero", Help: "clear before the first backward, or after the step"}}
}

// pending is the micro-batches of a window that an epoch leaves open; known is
// false where the micro-batches of an epoch are not stated.
func (in *Input) pending(p *pipe) (n int64, known bool) {
	last, k := p.window.Last, in.Experiment.Window.MicroBatches
	if last == "" {
		last = in.Experiment.Window.Last
	}
	if k == 1 || last != "carry" {
		return 0, true
	}
	return p.window.Batches % k, p.window.Batches > 0
}
