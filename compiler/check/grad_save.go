package check

import (
	"fmt"
	"slices"
)

var gradSave = Rule{
	ID: "grad.save", Title: "what is kept for backward is not overwritten",
	Formula: "no write to a storage in (save, last reader in backward)",
	Doc:     `An op that keeps a tensor for its backward pass needs it unchanged until then. pipeline.graph.ops lists ops in the order of forward, at t = 0, 1, …; the backward of the i-th of n runs at t = 2n−1−i. Writes in place in forward (overwrites) and in backward (backwardOverwrites) to the same storage, also through a view, must not fall in between. gradcue has no views and no writes in place to a value that is read later: the plan's validation proves it.`,
	Spec: func(in *Input) []Finding {
		g := graph(in)
		if f := g.unknownTensor(); f != nil {
			return []Finding{*f}
		}
		same := g.views()
		n := len(g.Ops)
		var fs []Finding
		for i := range g.Ops {
			for _, saved := range g.Ops[i].Saves {
				read := 2*n - 1 - i
				for j := i + 1; j < n; j++ {
					for _, w := range []struct {
						list  []string
						field string
						at    int
						when  string
					}{{g.Ops[j].Overwrites, "overwrites", j, "forward"}, {g.Ops[j].BackwardOverwrites, "backwardOverwrites", 2*n - 1 - j, "its backward"}} {
						k := slices.IndexFunc(w.list, func(t string) bool { return same(t) == same(saved) })
						if k < 0 {
							continue
						}
						name := saved
						if w.list[k] != saved {
							name = fmt.Sprintf("%s, which is %s,", w.list[k], saved)
						}
						fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.graph.ops.%d.%s.%d", j, w.field, k), Related: []string{fmt.Sprintf("pipeline.graph.ops.%d.saves", i)},
							Help:    "write to another buffer, or keep a copy for backward",
							Summary: fmt.Sprintf("%s overwrites %s at t=%d (%s), but the backward of %s reads it at t=%d: it needs what it saved at t=%d", g.Ops[j].Name, name, w.at, w.when, g.Ops[i].Name, read, i)})
					}
				}
			}
		}
		return fs
	},
}

// unknownTensor is a name in saves or overwrites that no op reads or makes.
func (g *graphing) unknownTensor() *Finding {
	for i := range g.Ops {
		op := &g.Ops[i]
		for _, l := range []struct {
			names []string
			field string
		}{{op.Saves, "saves"}, {op.Overwrites, "overwrites"}, {op.BackwardOverwrites, "backwardOverwrites"}} {
			for k, t := range l.names {
				if !g.known(t) {
					return &Finding{Field: fmt.Sprintf("pipeline.graph.ops.%d.%s.%d", i, l.field, k), Summary: fmt.Sprintf("%s of %s names %s, which no op reads or makes", l.field, op.Name, t), Help: "name a tensor of pipeline.graph.ops"}
				}
			}
		}
	}
	return nil
}

// views maps a tensor to the first name of its bytes.
func (g *graphing) views() func(string) string {
	of := map[string]string{}
	root := func(t string) string {
		for range len(g.Ops) + 1 {
			up, ok := of[t]
			if !ok {
				break
			}
			t = up
		}
		return t
	}
	for i := range g.Ops {
		op := &g.Ops[i]
		if !op.View || len(op.Reads) == 0 {
			continue
		}
		for _, t := range op.Makes {
			if base := root(op.Reads[0]); base != t {
				of[t] = base
			}
		}
	}
	return root
}
