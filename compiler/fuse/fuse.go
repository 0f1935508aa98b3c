package fuse

import "github.com/gradcue/gradcue/compiler/ir"

// Rule fuses Producer with the Consumer of its first result in the same
// section and phase. Without Inner the consumer takes nothing else, and the
// fused op takes the producer's arguments and has both first results, in that
// order. With Inner the consumer is the only reader of that result, which is
// left out; the fused op takes the producer's arguments and then the
// consumer's other one, and has the consumer's result. A decidable result is
// never left out, as its gradient's op would read it.
type Rule struct {
	Producer, Consumer, Fused ir.Op
	Inner                     bool
}

// Rules are tried in order.
var Rules = []Rule{
	{Producer: ir.OpLinear, Consumer: ir.OpGELU, Fused: ir.OpLinearGELU},
	{Producer: ir.OpLinear, Consumer: ir.OpAdd, Fused: ir.OpLinearAdd, Inner: true},
}

// pair is what one rule fuses: two nodes.
type pair struct {
	rule               *Rule
	producer, consumer int
}

// at is the node in whose place the fused one stands: both results are made by
// the producer's time; an inner one needs all arguments of the consumer.
func (p *pair) at() int {
	if p.rule.Inner {
		return p.consumer
	}
	return p.producer
}

// Fuse applies the rules; the result holds the new graph and where each value
// went, None for one that is left out.
func Fuse(g *ir.Graph) *ir.Rewriter {
	rw := ir.NewRewriter(g)
	pairs := match(g)
	for i := range g.Nodes {
		switch p := pairs[i]; {
		case p == nil:
			rw.Copy(i)
		case p.at() != i:
		case p.rule.Inner:
			inner(rw, p)
		default:
			both(rw, p)
		}
	}
	return rw
}

// both adds the op that has the results of producer and consumer.
func both(rw *ir.Rewriter, p *pair) {
	n, m := &rw.Old.Nodes[p.producer], &rw.Old.Nodes[p.consumer]
	results := append(rw.ResultInfo(n)[:1], rw.ResultInfo(m)[0])
	ids := add(rw, p, rw.Args(n), results)
	rw.IDs[n.Results[0]], rw.IDs[m.Results[0]] = ids[0], ids[1]
}

// inner adds the op that has the consumer's result alone.
func inner(rw *ir.Rewriter, p *pair) {
	n, m := &rw.Old.Nodes[p.producer], &rw.Old.Nodes[p.consumer]
	args := rw.Args(n)
	for _, a := range m.Args {
		if a != n.Results[0] {
			args = append(args, rw.Map(a))
		}
	}
	rw.IDs[m.Results[0]] = add(rw, p, args, rw.ResultInfo(m)[:1])[0]
}

func add(rw *ir.Rewriter, p *pair, args []ir.ID, results []ir.Result) []ir.ID {
	n, m := &rw.Old.Nodes[p.producer], &rw.Old.Nodes[p.consumer]
	rw.Nodes[p.producer], rw.Nodes[p.consumer] = len(rw.New.Nodes), len(rw.New.Nodes)
	return rw.New.Add(ir.Node{Op: p.rule.Fused, Args: args, Attr: m.Attr, Section: n.Section, Phase: n.Phase, Layer: n.Layer, Origin: n.Origin}, results...)
}

// match finds what is fused, by node: the pair of a producer and of a consumer.
func match(g *ir.Graph) []*pair {
	pairs := make([]*pair, len(g.Nodes))
	first, count := readers(g)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for r := range Rules {
			rule := &Rules[r]
			if n.Op != rule.Producer || first[n.Results[0]] < 0 {
				continue
			}
			c := first[n.Results[0]]
			m := &g.Nodes[c]
			fits := len(m.Args) == 1
			if rule.Inner {
				fits = len(m.Args) == 2 && count[n.Results[0]] == 1
			}
			if fits && m.Op == rule.Consumer && m.Section == n.Section && m.Phase == n.Phase && pairs[i] == nil && pairs[c] == nil {
				pairs[i] = &pair{rule, i, c}
				pairs[c] = pairs[i]
			}
		}
	}
	return pairs
}

// readers are, by value, the first node that reads it, -1 for none, and how
// often it is read.
func readers(g *ir.Graph) (first, count []int) {
	first, count = make([]int, len(g.Values)), make([]int, len(g.Values))
	for i := range first {
		first[i] = -1
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		for _, a := range g.Nodes[i].Args {
			if a != ir.None {
				first[a] = i
				count[a]++
			}
		}
	}
	return first, count
}
