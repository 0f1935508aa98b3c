package fuse

import "github.com/gradcue/gradcue/compiler/ir"

// Rule fuses Producer with the Consumer of its first result in the same
// section and phase. The fused op takes the producer's arguments and has both
// first results, in that order.
type Rule struct {
	Producer, Consumer, Fused ir.Op
}

// Rules are tried in order.
var Rules = []Rule{
	{ir.OpLinear, ir.OpGELU, ir.OpLinearGELU},
}

// Fuse applies the rules; the result holds the new graph and where each value went.
func Fuse(g *ir.Graph) *ir.Rewriter {
	rw := ir.NewRewriter(g)
	readers := firstReaders(g)
	done := make([]bool, len(g.Nodes))
	for i := range g.Nodes {
		if done[i] {
			continue
		}
		n := &g.Nodes[i]
		c, rule := match(g, readers, i)
		if rule == nil {
			rw.Copy(i)
			continue
		}
		consumer := &g.Nodes[c]
		results := append(rw.ResultInfo(n)[:1], rw.ResultInfo(consumer)[0])
		ids := rw.New.Add(ir.Node{Op: rule.Fused, Args: rw.Args(n), Attr: consumer.Attr, Section: n.Section,
			Phase: n.Phase, Layer: n.Layer, Origin: n.Origin}, results...)
		rw.Nodes[i], rw.Nodes[c] = len(rw.New.Nodes)-1, len(rw.New.Nodes)-1
		rw.IDs[n.Results[0]], rw.IDs[consumer.Results[0]] = ids[0], ids[1]
		done[c] = true
	}
	return rw
}

// firstReaders is, by value, the first node that reads it, -1 for none.
func firstReaders(g *ir.Graph) []int {
	first := make([]int, len(g.Values))
	for i := range first {
		first[i] = -1
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		for _, a := range g.Nodes[i].Args {
			if a != ir.None {
				first[a] = i
			}
		}
	}
	return first
}

func match(g *ir.Graph, readers []int, i int) (consumer int, rule *Rule) {
	n := &g.Nodes[i]
	for r := range Rules {
		if n.Op != Rules[r].Producer || readers[n.Results[0]] < 0 {
			continue
		}
		c := readers[n.Results[0]]
		m := &g.Nodes[c]
		if m.Op == Rules[r].Consumer && len(m.Args) == 1 && m.Section == n.Section && m.Phase == n.Phase {
			return c, &Rules[r]
		}
	}
	return 0, nil
}
