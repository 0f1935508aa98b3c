package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var gradAlias = Rule{
	ID: "grad.alias", Title: "one storage, one gradient, one optimizer slot",
	Formula: "slots(storage) = 1; managers(storage) = 1; g = Σ over uses, replicas and parts; Σ rows of shards = rows",
	Doc:     `Names that are tied are one tensor: one storage, one optimizer slot, one entry in the optimizer's groups, one component that places it. Its gradient is the sum over all its uses; where every replica computes a part, the parts are reduced, and where each computes the whole they are not added up. Shards cover all rows, also when the ranks do not divide them. In gradcue a tied head is the embedding: one parameter of the plan, one gradient, one pair of moments.`,
	Spec: func(in *Input) []Finding {
		g := graph(in)
		fs := g.storages()
		fs = append(fs, g.grouped()...)
		for i := range g.Parameters {
			fs = append(fs, parts(&g.Parameters[i], fmt.Sprintf("pipeline.graph.parameters.%d", i))...)
		}
		return append(fs, managed(in)...)
	},
}

// graphing is the described graph.
type graphing struct {
	*shape.GraphPipeline
	in *Input
}

func graph(in *Input) *graphing {
	return &graphing{part(in, func(p *shape.Pipeline) *shape.GraphPipeline { return p.Graph }), in}
}

// find is the description of a parameter, nil where it has none.
func (g *graphing) find(name string) *shape.GraphParameter {
	for i := range g.Parameters {
		if g.Parameters[i].Name == name {
			return &g.Parameters[i]
		}
	}
	return nil
}

// storage is the bytes that a parameter lives in.
func (g *graphing) storage(name string) string {
	if p := g.find(name); p != nil && p.Storage != "" {
		return p.Storage
	}
	for _, t := range g.Tied {
		if slices.Contains(t.Names, name) {
			for _, other := range t.Names { // a name that says nothing goes with one that does
				if p := g.find(other); p != nil && p.Storage != "" {
					return p.Storage
				}
			}
			return t.Names[0]
		}
	}
	return name
}

// slot is the optimizer state of a parameter.
func (g *graphing) slot(name string) string {
	if p := g.find(name); p != nil && p.Slot != "" {
		return p.Slot
	}
	return g.storage(name)
}

// distinct are the values of f, each once, in the order of names.
func distinct(names []string, f func(string) string) (list []string) {
	for _, n := range names {
		if v := f(n); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// storages compares what is tied, and what shares storage, with its slots.
func (g *graphing) storages() (fs []Finding) {
	done := map[string]bool{}
	for i, t := range g.Tied {
		field := fmt.Sprintf("pipeline.graph.tied.%d", i)
		stores, slots := distinct(t.Names, g.storage), distinct(t.Names, g.slot)
		names := strings.Join(t.Names, " and ")
		if len(stores) == 1 && len(slots) == 1 {
			continue
		}
		f := Finding{Field: field, Help: "make them one tensor with one optimizer slot, or say that they are not tied"}
		for k := range g.Parameters {
			if slices.Contains(t.Names, g.Parameters[k].Name) {
				f.Related = append(f.Related, fmt.Sprintf("pipeline.graph.parameters.%d", k))
			}
		}
		if len(stores) > 1 {
			f.Summary = fmt.Sprintf("%s are tied, but are %d tensors (%s) with %s: they drift apart%s", names, len(stores), strings.Join(stores, ", "), plural(int64(len(slots)), "optimizer slot"), g.drift(t.Names))
		} else {
			f.Summary = fmt.Sprintf("%s share storage %s, but have %d optimizer slots (%s): it is updated %d times in a step", names, stores[0], len(slots), strings.Join(slots, ", "), len(slots))
		}
		for _, s := range stores {
			done[s] = true
		}
		fs = append(fs, f)
	}
	for i := range g.Parameters {
		s := g.storage(g.Parameters[i].Name)
		if done[s] {
			continue
		}
		done[s] = true
		var names []string
		for k := range g.Parameters {
			if n := g.Parameters[k].Name; g.storage(n) == s {
				names = append(names, n)
			}
		}
		if slots := distinct(names, g.slot); len(slots) > 1 {
			fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.graph.parameters.%d", i), Help: "give the storage one optimizer slot",
				Summary: fmt.Sprintf("%s share storage %s, but have %d optimizer slots (%s): it is updated %d times in a step", strings.Join(names, " and "), s, len(slots), strings.Join(slots, ", "), len(slots))})
		}
	}
	return fs
}

// drift shows the parts of the gradient that should be one sum.
func (g *graphing) drift(names []string) string {
	var terms []string
	sum := 0.0
	for _, n := range names {
		p := g.find(n)
		if p == nil {
			continue
		}
		for _, u := range p.Uses {
			if u.Example != nil {
				terms = append(terms, fmt.Sprintf("%+g", *u.Example))
				sum += *u.Example
			}
		}
	}
	if len(terms) < 2 {
		return ""
	}
	return fmt.Sprintf(", moved by %s on their own, where the sum %+.4g is right", strings.Join(terms, " and "), sum)
}

// grouped checks that the optimizer's groups are a partition of the storages.
func (g *graphing) grouped() (fs []Finding) {
	if len(g.Groups) == 0 {
		return nil
	}
	known := g.names()
	type entry struct{ group, field string }
	entries := map[string][]entry{}
	var order []string
	for i, gr := range g.Groups {
		for k, pattern := range gr.Params {
			field := fmt.Sprintf("pipeline.graph.groups.%d.params.%d", i, k)
			hit := false
			for _, n := range known {
				if ok, _ := path.Match(pattern, n); !ok && pattern != n {
					continue
				}
				hit = true
				s := g.storage(n)
				if entries[s] == nil {
					order = append(order, s)
				}
				entries[s] = append(entries[s], entry{gr.Name, field})
			}
			if !hit {
				fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf("pattern %q of group %s matches no parameter that is described", pattern, gr.Name), Help: "write the name out, or add it to pipeline.graph.parameters"})
			}
		}
	}
	for _, s := range order {
		es := entries[s]
		if len(es) < 2 || g.slotsOf(s, known) > 1 { // several slots are explained already
			continue
		}
		var names []string
		for _, e := range es {
			names = append(names, e.group)
		}
		fs = append(fs, Finding{Field: es[1].field, Related: []string{es[0].field}, Help: "put each storage into one group, once",
			Summary: fmt.Sprintf("%s is %d times in the optimizer's groups (%s): it is updated %d times in a step, with %s", s, len(es), strings.Join(names, ", "), len(es), plural(int64(len(es)), "state"))})
	}
	for i := range g.Parameters {
		p := &g.Parameters[i]
		if p.Trainable && len(entries[g.storage(p.Name)]) == 0 {
			fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.graph.parameters.%d", i), Related: []string{"pipeline.graph.groups"}, Help: "add it to a group, or say trainable: false",
				Summary: fmt.Sprintf("%s is trained, but in none of the optimizer's %s: it is never updated", p.Name, plural(int64(len(g.Groups)), "group"))})
		}
	}
	return fs
}

// slotsOf is the number of optimizer slots of one storage.
func (g *graphing) slotsOf(storage string, names []string) int {
	var own []string
	for _, n := range names {
		if g.storage(n) == storage {
			own = append(own, n)
		}
	}
	return len(distinct(own, g.slot))
}

// names are all parameters that are spoken of, each once: described ones, tied
// ones, and those written out in groups.
func (g *graphing) names() (list []string) {
	add := func(n string) {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for i := range g.Parameters {
		add(g.Parameters[i].Name)
	}
	for _, t := range g.Tied {
		for _, n := range t.Names {
			add(n)
		}
	}
	for _, gr := range g.Groups {
		for _, n := range gr.Params {
			if !strings.ContainsAny(n, `*?[\`) {
				add(n)
			}
		}
	}
	return list
}
