package compiler

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/plan"
)

// remember keeps what the passes know before placement, where something is
// recomputed or offloaded, so that the plan can be compared with the one without.
func (s *state) remember(d *place.Decision) {
	if s.opt.Program == Train && places(d) {
		before := *s
		s.unplaced = &before
	}
}

// places reports whether a decision moves or recomputes anything.
func places(d *place.Decision) bool {
	for _, row := range d.Block {
		for _, c := range row {
			if c != place.Keep {
				return true
			}
		}
	}
	for _, host := range d.Moments {
		if host {
			return true
		}
	}
	return false
}

// baseline is the plan of the same experiment with everything kept on the
// device: buffers, lives and peaks (F9, F10), without times and without what a
// run needs. Nil where the experiment places nothing.
func (s *state) baseline() *plan.Plan {
	if s.unplaced == nil {
		return nil
	}
	b := *s.unplaced
	b.state, b.master = nil, nil // sizes do not need them, and renaming would change them for s
	d := *b.declared()
	for l := range d.Checkpoint {
		d.Checkpoint[l], d.OffloadActs[l] = false, false
	}
	clear(d.OffloadOpt)
	for _, pass := range []func() error{func() error { return b.carryOut(d.Decide()) }, b.order, b.memory} {
		if err := pass(); err != nil {
			return nil
		}
	}
	p := &plan.Plan{Version: plan.Version, Name: s.plan.Name, Target: s.plan.Target, Workers: s.plan.Workers, Buffers: b.layout.Buffers}
	for t, n := range b.layout.Arenas {
		p.Arenas = append(p.Arenas, plan.Arena{Tier: ir.Tier(t).String(), Bytes: n})
	}
	for sec, items := range b.sched.Sections {
		cs := make([]plan.Command, len(items))
		for at, it := range items {
			cs[at].Kind, cs[at].Stream = it.Kind, it.Stream
			if it.Node >= 0 {
				n := &b.g.Nodes[it.Node]
				cs[at].Op, cs[at].Phase, cs[at].Layer = n.Op.String(), n.Phase.String(), n.Layer+1
			}
		}
		p.Sections = append(p.Sections, plan.Section{Name: ir.Section(sec).String(), Commands: cs})
	}
	b.plan = p
	b.peaks(&p.Predictions)
	return p
}
