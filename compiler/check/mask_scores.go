package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// largest is the largest number of each type; rounds is the smallest that is
// rounded to infinity: largest plus half a unit in its last place.
var largest = map[string]struct{ max, rounds float64 }{
	"f16":  {65504, 65520},
	"bf16": {0x1.FEp127, 0x1.FFp127},
	"f32":  {math.MaxFloat32, 0x1.FFFFFFp127},
}

var maskValue = Rule{
	ID: "mask.value", Title: "an additive mask hides, and does not overflow", Formula: "planes·fill + min(score) ≥ −max(type) and fill ≤ −2·max|score|, or the fill is selected and not added",
	Doc: "Adding the most negative number of a type to a negative score can overflow to −inf, and a row in which every score is −inf has a softmax of 0/0. Two planes with that number overflow in any case. A small number does not hide a large score. Selecting the fill instead of adding it, and joining masks as truth values, cannot overflow.",
	Spec: func(in *Input) []Finding {
		s := &in.pipeline().mask.Scores
		if s.How != "add" && s.Planes <= 1 {
			return nil
		}
		dtype := string(s.Type)
		if dtype == "" {
			dtype = string(in.Experiment.Precision.Compute)
		}
		lim := largest[dtype]
		fill, field := -lim.max, "pipeline.mask.scores.how"
		if s.Fill != nil {
			fill, field = *s.Fill, "pipeline.mask.scores.fill"
		}
		if math.IsInf(fill, -1) {
			return nil
		}
		f := Finding{Field: field, Related: []string{"pipeline.mask.scores.planes", "pipeline.mask.scores.smallest"}, Help: "select the fill instead of adding it, and join masks as truth values"}
		switch sum := float64(s.Planes) * fill; {
		case s.Planes > 1 && sum <= -lim.rounds:
			f.Summary = fmt.Sprintf("%d planes with fill %s add up to %s, below the limit of %s (%s): the sum is -inf", s.Planes, real(fill), real(sum), dtype, real(-lim.max))
		case sum+s.Smallest <= -lim.rounds:
			f.Summary = fmt.Sprintf("fill %s overflows %s when added to %s: %s is -inf", real(sum), dtype, real(s.Smallest), real(sum+s.Smallest))
		case fill > 2*s.Smallest:
			f.Help = "use a fill far below any score, or select it"
			f.Summary = fmt.Sprintf("fill %s hides nothing: a masked score of %s becomes %s, above a visible one of %s", real(fill), real(-s.Smallest), real(-s.Smallest+fill), real(s.Smallest))
		default:
			return nil
		}
		return []Finding{f}
	},
}

// real prints a number of any size.
func real(x float64) string {
	if math.Abs(x) < 1e7 {
		return number(x)
	}
	return fmt.Sprintf("%.5g", x)
}

// The right orders of scores and of labels.
var (
	scoreOrder = []string{"score", "scale", "cap", "mask", "softmax"}
	labelOrder = []string{"roles", "pad", "ignore"}
)

var maskOrder = Rule{
	ID: "mask.order", Title: "masks are applied in their place", Formula: "score → scale → cap → mask → softmax; roles → pad → ignore",
	Doc: "A mask acts on scores before the softmax: after it, rows do not add up to 1. It acts behind any bounded map such as a soft cap, which would pull the fill back into range. In data, roles are found on ids before padding and ignored positions replace them; searched afterwards, a marker that contains the pad id is never found.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		if a, b, ok := misplaced(p.mask.Scores.Order, scoreOrder); ok {
			why := ""
			if a == "mask" && b == "softmax" {
				why = ": rows of probabilities do not add up to 1"
			}
			fs = append(fs, Finding{Field: "pipeline.mask.scores.order", Help: "use the order " + strings.Join(scoreOrder, ", "),
				Summary: fmt.Sprintf("%s is applied after %s, expected before it%s", a, b, why)})
		}
		if a, b, ok := misplaced(p.mask.Order, labelOrder); ok {
			fs = append(fs, Finding{Field: "pipeline.mask.order", Help: "use the order " + strings.Join(labelOrder, ", "),
				Summary: fmt.Sprintf("%s come after %s, expected before: %s is looked for in ids that are already replaced", a, b, a)})
		}
		return fs
	},
}

// misplaced returns the first step of an order that stands behind one that the
// right order puts later: a belongs before b.
func misplaced(got, right []string) (a, b string, ok bool) {
	for i, x := range got {
		for _, y := range got[:i] {
			if slices.Index(right, x) < slices.Index(right, y) {
				return x, y, true
			}
		}
	}
	return "", "", false
}
