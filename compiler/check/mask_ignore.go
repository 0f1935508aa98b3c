package check

import "fmt"

var maskIgnore = Rule{
	ID: "mask.ignore", Title: "one ignore index, and everybody knows it", Formula: "ignore ∉ [0, V), the same for data, loss, counters and metrics",
	Doc: "The ignore index marks positions without loss. It must not be a token id, and whoever reads labels must use the same one: a loss that does not know it trains ignored positions as an ordinary class, and a counter that does not know it counts them.",
	Spec: func(in *Input) (fs []Finding) {
		users, vocab := in.pipeline().mask.Ignore, in.Experiment.Model.Vocab
		index, from := in.Experiment.Mask.IgnoreIndex, "mask.ignoreIndex"
		for i, u := range users {
			if u.Value != nil && len(users) > 1 { // the first who states one is who the others are compared with
				index, from = *u.Value, fmt.Sprintf("pipeline.mask.ignore.%d.value", i)
				break
			}
		}
		for i, u := range users {
			field := fmt.Sprintf("pipeline.mask.ignore.%d", i)
			f := Finding{Related: []string{from}}
			switch {
			case u.Value == nil:
				f.Field, f.Help = field, "hand the ignore index to it"
				f.Summary = fmt.Sprintf("ignore index %d is declared but not used by the %s, which takes every position as a target%s", index, u.By, in.ignoredShare())
			case *u.Value >= 0 && *u.Value < vocab:
				if *u.Value == index && field+".value" != from {
					continue // said at the first one
				}
				f.Field, f.Help, f.Related = field+".value", "use a negative number", []string{"model.vocab"}
				f.Summary = fmt.Sprintf("ignore index %d of the %s is a legal class: ids are 0..%d", *u.Value, u.By, vocab-1)
			case *u.Value != index:
				f.Field, f.Help = field+".value", "use one ignore index"
				f.Summary = fmt.Sprintf("the %s ignores %d, but labels are ignored with %d", u.By, *u.Value, index)
			default:
				continue
			}
			fs = append(fs, f)
		}
		return fs
	},
}

// ignoredShare says how much of a mean an unknown ignore index makes up.
func (in *Input) ignoredShare() string {
	targets, all := int64(0), int64(0)
	for _, m := range in.pipeline().window.Example {
		targets, all = targets+m.Targets, all+positions(&m)
	}
	if all == targets {
		return ""
	}
	return fmt.Sprintf(": %d terms in the mean instead of %d, %s %% of the loss is ignored positions", all, targets, number(float64(int64(100*float64(all-targets)/float64(all)+0.5))))
}
