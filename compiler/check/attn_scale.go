package check

import (
	"fmt"
	"math"
	"strings"
)

var attnScale = Rule{
	ID: "attn.scale", Title: "scores are scaled once, by the width of a head",
	Formula: "Π factors on the scores = attention.scale = 1/√headDim",
	Doc:     `Scores are multiplied by 1/√headDim, or by the one number that pipeline.attention.scale puts in its place. Every path must apply exactly that: a path that uses the width of the model, applies it twice (model and kernel), or keeps its own default when another scale is asked for trains another model. So does a path that leaves out the cap of the scores. Formulas may use headDim, dModel, heads, kvHeads, layers, context, seqLen, numbers, *, / and sqrt().`,
	Spec: func(in *Input) []Finding {
		return attention(in).scaled()
	},
}

// scaleNames are the names that formulas of scales may use.
func (a *attending) scaleNames() map[string]float64 {
	x := a.in.Experiment
	m := &x.Model
	return map[string]float64{"headDim": float64(m.HeadDim), "dModel": float64(m.DModel), "heads": float64(m.Heads), "kvHeads": float64(m.KVHeads),
		"layers": float64(m.Layers), "context": float64(m.Context), "seqLen": float64(x.Window.SeqLen)}
}

func (a *attending) scaled() (fs []Finding) {
	if len(a.Backends) == 0 {
		return nil
	}
	names := a.scaleNames()
	want, err := formula(a.Scale, names)
	if err != nil {
		return []Finding{badFormula("pipeline.attention.scale", a.Scale, err)}
	}
	for i := range a.Backends {
		b := &a.Backends[i]
		if a.Cap > 0 && !b.Capped {
			fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.attention.backends.%d.capped", i), Related: []string{"pipeline.attention.cap"}, Help: "use a back end that bounds scores, or train without a cap",
				Summary: fmt.Sprintf("back end %s leaves out the cap of %g on the scores", b.Name, a.Cap)})
		}
		if b.Scales == nil {
			continue
		}
		field := fmt.Sprintf("pipeline.attention.backends.%d.scales", i)
		got, parts, bad := 1.0, []string{}, false
		for k, s := range b.Scales {
			n, err := formula(s.Is, names)
			if err != nil {
				fs, bad = append(fs, badFormula(fmt.Sprintf("%s.%d.is", field, k), s.Is, err)), true
				continue
			}
			got *= n
			parts = append(parts, fmt.Sprintf("%s: %v = %.4g", s.By, s.Is, n))
		}
		if bad || math.Abs(got-want) <= 1e-3*math.Abs(want) {
			continue
		}
		if len(b.Scales) == 1 {
			field += ".0.is"
		}
		fs = append(fs, Finding{Field: field, Related: []string{"pipeline.attention.scale", "model.headDim"}, Help: "apply the scale of the spec exactly once on this path",
			Summary: fmt.Sprintf("back end %s multiplies scores by %.4g, the spec says %v = %.4g, so they are %.4g times as large (%s)", b.Name, got, a.Scale, want, got/want, orNobody(parts))})
	}
	return fs
}

func orNobody(parts []string) string {
	if len(parts) == 0 {
		return "nobody scales them"
	}
	return strings.Join(parts, "; ")
}

func badFormula(field string, x any, err error) Finding {
	return Finding{Field: field, Summary: fmt.Sprintf("%v is not a formula: %v", x, err), Help: "use a number, or a formula such as 1/sqrt(headDim)"}
}
