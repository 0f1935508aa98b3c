package check

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/loss"
)

var maskRow = Rule{
	ID: "mask.row", Title: "a query without keys gives zero", Formula: "∀ i: #{j : visible(i,j)} ≥ 1, or O_i = 0 with zero gradient",
	Doc: "With padding on the left, or padding on the right and a sliding window, some queries see no key. The softmax of such a row is 0/0. That its output carries no loss does not help: 0 times not-a-number is not a number, and it reaches every shared parameter. The row must be defined as zero.",
	Spec: func(in *Input) []Finding {
		p := in.pipeline()
		if p.mask.Scores.EmptyRow != "softmax" {
			return nil
		}
		t, w, left := in.Experiment.Window.SeqLen, in.Model.AttentionWindow, p.mask.Padding.Side == "left"
		most, known := int64(0), false
		if p.mask.Padding.Most != nil {
			most, known = *p.mask.Padding.Most, true
		} else if in.paddedRows(&p) {
			most = t - 1
		}
		n, first := emptyRows(t, min(most, t), int64(w), left)
		if n == 0 {
			return nil
		}
		f := Finding{Field: "pipeline.mask.scores.emptyRow", Related: []string{"pipeline.mask.padding", "model.attention.window"}, Help: "define a row without keys as zero with gradient zero"}
		may := "see"
		if !known {
			may = "can see"
		}
		f.Summary = fmt.Sprintf("%d of %d query rows %s no key (first: row %d), and their softmax is 0/0", n, t, may, first)
		return []Finding{f}
	},
	Data: func(in *Input) []Finding {
		p := in.pipeline()
		if p.mask.Scores.EmptyRow != "softmax" {
			return nil
		}
		n, all, first := 0, 0, -1
		for _, r := range in.Sample.Rows {
			for i := range r.IDs {
				lo, keys := 0, 0
				if w := in.Model.AttentionWindow; w > 0 {
					lo = max(0, i-w+1)
				}
				for j := lo; j <= i; j++ {
					if r.Roles[j] != loss.Padding {
						keys++
					}
				}
				all++
				if keys == 0 {
					n++
					if first < 0 {
						first = i
					}
				}
			}
		}
		if n == 0 {
			return nil
		}
		return []Finding{{Field: "pipeline.mask.scores.emptyRow", Help: "define a row without keys as zero with gradient zero", Summary: fmt.Sprintf("%d of %d query rows of the sample see no key (first: row %d), and their softmax is 0/0", n, all, first)}}
	},
}

// paddedRows reports whether rows are filled up.
func (in *Input) paddedRows(p *pipe) bool {
	for _, l := range p.data.Layouts {
		if l == "padded" {
			return true
		}
	}
	return len(p.data.Layouts) == 0 && in.Experiment.Mask.Packing.Mode == "none"
}

// emptyRows counts the queries of a causal row of t positions, pads of them
// padding, that see no key within a window of w (0: no window).
func emptyRows(t, pads, w int64, left bool) (n, first int64) {
	if left || pads == t {
		return pads, 0 // a padded query sees only padded keys before it
	}
	if w == 0 || pads < w {
		return 0, 0 // the window reaches back to the last real key, or there is none
	}
	n = pads - w + 1
	return n, t - n
}
