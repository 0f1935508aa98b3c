package order

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Item is one command: a node of the graph, or an event.
type Item struct {
	Kind   string // plan.Launch, plan.Copy, plan.Record, plan.Wait
	Node   int    // of launch and copy
	Stream plan.Stream
	Event  int
}

// Schedule is the order of commands of each section.
type Schedule struct {
	Graph    *ir.Graph
	Sections [ir.NumSections][]Item
}

// StreamOf is the stream that a node runs on.
func StreamOf(op ir.Op) plan.Stream {
	switch op {
	case ir.OpCopyOut:
		return plan.Out
	case ir.OpCopyIn:
		return plan.In
	}
	return plan.Compute
}

// Make orders every section of a graph.
func Make(g *ir.Graph) *Schedule {
	s := &Schedule{Graph: g}
	var nodes [ir.NumSections][]int
	for i := range g.Nodes {
		if g.Nodes[i].Op != ir.OpLeaf {
			sec := g.Nodes[i].Section
			nodes[sec] = append(nodes[sec], i)
		}
	}
	for sec, list := range nodes {
		s.Sections[sec] = section(g, list)
	}
	return s
}

// clock says, per stream, how many of its nodes are known to be done.
type clock [plan.NumStreams]int

func (c *clock) merge(d clock) {
	for i := range c {
		c[i] = max(c[i], d[i])
	}
}

// section finds the waits first, since a record stands right after its node.
func section(g *ir.Graph, list []int) []Item {
	place := map[int]struct {
		stream plan.Stream
		at     int   // position on its stream, from 1
		clock  clock // what is known to be done once the node is done
	}{}
	var now [plan.NumStreams]clock
	waits := make([][]int, len(list))
	recorded := map[int]bool{}
	for k, i := range list {
		st := StreamOf(g.Nodes[i].Op)
		for _, d := range dependencies(g, i) {
			p, ok := place[d]
			if !ok || p.stream == st || now[st][p.stream] >= p.at {
				continue
			}
			waits[k] = append(waits[k], d)
			recorded[d] = true
			now[st].merge(p.clock)
		}
		now[st][st]++
		place[i] = struct {
			stream plan.Stream
			at     int
			clock  clock
		}{st, now[st][st], now[st]}
	}
	var items []Item
	event := map[int]int{}
	for k, i := range list {
		st := StreamOf(g.Nodes[i].Op)
		for _, d := range waits[k] {
			items = append(items, Item{Kind: plan.Wait, Node: -1, Stream: st, Event: event[d]})
		}
		kind := plan.Launch
		if g.Nodes[i].Op.Copies() {
			kind = plan.Copy
		}
		items = append(items, Item{Kind: kind, Node: i, Stream: st})
		if recorded[i] {
			event[i] = len(event)
			items = append(items, Item{Kind: plan.Record, Node: -1, Stream: st, Event: event[i]})
		}
	}
	return items
}

// dependencies are the nodes whose results a node reads or writes over, and its
// After edges; the latest first, so that one wait settles the earlier ones.
func dependencies(g *ir.Graph, i int) []int {
	n := &g.Nodes[i]
	var ds []int
	add := func(d int) {
		at := len(ds)
		for at > 0 && ds[at-1] < d {
			at--
		}
		ds = append(ds, 0)
		copy(ds[at+1:], ds[at:])
		ds[at] = d
	}
	for _, a := range n.Args {
		if a != ir.None && g.Nodes[g.Values[a].Node].Op != ir.OpLeaf {
			add(g.Values[a].Node)
		}
	}
	for _, d := range n.After {
		add(d)
	}
	return ds
}
