package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/spec/shape"
)

// maskEOS keeps silent where mask.pad explains why ends are ignored.
var maskEOS = Rule{
	ID: "mask.eos", Title: "the end token is a target", Formula: "mask.eos ≠ none ⇒ #{t : a_t = 1, y_t = eos} ≥ complete samples",
	Doc: "A model learns to stop only if the end token is a target. Exactly one component puts it behind each sample (pipeline.data.ends): without one, stopping is never trained, although nothing is masked wrongly.",
	Spec: func(in *Input) []Finding {
		ends := in.pipeline().data.Ends
		if ends == nil || in.Experiment.Mask.EOS == "none" || len(ends) == 1 {
			return nil
		}
		f := Finding{Field: "pipeline.data.ends", Related: []string{"mask.eos"}}
		if len(ends) == 0 {
			f.Summary = fmt.Sprintf("nobody puts an end token behind a sample, but mask.eos is %s: %s", in.Experiment.Mask.EOS, in.endless())
			f.Help = "let one component append the end token, or set mask.eos: \"none\""
			return []Finding{f}
		}
		f.Field += fmt.Sprintf(".%d", len(ends)-1)
		f.Summary = fmt.Sprintf("%d components (%s) put an end token behind each sample: the end token is followed by another", len(ends), listBy(ends, func(d shape.Doer) string { return d.By }))
		f.Help = "let one component append the end token"
		return []Finding{f}
	},
	Data: func(in *Input) []Finding {
		p := in.pipeline()
		if in.Experiment.Mask.EOS == "none" || !slices.ContainsFunc(in.Sample.Rows, func(r loss.Row) bool { return slices.Contains(r.Roles, loss.Response) }) || len(maskPad.Spec(in)) > 0 {
			return nil
		}
		n, all := in.Sample.endless()
		if n == 0 {
			return nil
		}
		f := Finding{Field: "data", Summary: fmt.Sprintf("the end token is never a target in %d of %d samples, but mask.eos is %s", n, all, in.Experiment.Mask.EOS), Help: "append the end token to each sample, or set mask.eos: \"none\"", Related: []string{"mask.eos"}}
		if p.data.Ends != nil {
			f.Field = "pipeline.data.ends"
		}
		return []Finding{f}
	},
}

func (in *Input) endless() string {
	if in.Sample == nil {
		return "the end token is never a target"
	}
	n, all := in.Sample.endless()
	return fmt.Sprintf("the end token is never a target in %d of %d samples", n, all)
}

// endless counts documents without an end token. A document that the end of its
// row cuts off is not complete and is not counted.
func (s *Sample) endless() (n, all int) {
	for _, r := range s.Rows {
		for t := range r.IDs {
			if r.Roles[t] == loss.Padding || t+1 < len(r.IDs) && r.Docs[t+1] == r.Docs[t] && r.Roles[t+1] != loss.Padding {
				continue
			}
			if t+1 == len(r.IDs) && r.Roles[t] != loss.EOS && r.NextDoc == r.Docs[t] {
				continue
			}
			all++
			if r.Roles[t] != loss.EOS {
				n++
			}
		}
	}
	return n, all
}
