package place

import (
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
)

// recompute makes a forward value again inside the current block's backward.
func (p *placer) recompute(a ir.ID) ir.ID {
	if id, ok := p.again[a]; ok {
		return id
	}
	v := &p.g.Values[a]
	n := &p.g.Nodes[v.Node]
	if id, ok := p.cheaper(n, a); ok {
		p.again[a] = id
		return id
	}
	args := make([]ir.ID, len(n.Args))
	for k, x := range n.Args {
		args[k] = p.source(x)
	}
	ids := p.emitAgain(n.Op, n.Attr, n, args, p.rw.ResultInfo(n))
	for k, r := range n.Results {
		p.again[r] = ids[k]
	}
	return p.again[a]
}

// cheaper uses the op table's shortcut for one result, when the results that it
// needs are there without recomputing their node.
func (p *placer) cheaper(n *ir.Node, a ir.ID) (ir.ID, bool) {
	result := n.Op.Info().Results[p.g.Values[a].Index].Name
	for _, s := range n.Op.Info().Again {
		if s.Result != result {
			continue
		}
		args := make([]ir.ID, len(s.Args))
		for k, name := range s.Args {
			if i := n.Op.Result(name); i >= 0 {
				if !p.there(n.Results[i]) {
					return ir.None, false
				}
				args[k] = p.source(n.Results[i])
				continue
			}
			args[k] = p.source(n.Args[n.Op.Arg(name)])
		}
		info := p.rw.ResultInfo(n)[p.g.Values[a].Index]
		return p.emitAgain(s.Op, attrsOf(s.Op, n.Attr), n, args, []ir.Result{info})[0], true
	}
	return ir.None, false
}

// attrsOf drops the attributes that the shortcut does not have.
func attrsOf(op ir.Op, a ir.Attr) ir.Attr {
	if !slices.Contains(op.Info().Attrs, "eps") {
		a.Eps = 0
	}
	return a
}

// source is a value that a recomputed node reads: what is kept, what came back
// from the host, or what must itself be made again.
func (p *placer) source(a ir.ID) ir.ID {
	if a == ir.None {
		return ir.None
	}
	v := &p.g.Values[a]
	n := &p.g.Nodes[v.Node]
	switch {
	case n.Phase != ir.Forward || p.kept(a):
		return p.rw.IDs[a]
	case p.d.Of(v.Layer, v.Name) == Host:
		return p.back[a]
	}
	return p.recompute(a)
}

// there reports whether a forward value can be read in backward without its
// node: it was kept, or it has come back from the host.
func (p *placer) there(a ir.ID) bool {
	v := &p.g.Values[a]
	return p.kept(a) || p.d.Of(v.Layer, v.Name) == Host
}

// kept reports whether a forward value stays on the device until backward:
// statistics that a shortcut needs always do; of the rest those with a name
// that is decided keep. What has no decision is a step on the way.
func (p *placer) kept(a ir.ID) bool {
	v := &p.g.Values[a]
	if p.d.Decidable(v.Name) {
		return p.d.Of(v.Layer, v.Name) == Keep
	}
	op := p.g.Nodes[v.Node].Op
	name := op.Info().Results[v.Index].Name
	for _, s := range op.Info().Again {
		if slices.Contains(s.Args, name) {
			return true
		}
	}
	return false
}

func (p *placer) emitAgain(op ir.Op, a ir.Attr, n *ir.Node, args []ir.ID, results []ir.Result) []ir.ID {
	for i := range results {
		results[i].Slot = 0
	}
	return p.rw.New.Add(ir.Node{Op: op, Args: args, Attr: a, Section: ir.Micro, Phase: ir.Recompute, Layer: p.layer, Origin: "checkpointing"}, results...)
}
