package place_test

import (
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/window"
)

// group is a run of optimizer nodes that share a slot at one time.
type group struct {
	in, steps, out []int
	casts          []int // what rounds parameters from master copies in the slot
	bytes          int64
}

// inSlots are the arguments of an optimizer node that come in through a slot.
func inSlots(g *ir.Graph, n *ir.Node) (vs []*ir.Value) {
	for _, name := range []string{"w", "m", "v"} {
		if k := n.Op.Arg(name); k >= 0 && n.Section == ir.Update && n.Phase == ir.Step && n.Op.Arg("g") >= 0 {
			if v := &g.Values[n.Args[k]]; v.Slot > 0 {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

// streamed collects the groups in order: another one begins with a slot that
// was filled after the last step.
func streamed(t *testing.T, g *ir.Graph) (gs []group) {
	t.Helper()
	owner := map[int]int{} // optimizer node → group
	slot := 0
	for i := range g.Nodes {
		vs := inSlots(g, &g.Nodes[i])
		if len(vs) == 0 {
			continue
		}
		if len(gs) == 0 || vs[0].Slot != slot || vs[0].Node > gs[len(gs)-1].steps[0] {
			gs, slot = append(gs, group{}), vs[0].Slot
		}
		p := &gs[len(gs)-1]
		p.steps = append(p.steps, i)
		owner[i] = len(gs) - 1
		for _, v := range vs {
			if v.Slot != slot {
				t.Errorf("%s is in slot %d, want %d", v.Name, v.Slot-1, slot-1)
			}
			p.in = append(p.in, v.Node)
			p.bytes += (v.Type.Bytes() + 255) / 256 * 256
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Section != ir.Update || n.Op != ir.OpCopyOut && n.Op != ir.OpCast {
			continue
		}
		k, ok := owner[g.Values[n.Args[0]].Node]
		switch {
		case n.Op == ir.OpCopyOut:
			gs[k].out = append(gs[k].out, i)
		case ok:
			gs[k].casts = append(gs[k].casts, i)
		}
	}
	return gs
}

func TestMomentsStream(t *testing.T) {
	for slots := 1; slots <= 3; slots++ {
		half := gpt(3)
		half.Storage = ir.BF16
		for _, c := range []model.Config{gpt(3), llama(3), half} {
			for _, o := range []window.Optimizer{adamW, {Kind: "sgd", Momentum: 0.9}, {Kind: "sgd"}} {
				d := decision(c, slots, same("kkkkkkkkk"))
				for i := range d.Moments {
					d.Moments[i] = true
				}
				momentRules(t, c, o, d)
			}
		}
	}
}

// momentRules holds a placed update against: every state tensor comes in, is
// written in its slot and goes back to its own host storage; a slot is filled
// again when all of it has left and has been read.
func momentRules(t *testing.T, c model.Config, o window.Optimizer, d *place.Decision) {
	t.Helper()
	each := o.Moments() // state tensors of a parameter
	if c.Storage == ir.BF16 {
		each++ // its master copy
	}
	r := apply(t, unplaced(t, c, o), d)
	g, before := r.Graph, forced(r.Graph)
	gs := streamed(t, g)
	steps, most := 0, int64(0)
	for j := range gs {
		p := &gs[j]
		steps += len(p.steps)
		most = max(most, p.bytes)
		if len(p.in) != each*len(p.steps) || len(p.out) != len(p.in) || (len(p.casts) > 0) != (c.Storage == ir.BF16) {
			t.Errorf("group %d: %d steps, %d copies in, %d out, %d casts", j, len(p.steps), len(p.in), len(p.out), len(p.casts))
		}
		for _, i := range p.in {
			if v := &g.Values[g.Nodes[i].Results[0]]; v.Slot != j%d.Slots+1 {
				t.Errorf("group %d comes into slot %d, want %d", j, v.Slot-1, j%d.Slots)
			}
			if j < d.Slots {
				continue
			}
			for _, reader := range slices.Concat(gs[j-d.Slots].out, gs[j-d.Slots].casts) {
				if !before[i].has(reader) {
					t.Errorf("S=%d: group %d comes in before %v has read group %d", d.Slots, j, g.Nodes[reader].Op, j-d.Slots)
				}
			}
		}
		for _, i := range p.out {
			host, from := &g.Values[g.Nodes[i].Args[1]], &g.Values[g.Nodes[i].Args[0]]
			if host.Tier != ir.Host || host.Class != ir.Optimizer && host.Class != ir.Master || host.Name != from.Name {
				t.Errorf("%s goes back to %s, %v on the %v", from.Name, host.Name, host.Class, host.Tier)
			}
		}
	}
	if want := len(c.Params()); each > 0 && steps != want {
		t.Errorf("%d parameters have streamed state, want %d", steps, want)
	}
	largest := int64(0)
	for _, p := range c.Params() {
		largest = max(largest, int64(each)*((4*p.Elems()+255)/256*256))
	}
	if r.SlotBytes[ir.Update] != largest || most > largest {
		t.Errorf("a slot has %d bytes and holds %d, the largest parameter needs %d", r.SlotBytes[ir.Update], most, largest)
	}
}

// TestMomentsOfSomeBlocks: only what is declared leaves the device, and sums of
// squares never do.
func TestMomentsOfSomeBlocks(t *testing.T) {
	c := gpt(3)
	c.Storage = ir.F16
	d := decision(c, 2, same("kkkkkkkkk"))
	d.Moments[2] = true // block 1
	g := apply(t, unplaced(t, c, adamW), d).Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, id := range n.Results {
			v := &g.Values[id]
			if n.Op == ir.OpLeaf && (v.Class == ir.Optimizer || v.Class == ir.Master) {
				if want := v.Layer == 1; (v.Tier == ir.Host) != want {
					t.Errorf("%s is on the %v", v.Name, v.Tier)
				}
			}
			if n.Op == ir.OpAdamW && (v.Slot > 0) != (n.Layer == 1) {
				t.Errorf("%s of block %d is in slot %d", v.Name, n.Layer, v.Slot-1)
			}
		}
	}
}

// TestNothingToStream: an optimizer without moments has nothing on the host.
func TestNothingToStream(t *testing.T) {
	c := gpt(2)
	d := decision(c, 2, same("kkkkkkkkk"))
	for i := range d.Moments {
		d.Moments[i] = true
	}
	r := apply(t, unplaced(t, c, window.Optimizer{Kind: "sgd"}), d)
	for i := range r.Graph.Values {
		if v := &r.Graph.Values[i]; v.Tier == ir.Host || v.Slot > 0 {
			t.Errorf("%s is on the %v in slot %d", v.Name, v.Tier, v.Slot-1)
		}
	}
	if r.SlotBytes[ir.Update] != 0 {
		t.Errorf("a slot of %d bytes for nothing", r.SlotBytes[ir.Update])
	}
}
