package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

// updateOrder is the right order of the steps of an update. clear has two right
// places and is judged by cadence.zero, reduce by clip.norm.
var updateOrder = []string{"scale", "backward", "unscale", "check", "clip", "step", "rescale", "tick"}

var scaleOrder = Rule{
	ID: "scale.order", Title: "the steps of an update are in order", Formula: "scale → backward×K → unscale by the same scale → check → clip once → step → rescale → tick",
	Doc: "Check and clip act on the restored gradient: clipped while still multiplied by the loss scale s, a limit acts like limit/s. Clipping each micro-batch instead of the sum changes the direction of the gradient. Each step is done once, by one component.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		fs = append(fs, in.stepOrder(p.update.Order)...)
		fs = append(fs, in.unscaled(p.update.Unscales)...)
		return append(fs, in.clipped(p.update.Clips)...)
	},
}

func (in *Input) stepOrder(order []string) []Finding {
	for i, s := range order {
		if j := slices.Index(order, s); j < i {
			return []Finding{{Field: fmt.Sprintf("pipeline.update.order.%d", i), Related: []string{fmt.Sprintf("pipeline.update.order.%d", j)}, Summary: s + " is done twice in an update", Help: "do each step once"}}
		}
	}
	steps := slices.DeleteFunc(slices.Clone(order), func(s string) bool { return !slices.Contains(updateOrder, s) })
	a, b, ok := misplaced(steps, updateOrder)
	if !ok {
		return nil
	}
	if b == "clip" && a == "unscale" {
		a, b = b, a // said as clip before unscale
		limit, s := in.Experiment.Optimizer.Clip.Norm, in.scaleValue()
		f := Finding{Field: fmt.Sprintf("pipeline.update.order.%d", slices.Index(order, a)), Related: []string{"optimizer.clip.norm", "precision.lossScale.value"}, Help: "unscale, then check, then clip"}
		f.Summary = "the gradient is clipped before it is unscaled: the limit acts on a scaled gradient"
		if s > 0 && limit > 0 {
			f.Summary = fmt.Sprintf("the gradient is clipped before it is unscaled: the limit %s acts as %s/%s = %s", number(limit), number(limit), number(s), number(limit/s))
		}
		return []Finding{f}
	}
	return []Finding{{Field: fmt.Sprintf("pipeline.update.order.%d", slices.Index(order, a)), Summary: fmt.Sprintf("%s comes after %s, expected before it", a, b), Help: "use the order " + strings.Join(updateOrder, ", ")}}
}

// scaleValue is the loss scale at the start, 0 where there is none.
func (in *Input) scaleValue() float64 {
	if in.Experiment.Precision.LossScale.Kind == "none" {
		return 0
	}
	return in.Experiment.Precision.LossScale.Value
}

func (in *Input) unscaled(us []shape.Unscale) []Finding {
	if us == nil || in.Experiment.Precision.LossScale.Kind == "none" && len(us) == 0 {
		return nil
	}
	s := in.scaleValue()
	if len(us) == 0 {
		return []Finding{{Field: "pipeline.update.unscales", Related: []string{"precision.lossScale"}, Summary: fmt.Sprintf("nobody divides gradients by the loss scale: they are %s times too large", number(s)), Help: "unscale once, before the check"}}
	}
	for i, u := range us {
		field := fmt.Sprintf("pipeline.update.unscales.%d", i)
		switch {
		case u.Per == "micro-batch" && in.Experiment.Window.MicroBatches > 1:
			return []Finding{{Field: field, Related: []string{"window.microBatches"}, Summary: fmt.Sprintf("the %s unscales after each micro-batch: the sum of the micro-batches before is divided by the scale again", u.By), Help: "unscale once, after the last micro-batch"}}
		case u.With == "new scale":
			return []Finding{{Field: field + ".with", Summary: fmt.Sprintf("the %s unscales with a scale that has changed since the loss was multiplied", u.By), Help: "change the scale after the step"}}
		}
	}
	if len(us) > 1 {
		return []Finding{{Field: fmt.Sprintf("pipeline.update.unscales.%d", len(us)-1), Related: []string{"pipeline.update.unscales.0"}, Help: "let one component unscale",
			Summary: fmt.Sprintf("gradients are unscaled %s (%s), expected once", often(len(us)), listBy(us, func(u shape.Unscale) string { return u.By }))}}
	}
	return nil
}

func (in *Input) clipped(cs []shape.Clipper) []Finding {
	k := in.Experiment.Window.MicroBatches
	limit := in.Experiment.Optimizer.Clip.Norm
	if limit == 0 {
		return nil
	}
	if cs != nil && len(cs) == 0 {
		return []Finding{{Field: "pipeline.update.clips", Related: []string{"optimizer.clip.norm"}, Summary: fmt.Sprintf("nobody clips the gradient, but optimizer.clip.norm is %s", number(limit)), Help: "clip once, after the check, or set optimizer.clip.norm: 0"}}
	}
	for i, c := range cs {
		if c.Per == "micro-batch" && k > 1 {
			return []Finding{{Field: fmt.Sprintf("pipeline.update.clips.%d", i), Related: []string{"window.microBatches", "optimizer.clip.norm"}, Help: "clip once, after the last micro-batch",
				Summary: fmt.Sprintf("the %s clips after each micro-batch, %d times an update, expected once on the sum: the direction of the gradient changes", c.By, k)}}
		}
	}
	if len(cs) > 1 {
		return []Finding{{Field: fmt.Sprintf("pipeline.update.clips.%d", len(cs)-1), Related: []string{"pipeline.update.clips.0"}, Help: "let one component clip",
			Summary: fmt.Sprintf("the gradient is clipped %s an update (%s), expected once", often(len(cs)), listBy(cs, func(c shape.Clipper) string { return c.By }))}}
	}
	return nil
}
