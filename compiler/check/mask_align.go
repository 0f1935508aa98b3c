package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var maskAlign = Rule{
	ID: "mask.align", Title: "the mask is in the index space of the targets", Formula: "a_t = 1 ⇔ role(x_{t+1}) is trained: mask shift = target shift, prompt slots = P − 1",
	Doc: "Which positions carry loss is decided by the role of the target, so the mask moves exactly as far as the targets. A mask that moves once more trains the last prompt token and not the end token; one that does not move leaves out the first response token. The number of trained positions can be right in both cases, so positions are compared and not counts. Roles that are found by a marker need the ids that the marker has inside a text.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		if p.mask.Shifts != nil {
			sum := int64(0)
			for _, s := range p.mask.Shifts {
				sum += s.Positions
			}
			if want := in.targetShift(); sum != want {
				f := Finding{Field: "pipeline.mask.shifts", Related: []string{"pipeline.targets.shifts"}, Help: "let one component move the mask, as far as the targets"}
				if n := len(p.mask.Shifts); n > 1 {
					f.Field += fmt.Sprintf(".%d", n-1)
				}
				f.Summary = fmt.Sprintf("the mask is moved by %d (%s) and the targets by %d: %s", sum, maskOwners(&p), want, misaligned(sum-want))
				fs = append(fs, f)
			}
		}
		if slots := p.mask.PromptSlots; slots != "" {
			more, _ := strconv.ParseInt(strings.TrimPrefix(slots, "P"), 10, 64)
			if off := more + in.Experiment.Mask.Shift.Offset; off != 0 {
				fs = append(fs, Finding{Field: "pipeline.mask.promptSlots", Help: "ignore " + rightSlots(in.Experiment.Mask.Shift.Offset) + " target positions for a prompt of P tokens",
					Summary: fmt.Sprintf("%s target positions are ignored for a prompt of P tokens, expected %s: %s", slots, rightSlots(in.Experiment.Mask.Shift.Offset), misaligned(-off))})
			}
		}
		if p.mask.Roles.FoundBy == "marker" && p.mask.Roles.MarkerFrom == "alone" {
			fs = append(fs, Finding{Field: "pipeline.mask.roles.markerFrom", Related: []string{"pipeline.mask.roles.foundBy"}, Help: "take the marker's ids from a text around it, or tell roles apart by the template",
				Summary: "the response marker is tokenized alone, but inside a text its ids can differ: responses are not found"})
		}
		return fs
	},
	Data: func(in *Input) []Finding { return labelRoles(in) },
}

// rightSlots is how many target positions of a prompt of P tokens are ignored.
func rightSlots(offset int64) string {
	if offset == 0 {
		return "P"
	}
	return fmt.Sprintf("P-%d", offset)
}

func maskOwners(p *pipe) string {
	if len(p.mask.Shifts) == 0 {
		return "nobody"
	}
	var out []string
	for _, s := range p.mask.Shifts {
		out = append(out, s.By)
	}
	return strings.Join(out, ", ")
}

// misaligned says what a mask that is k positions too early trains.
func misaligned(k int64) string {
	if k > 0 {
		return fmt.Sprintf("the mask is off by %d: the last %s trained, the end token is not trained", k, isAre(k, "prompt token"))
	}
	return fmt.Sprintf("the mask is off by %d: the first %s not trained", -k, isAre(-k, "response token"))
}

// isAre is "prompt token is", "2 prompt tokens are".
func isAre(n int64, noun string) string {
	if n == 1 {
		return noun + " is"
	}
	return plural(n, noun) + " are"
}

// labelRoles compares the positions that the trainer's labels train with those
// that the spec's policy trains, as sets. Wrong shifts and borders explain more.
func labelRoles(in *Input) []Finding {
	s := in.Sample
	if s.Labels == nil || len(labelShift(in)) > 0 || len(labelEdge(in)) > 0 {
		return nil
	}
	want := in.policy().Make(s.Rows, max(1, s.Batch))
	ignored := int32(in.Experiment.Mask.IgnoreIndex)
	var first string
	more, missing := 0, 0
	for i := range min(len(s.Labels), len(s.Rows)) {
		for t := range min(len(s.Labels[i]), len(want.Targets[i])) {
			got, must := s.Labels[i][t] != ignored, want.Weights[i][t] != 0
			if got == must {
				continue
			}
			if first == "" {
				first = fmt.Sprintf("row %d position %d", i, t)
			}
			if got {
				more++
			} else {
				missing++
			}
		}
	}
	if first == "" {
		return nil
	}
	return []Finding{{Field: "pipeline.mask", Summary: fmt.Sprintf("%d positions of the sample are trained and should not be, %d should be and are not (first: %s)", more, missing, first),
		Help: "compare the labels with the roles of their targets"}}
}

// find returns the rows in which ids occur one after the other.
func (s *Sample) find(ids []int64) (rows []int) {
	for i, r := range s.Rows {
		for t := 0; t+len(ids) <= len(r.IDs); t++ {
			if slices.EqualFunc(r.IDs[t:t+len(ids)], ids, func(a int32, b int64) bool { return int64(a) == b }) {
				rows = append(rows, i)
				break
			}
		}
	}
	return rows
}
