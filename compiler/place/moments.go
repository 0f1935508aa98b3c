package place

import (
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
)

// host reports whether the optimizer state of a block (layer −1: outside) lives on
// the host: moments, and f32 master copies of parameters that are stored in 16 bits.
func (p *placer) host(layer int) bool {
	return layer+1 < len(p.d.Moments) && p.d.Moments[layer+1]
}

// leaf copies a leaf; state that lives on the host changes its tier.
func (p *placer) leaf(i int) {
	n := &p.g.Nodes[i]
	id := p.rw.Copy(i)[0]
	v := &p.rw.New.Values[id]
	if (v.Class == ir.Optimizer && v.Name != "norms" || v.Class == ir.Master) && p.host(n.Layer) {
		v.Tier = ir.Host
	}
}

// state are the arguments of an optimizer node that are its state.
func (p *placer) state(n *ir.Node) (args []int) {
	for _, name := range []string{"w", "m", "v"} {
		if i := n.Op.Arg(name); i >= 0 && p.g.Values[n.Args[i]].Class != ir.Parameter {
			args = append(args, i)
		}
	}
	return args
}

// streams reports whether a node's state comes from the host.
func (p *placer) streams(n *ir.Node) bool {
	return n.Section == ir.Update && n.Phase == ir.Step && n.Op.Result("w'") >= 0 && n.Op.Arg("g") >= 0 && len(p.state(n)) > 0 && p.host(n.Layer)
}

// step collects an optimizer node; all are emitted together, in groups.
func (p *placer) step(i int) { p.steps = append(p.steps, i) }

// follows is the pending node whose result n reads, -1 for none: rounding a
// parameter from its master copy waits with the update of that copy.
func (p *placer) follows(n *ir.Node) int {
	if n.Section != ir.Update || len(p.steps) == 0 {
		return -1
	}
	for _, a := range n.Args {
		if a != ir.None && slices.Contains(p.steps, p.g.Values[a].Node) {
			return p.g.Values[a].Node
		}
	}
	return -1
}

// groups packs the pending nodes into runs of at most the size of the largest,
// so that a slot is as small as it can be.
func (p *placer) groups() (gs [][]int) {
	size := func(i int) (n int64) {
		for _, a := range p.state(&p.g.Nodes[i]) {
			n += up(p.g.Values[p.g.Nodes[i].Args[a]].Type.Bytes())
		}
		return n
	}
	limit, used := int64(0), int64(0)
	for _, i := range p.steps {
		limit = max(limit, size(i))
	}
	for _, i := range p.steps {
		if len(gs) == 0 || used+size(i) > limit {
			gs, used = append(gs, nil), 0
		}
		gs[len(gs)-1] = append(gs[len(gs)-1], i)
		used += size(i)
	}
	p.res.SlotBytes[ir.Update] = limit
	return gs
}

// flushMoments emits the streamed optimizer nodes: S groups are on their way in
// before the first is used; a slot is filled again when all that reads it has
// ended: its copies out, and rounding from the master copies in it.
func (p *placer) flushMoments() {
	gs := p.groups()
	in := make([]map[ir.ID]ir.ID, len(gs)) // group → old moment → value in the slot
	for j := range min(p.d.Slots, len(gs)) {
		in[j] = p.momentsIn(gs[j], j, nil)
	}
	for j, group := range gs {
		var outs []int // what must have ended before the slot is free
		for _, i := range group {
			n := &p.g.Nodes[i]
			args := p.rw.Args(n)
			for _, a := range p.state(n) {
				args[a] = in[j][n.Args[a]]
			}
			ids := p.rw.CopyWith(i, args)
			for _, f := range p.after[i] {
				p.rw.Copy(f)
				outs = append(outs, p.rw.Nodes[f]) // it reads the slot, too
			}
			outs = append(outs, p.momentsOut(n, ids)...)
		}
		if next := j + p.d.Slots; next < len(gs) {
			in[next] = p.momentsIn(gs[next], next, outs)
		}
	}
}

func (p *placer) momentsIn(group []int, j int, after []int) map[ir.ID]ir.ID {
	in, off := map[ir.ID]ir.ID{}, int64(0)
	for _, i := range group {
		n := &p.g.Nodes[i]
		for _, a := range p.state(n) {
			old := n.Args[a]
			v := p.g.Values[old]
			id := p.rw.New.Add(ir.Node{Op: ir.OpCopyIn, Args: []ir.ID{p.rw.IDs[old]}, Section: ir.Update, Phase: ir.Transfer, Layer: n.Layer,
				Origin: "offload.place.optimizer", After: after}, ir.Result{Name: v.Name, Layer: n.Layer, Class: ir.Staging, Slot: j%p.d.Slots + 1})[0]
			p.inSlot(id, off)
			off += up(v.Type.Bytes())
			in[old] = id
		}
	}
	return in
}

// momentsOut copies the new state back over its host storage.
func (p *placer) momentsOut(n *ir.Node, ids []ir.ID) (nodes []int) {
	for _, a := range p.state(n) {
		name := n.Op.Info().Args[a].Name
		result := ids[n.Op.Result(name+"'")]
		host := p.rw.IDs[n.Args[a]]
		v := p.rw.New.Values[host]
		p.rw.New.Values[result].Class = ir.Staging
		p.rw.New.Values[result].Slot = p.rw.New.Values[p.rw.New.Storage(result)].Slot
		p.rw.New.Add(ir.Node{Op: ir.OpCopyOut, Args: []ir.ID{result, host}, Section: ir.Update, Phase: ir.Transfer, Layer: n.Layer,
			Origin: "offload.place.optimizer"}, ir.Result{Name: v.Name, Layer: n.Layer, Class: v.Class, Tier: ir.Host})
		nodes = append(nodes, len(p.rw.New.Nodes)-1)
	}
	return nodes
}
