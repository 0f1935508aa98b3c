package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var gradReach = Rule{
	ID: "grad.reach", Title: "gradients reach what is trained, and terms have an effect",
	Formula: "λ ≠ 0 ⇒ term reaches a trained parameter; trained ⇒ reached by a term; a cached copy has a history",
	Doc:     `Walking back from each term of the loss with a coefficient other than 0, some trained parameter must be reached, or the coefficient has no effect. Each trained parameter must be reached by some term. What cuts a path: a detach, a conversion to plain numbers, an op without gradient, a cached copy of a parameter that was made in a pass without gradients. gradcue's backward pass walks its own graph and gives every parameter a gradient; what no path reaches is a compile error.`,
	Spec: func(in *Input) []Finding {
		g := graph(in)
		return append(append(g.histories(), g.cut()...), g.reached()...)
	},
}

// histories checks cached copies of parameters.
func (g *graphing) histories() (fs []Finding) {
	for i, c := range g.Casts {
		if p := g.find(c.Of); p != nil && !p.Trainable || c.Made == "with-gradients" || c.Read == "without-gradients" {
			continue
		}
		fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.graph.casts.%d", i), Help: "do not cache casts in a pass without gradients, or clear the cache after it",
			Summary: fmt.Sprintf("%s gets no gradient: a copy of it that was made in a pass without gradients is read again in a pass with gradients", c.Of)})
	}
	return fs
}

// cut checks parameters that are said to get no gradient, or not in every row.
func (g *graphing) cut() (fs []Finding) {
	for i := range g.Parameters {
		p := &g.Parameters[i]
		field := fmt.Sprintf("pipeline.graph.parameters.%d", i)
		if !p.Trainable {
			continue
		}
		if p.CutBy != "" {
			fs = append(fs, Finding{Field: field + ".cutBy", Help: "remove the cut, or say trainable: false", Summary: fmt.Sprintf("%s gets no gradient: path is cut at %s", p.Name, p.CutBy)})
		}
		var rows []string
		for _, r := range p.RowsWithoutGradient {
			if slices.Contains(p.RowsUsed, r) {
				rows = append(rows, fmt.Sprint(r))
			}
		}
		if len(rows) > 0 {
			fs = append(fs, Finding{Field: field + ".rowsWithoutGradient", Related: []string{field + ".rowsUsed"}, Help: "use a padding row that no token has",
				Summary: fmt.Sprintf("%s of %s never get a gradient, but the data uses them (row %s)", plural(int64(len(rows)), "row"), p.Name, strings.Join(rows, ", "))})
		}
	}
	return fs
}

// walk is what a search from the loss met.
type walk struct {
	reached []string // tensors and parameters that get a gradient
	behind  []string // those behind a cut
	cuts    []string // ops that cut
}

// back walks from a tensor against the order of the ops.
func (g *graphing) back(from ...string) (w walk) {
	w.reached = from
	for i := len(g.Ops) - 1; i >= 0; i-- {
		op := &g.Ops[i]
		reached, behind := meets(op, w.reached), meets(op, w.behind)
		if !reached && !behind {
			continue
		}
		if reached && !op.Cuts {
			w.reached = append(w.reached, op.Reads...)
			continue
		}
		if op.Cuts && reached {
			w.cuts = append(w.cuts, op.Name)
		}
		w.behind = append(w.behind, op.Reads...)
	}
	return w
}

// meets reports whether an op makes or changes one of the tensors.
func meets(op *shape.GraphOp, tensors []string) bool {
	return slices.ContainsFunc(op.Makes, func(t string) bool { return slices.Contains(tensors, t) }) ||
		slices.ContainsFunc(op.Overwrites, func(t string) bool { return slices.Contains(tensors, t) })
}

// known reports whether an op reads or makes a tensor.
func (g *graphing) known(tensor string) bool {
	return slices.ContainsFunc(g.Ops, func(op shape.GraphOp) bool {
		return slices.Contains(op.Makes, tensor) || slices.Contains(op.Reads, tensor)
	})
}

// trained reports whether a name is a parameter that is trained: described as
// such, or, where none is described, not made by any op.
func (g *graphing) trained(name string) bool {
	if len(g.Parameters) > 0 {
		p := g.find(name)
		return p != nil && p.Trainable
	}
	return !slices.ContainsFunc(g.Ops, func(op shape.GraphOp) bool { return slices.Contains(op.Makes, name) })
}

func (g *graphing) reached() (fs []Finding) {
	var all walk
	described := false
	for i, t := range g.Terms {
		field := fmt.Sprintf("pipeline.graph.terms.%d", i)
		switch {
		case t.Coefficient == 0:
		case t.CutBy != "":
			fs = append(fs, Finding{Field: field + ".cutBy", Related: []string{field + ".coefficient"}, Help: "compute the term from tensors that carry gradients, or set its coefficient to 0",
				Summary: fmt.Sprintf("loss term %s has coefficient %g but reaches no trained parameter: its path is cut by %s, so every coefficient gives the same gradients", t.Name, t.Coefficient, t.CutBy)})
		case t.Of == "":
			described = described || len(g.Ops) == 0 // somewhere, not told where
		case !g.known(t.Of):
			fs = append(fs, Finding{Field: field + ".of", Summary: fmt.Sprintf("loss term %s is computed from %s, which no op makes", t.Name, t.Of), Help: "name a result of pipeline.graph.ops"})
		default:
			w := g.back(t.Of)
			all.reached, all.behind, all.cuts = append(all.reached, w.reached...), append(all.behind, w.behind...), append(all.cuts, w.cuts...)
			if slices.ContainsFunc(w.reached, g.trained) {
				described = true
				continue
			}
			cut := "no op that it is computed from reads one"
			if len(w.cuts) > 0 {
				cut = "its path is cut at " + strings.Join(w.cuts, " and ")
			}
			fs = append(fs, Finding{Field: field, Related: []string{"pipeline.graph.ops"}, Help: "compute the term from tensors that carry gradients, or set its coefficient to 0",
				Summary: fmt.Sprintf("loss term %s has coefficient %g but reaches no trained parameter: %s", t.Name, t.Coefficient, cut)})
		}
	}
	if described && len(all.reached) > 0 {
		fs = append(fs, g.unreached(&all)...)
	}
	return fs
}

// unreached are trained parameters that ops read and no term reaches.
func (g *graphing) unreached(w *walk) (fs []Finding) {
	for i := range g.Parameters {
		p := &g.Parameters[i]
		s := g.storage(p.Name)
		if !p.Trainable || p.CutBy != "" || !g.known(p.Name) || slices.ContainsFunc(w.reached, func(n string) bool { return g.storage(n) == s }) {
			continue
		}
		why := "no op that reads it leads to the loss"
		if slices.Contains(w.behind, p.Name) {
			why = "its path is cut at " + strings.Join(distinct(g.between(p.Name, w), func(n string) string { return n }), " and ")
		}
		fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.graph.parameters.%d", i), Related: []string{"pipeline.graph.ops"}, Help: "remove the cut, or say trainable: false",
			Summary: fmt.Sprintf("%s gets no gradient: %s", p.Name, why)})
	}
	return fs
}

// between are the ops that cut between a parameter and the loss.
func (g *graphing) between(name string, w *walk) (cuts []string) {
	from := []string{name}
	for i := range g.Ops {
		op := &g.Ops[i]
		if !slices.ContainsFunc(op.Reads, func(t string) bool { return slices.Contains(from, t) }) {
			continue
		}
		if op.Cuts && slices.Contains(w.cuts, op.Name) {
			cuts = append(cuts, op.Name)
		}
		from = append(from, op.Makes...)
	}
	return cuts
}
