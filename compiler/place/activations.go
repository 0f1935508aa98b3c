package place

import "github.com/gradcue/gradcue/compiler/ir"

// forward copies a forward node; results that are offloaded go to their slot.
func (p *placer) forward(i int) {
	n := &p.g.Nodes[i]
	rank := -1
	if n.Layer >= 0 {
		rank = p.rank[n.Layer]
	}
	if rank >= 0 && p.entered != n.Layer {
		p.entered = n.Layer
		p.enter(rank)
	}
	ids := p.rw.Copy(i)
	if rank >= 0 {
		p.stageResults(rank, n, ids)
	}
	if rank >= 0 && i == p.lastF[n.Layer] {
		p.copyOut(rank)
	}
}

// free are the copies out that must have ended before the slot of a rank is
// written. The last rank waits for the last copies that there are, so all copies
// out have ended before the loss without a rule of its own.
func (p *placer) free(rank int) []int {
	if rank < p.d.Slots {
		return nil
	}
	return p.out[rank-p.d.Slots]
}

// enter begins the forward of an offloaded block: its input goes to the slot by
// an explicit copy, since the block before wrote it while the slot was in use.
func (p *placer) enter(rank int) {
	layer := p.ranked[rank]
	if p.d.Of(layer, "in") != Host {
		return
	}
	for old := range p.g.Values {
		v := &p.g.Values[old]
		if v.Layer != layer || v.Name != "in" || p.g.Nodes[v.Node].Section != ir.Micro || p.g.Nodes[v.Node].Phase != ir.Forward {
			continue
		}
		id := p.rw.New.Add(ir.Node{Op: ir.OpCopyStage, Args: []ir.ID{p.rw.IDs[old]}, Section: ir.Micro, Phase: ir.Transfer,
			Layer: layer, Origin: "offload", After: p.free(rank)}, p.staging("in", layer, rank))[0]
		p.addStage(rank, ir.ID(old), id)
	}
}

func (p *placer) staging(name string, layer, rank int) ir.Result {
	return ir.Result{Name: name, Layer: layer, Class: ir.Staging, Slot: rank%p.d.Slots + 1}
}

func (p *placer) addStage(rank int, old, id ir.ID) {
	off := int64(0)
	for _, s := range p.staged[rank] {
		off += up(p.rw.New.Values[s.slot].Type.Bytes())
	}
	p.inSlot(id, off)
	p.staged[rank] = append(p.staged[rank], stage{old: old, slot: id, host: ir.None})
	p.res.SlotBytes[ir.Micro] = max(p.res.SlotBytes[ir.Micro], off+up(p.rw.New.Values[id].Type.Bytes()))
	p.back[old] = id
}

// stageResults puts the offloaded results of a node straight into the slot.
func (p *placer) stageResults(rank int, n *ir.Node, ids []ir.ID) {
	for k, id := range ids {
		v := &p.rw.New.Values[id]
		if v.Layer != n.Layer || p.d.Of(n.Layer, v.Name) != Host {
			continue // the last node of a block makes the input of the next
		}
		v.Class, v.Slot = ir.Staging, rank%p.d.Slots+1
		p.addStage(rank, n.Results[k], id)
		node := &p.rw.New.Nodes[len(p.rw.New.Nodes)-1]
		node.After = p.free(rank)
	}
}

// copyOut ends the forward of an offloaded block.
func (p *placer) copyOut(rank int) {
	if !p.moves(rank) {
		return
	}
	layer := p.ranked[rank]
	for k := range p.staged[rank] {
		s := &p.staged[rank][k]
		v := p.rw.New.Values[s.slot]
		host := p.rw.New.Leaf(v.Name, layer, ir.Activation, ir.Host, v.Type, "offload")
		s.host = p.rw.New.Add(ir.Node{Op: ir.OpCopyOut, Args: []ir.ID{s.slot, host}, Section: ir.Micro, Phase: ir.Transfer,
			Layer: layer, Origin: "offload"}, ir.Result{Name: v.Name, Layer: layer, Class: ir.Activation, Tier: ir.Host})[0]
		p.out[rank] = append(p.out[rank], len(p.rw.New.Nodes)-1)
	}
}

// copyIn brings the results of a rank back once the backward of rank+S has ended.
func (p *placer) copyIn(rank int) {
	if rank < 0 || !p.moves(rank) {
		return
	}
	layer := p.ranked[rank]
	after := []int{len(p.rw.New.Nodes) - 1}
	for _, s := range p.staged[rank] {
		v := p.rw.New.Values[s.slot]
		id := p.rw.New.Add(ir.Node{Op: ir.OpCopyIn, Args: []ir.ID{s.host}, Section: ir.Micro, Phase: ir.Transfer,
			Layer: layer, Origin: "offload", After: after}, p.staging(v.Name, layer, rank))[0]
		p.inSlot(id, p.res.InSlot[s.slot])
		p.back[s.old] = id
	}
}

// backward copies a backward node with its forward operands as placed.
func (p *placer) backward(i int) {
	n := &p.g.Nodes[i]
	if n.Layer != p.layer {
		p.layer = n.Layer
		clear(p.again)
	}
	args := make([]ir.ID, len(n.Args))
	for k, a := range n.Args {
		args[k] = p.operand(a)
	}
	p.rw.CopyWith(i, args)
	if n.Layer >= 0 && i == p.lastB[n.Layer] && p.rank[n.Layer] >= 0 {
		p.copyIn(p.rank[n.Layer] - p.d.Slots)
	}
}

// operand is the value that a backward node reads for a value of the old graph.
func (p *placer) operand(a ir.ID) ir.ID {
	if a == ir.None {
		return ir.None
	}
	v := &p.g.Values[a]
	n := &p.g.Nodes[v.Node]
	if n.Phase != ir.Forward {
		return p.rw.IDs[a]
	}
	switch p.d.Of(v.Layer, v.Name) {
	case Host:
		return p.back[a]
	case Recompute:
		return p.recompute(a)
	}
	return p.rw.IDs[a]
}
