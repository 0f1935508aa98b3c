package check

import (
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

// pipe is the described training pipeline, section by section. A section that
// the spec leaves out has its defaults, so that rules need not ask for it.
type pipe struct {
	data    *shape.DataPipeline
	targets *shape.TargetsPipeline
	mask    *shape.MaskPipeline
	loss    *shape.LossPipeline
	window  *shape.WindowPipeline
	update  *shape.UpdatePipeline
	resume  *shape.ResumePipeline
}

// pipeline returns the training sections of the spec's pipeline. An empty text
// stands for a field's default, which is always what is right.
func (in *Input) pipeline() pipe {
	p := in.Experiment.Pipeline
	if p == nil {
		p = &shape.Pipeline{}
	}
	return pipe{
		data: or(p.Data, shape.DataPipeline{}), targets: or(p.Targets, shape.TargetsPipeline{}), mask: or(p.Mask, shape.MaskPipeline{}),
		loss: or(p.Loss, shape.LossPipeline{CountUsed: true}), window: or(p.Window, shape.WindowPipeline{}),
		update: or(p.Update, shape.UpdatePipeline{Skip: shape.SkipPipeline{Reported: true}}), resume: or(p.Resume, shape.ResumePipeline{}),
	}
}

func or[T any](p *T, absent T) *T {
	if p == nil {
		return &absent
	}
	return p
}

// listBy joins the components of a list: "dataset, loss".
func listBy[T any](list []T, by func(T) string) string {
	var out []string
	for _, x := range list {
		out = append(out, by(x))
	}
	return strings.Join(out, ", ")
}

// layouts are the layouts to check a step for that is done for some only: those
// of pipeline.data.layouts, or all that are named in the steps. Without any it
// is one unnamed layout.
func (p *pipe) layouts(named ...[]shape.Layout) []shape.Layout {
	if len(p.data.Layouts) > 0 {
		return p.data.Layouts
	}
	var out []shape.Layout
	for _, l := range named {
		out = append(out, l...)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) == 0 {
		return []shape.Layout{""}
	}
	return out
}

// covers reports whether a step that names some layouts (or engines) is done for one.
func covers[T comparable](named []T, one T) bool {
	return len(named) == 0 || slices.Contains(named, one)
}
