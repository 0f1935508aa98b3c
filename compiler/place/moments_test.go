package place_test

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/window"
)

// group is a run of optimizer nodes that share a slot at one time.
type group struct {
	in, steps, out []int
	bytes          int64
}

// streamed collects the groups in order: the slot changes between two groups.
func streamed(t *testing.T, g *ir.Graph) (gs []group) {
	t.Helper()
	slot := 0
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Section != ir.Update || n.Phase != ir.Step || n.Op.Arg("m") < 0 || g.Values[n.Args[n.Op.Arg("m")]].Slot == 0 {
			continue
		}
		first := g.Values[n.Args[n.Op.Arg("m")]]
		if len(gs) == 0 || first.Slot != slot || newGroup(g, gs[len(gs)-1], i) {
			gs, slot = append(gs, group{}), first.Slot
		}
		p := &gs[len(gs)-1]
		p.steps = append(p.steps, i)
		for _, name := range []string{"m", "v"} {
			k := n.Op.Arg(name)
			if k < 0 {
				continue
			}
			v := &g.Values[n.Args[k]]
			if v.Slot != slot {
				t.Errorf("the moments of %s are in slots %d and %d", g.Values[n.Args[0]].Name, slot-1, v.Slot-1)
			}
			p.in = append(p.in, v.Node)
			p.bytes += (v.Type.Bytes() + 255) / 256 * 256
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Section != ir.Update || n.Op != ir.OpCopyOut {
			continue
		}
		for k := range gs {
			for _, s := range gs[k].steps {
				if g.Values[n.Args[0]].Node == s {
					gs[k].out = append(gs[k].out, i)
				}
			}
		}
	}
	return gs
}

// newGroup reports whether the moments of a step came in after a step of the
// group had run: with one slot only this tells groups apart.
func newGroup(g *ir.Graph, p group, step int) bool {
	in := g.Values[g.Nodes[step].Args[g.Nodes[step].Op.Arg("m")]].Node
	return in > p.steps[0]
}

func TestMomentsStream(t *testing.T) {
	for slots := 1; slots <= 3; slots++ {
		for _, c := range []model.Config{gpt(3), llama(3)} {
			for _, o := range []window.Optimizer{adamW, {Kind: "sgd", Momentum: 0.9}} {
				d := decision(c, slots, same("kkkkkkkkk"))
				for i := range d.Moments {
					d.Moments[i] = true
				}
				momentRules(t, c, o, d)
			}
		}
	}
}

// momentRules holds a placed update against: every moment comes in, is written
// in its slot and goes back to its own host storage; a slot is filled again when
// all of it has left.
func momentRules(t *testing.T, c model.Config, o window.Optimizer, d *place.Decision) {
	t.Helper()
	r := apply(t, unplaced(t, c, o), d)
	g, before := r.Graph, forced(r.Graph)
	gs := streamed(t, g)
	steps, most := 0, int64(0)
	for j := range gs {
		p := &gs[j]
		steps += len(p.steps)
		most = max(most, p.bytes)
		if len(p.in) != o.Moments()*len(p.steps) || len(p.out) != len(p.in) {
			t.Errorf("group %d: %d steps, %d copies in, %d out", j, len(p.steps), len(p.in), len(p.out))
		}
		for _, i := range p.in {
			if v := &g.Values[g.Nodes[i].Results[0]]; v.Slot != j%d.Slots+1 {
				t.Errorf("group %d comes into slot %d, want %d", j, v.Slot-1, j%d.Slots)
			}
			if j < d.Slots {
				continue
			}
			for _, out := range gs[j-d.Slots].out {
				if !before[i].has(out) {
					t.Errorf("S=%d: group %d comes in before group %d has left", d.Slots, j, j-d.Slots)
				}
			}
		}
		for _, i := range p.out {
			host := g.Nodes[i].Args[1]
			if v := &g.Values[host]; v.Tier != ir.Host || v.Class != ir.Optimizer || v.Name != g.Values[g.Nodes[i].Args[0]].Name {
				t.Errorf("%s goes back to %s on the %v", g.Values[g.Nodes[i].Args[0]].Name, v.Name, v.Tier)
			}
		}
	}
	if steps != len(c.Params()) {
		t.Errorf("%d parameters have streamed moments, want %d", steps, len(c.Params()))
	}
	largest := int64(0)
	for _, p := range c.Params() {
		largest = max(largest, int64(o.Moments())*((4*p.Elems()+255)/256*256))
	}
	if r.SlotBytes[ir.Update] != largest || most > largest {
		t.Errorf("a slot has %d bytes and holds %d, the largest parameter needs %d", r.SlotBytes[ir.Update], most, largest)
	}
}

// TestMomentsOfSomeBlocks: only what is declared leaves the device, and sums of
// squares never do.
func TestMomentsOfSomeBlocks(t *testing.T) {
	c := gpt(3)
	d := decision(c, 2, same("kkkkkkkkk"))
	d.Moments[2] = true // block 1
	g := apply(t, unplaced(t, c, adamW), d).Graph
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, id := range n.Results {
			v := &g.Values[id]
			if n.Op == ir.OpLeaf && v.Class == ir.Optimizer {
				if want := v.Layer == 1; (v.Tier == ir.Host) != want {
					t.Errorf("%s is on the %v", v.Name, v.Tier)
				}
			}
			if n.Op == ir.OpAdamW && (v.Slot > 0) != (n.Layer == 1 && v.Class != ir.Parameter) {
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
