package check

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var lossShift = Rule{
	ID: "loss.shift", Title: "targets are shifted exactly once", Formula: "Σ shifts = mask.shift.offset, one owner, in every layout",
	Doc: "Logits at position t answer for the token at t+1. A data set, a collator, a model and a loss can each move the targets; if two do, the model learns the token after next, and if none does, it learns to copy its input. The loss is an ordinary number in all cases. The rule adds up who shifts (pipeline.targets.shifts) for each layout that is used.",
	Spec: func(in *Input) []Finding {
		p := in.pipeline()
		if p.targets.Shifts == nil {
			return nil
		}
		want := in.Experiment.Mask.Shift.Offset
		for _, l := range p.shiftLayouts() {
			owners, sum := p.shiftsIn(l)
			if sum == want && len(owners) <= 1 {
				continue
			}
			where := ""
			if l != "" {
				where = fmt.Sprintf(" in the %s layout", l)
			}
			f := Finding{Field: "pipeline.targets.shifts", Help: "let exactly one component shift the targets"}
			f.Summary = fmt.Sprintf("targets are shifted %s%s (%s), expected %s: position t would learn token %s", count(sum, len(owners)), where, shiftList(owners), plural(want, "position"), token(sum))
			if len(owners) > 0 {
				f.Field = fmt.Sprintf("pipeline.targets.shifts.%d", owners[len(owners)-1].index)
				for _, o := range owners[:len(owners)-1] {
					f.Related = append(f.Related, fmt.Sprintf("pipeline.targets.shifts.%d", o.index))
				}
			}
			if len(owners) == 0 {
				f.Help = "let one component shift the targets by one position"
			}
			return []Finding{f}
		}
		return nil
	},
	Data: func(in *Input) []Finding { return labelShift(in) },
}

// shiftOwner is a component that moves targets, and its place in the list.
type shiftOwner struct {
	shape.TargetShift
	index int
}

func (p *pipe) shiftLayouts() []shape.Layout {
	var named [][]shape.Layout
	for _, s := range p.targets.Shifts {
		named = append(named, s.Layouts)
	}
	return p.layouts(named...)
}

// shiftsIn are the components that move targets in a layout, and how far together.
func (p *pipe) shiftsIn(l shape.Layout) (owners []shiftOwner, sum int64) {
	for i, s := range p.targets.Shifts {
		if s.Positions != 0 && covers(s.Layouts, l) {
			owners = append(owners, shiftOwner{s, i})
			sum += s.Positions
		}
	}
	return owners, sum
}

// targetShift is how far targets are moved in all, in the first layout.
func (in *Input) targetShift() int64 {
	p := in.pipeline()
	if p.targets.Shifts == nil {
		return in.Experiment.Mask.Shift.Offset
	}
	_, sum := p.shiftsIn(p.shiftLayouts()[0])
	return sum
}

func shiftList(owners []shiftOwner) string {
	if len(owners) == 0 {
		return "by nobody"
	}
	return listBy(owners, func(o shiftOwner) string { return fmt.Sprintf("%s %d", o.By, o.Positions) })
}

// count words how often something is done: by its sum where that differs.
func count(sum int64, owners int) string {
	if sum == int64(owners) {
		return often(owners)
	}
	return fmt.Sprintf("by %d in all", sum)
}

func often(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "2 times"
	}
	return fmt.Sprintf("%d times", n)
}

// token is t+n.
func token(n int64) string {
	if n == 0 {
		return "t"
	}
	return fmt.Sprintf("t%+d", n)
}

// labelShift reads the shift off the labels that the trainer made: the distance
// at which most of them equal an input of the same row.
func labelShift(in *Input) []Finding {
	s, want := in.Sample, int(in.Experiment.Mask.Shift.Offset)
	best, hits, all := 0, -1, 0
	for d := -1; d <= 3; d++ {
		n := 0
		all = 0
		s.labels(in, func(row, t int, label int32) {
			all++
			ids := s.Rows[row].IDs
			if t+d >= 0 && t+d < len(ids) && ids[t+d] == label {
				n++
			}
		})
		if n > hits || n == hits && d == want {
			best, hits = d, n
		}
	}
	if all == 0 || best == want || 2*hits <= all {
		return nil
	}
	return []Finding{{Field: "pipeline.targets", Summary: fmt.Sprintf("%d of %d labels of the sample are the token at %s, expected %s", hits, all, token(int64(best)), token(int64(want))),
		Help: "let exactly one component shift the targets by one position"}}
}

// labels calls f for each label that is trained.
func (s *Sample) labels(in *Input, f func(row, t int, label int32)) {
	for i, ls := range s.Labels {
		if i >= len(s.Rows) {
			return
		}
		for t, l := range ls {
			if int64(l) != in.Experiment.Mask.IgnoreIndex && t < len(s.Rows[i].IDs) {
				f(i, t, l)
			}
		}
	}
}

// list joins words with commas and an "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
