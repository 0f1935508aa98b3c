package check

import (
	"fmt"

	"github.com/gradcue/gradcue/spec/diag"
)

// digits is the significant bits of each type, the hidden one included.
var digits = map[string]int{"f16": 11, "bf16": 8, "f32": 24}

var accumAdd = Rule{
	ID: "accum.add", Title: "gradients add up", Formula: "K > 1 ⇒ every gradient writer adds; K · max|g_k|/|G| within the rounding of the sum's type",
	Doc: "With K > 1 every kernel that writes a gradient, and every copy of one to the host, must add to what is there; one that sets it keeps the last micro-batch only. A sum in a type with p significant bits loses terms below 2^-p of it: in bf16 a sum of equal terms stands still after 256 to 512 of them. f32 is the default.",
	Spec: func(in *Input) (fs []Finding) {
		p, k := in.pipeline(), in.Experiment.Window.MicroBatches
		if k == 1 || !Foreign(in.Experiment) {
			return nil
		}
		for i, g := range p.window.Gradients {
			if g.Writes == "set" {
				fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.window.gradients.%d", i), Related: []string{"window.microBatches"}, Help: "add to the gradient, except in the first micro-batch",
					Summary: fmt.Sprintf("the gradient is overwritten by the %s: only micro-batch %d of %d counts", g.By, k, k)})
			}
		}
		dtype, field := string(p.window.AccumulateIn), "pipeline.window.accumulateIn"
		if dtype == "" {
			dtype, field = string(in.Experiment.Precision.Grads), "precision.grads"
		}
		if d := digits[dtype]; d < 24 {
			part := fmt.Sprintf("1/%d", 1<<d)
			f := Finding{Field: field, Severity: diag.Warning, Related: []string{"window.microBatches"}, Help: "accumulate gradients in f32"}
			f.Summary = fmt.Sprintf("%s accumulation of %d micro-batches loses terms below %s of the sum", dtype, k, part)
			fs = append(fs, f)
		}
		return fs
	},
}
