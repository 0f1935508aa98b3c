package cost

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/order"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Section is the predicted time of one run of a section, in nanoseconds.
type Section struct {
	Commands          []int64 // time of each command alone
	Nanos             int64   // from start to the join of all streams
	TransferNs        int64   // T_rt: time of all copies between tiers
	ExposedNs         int64   // what compute waits for them
	MovedOut, MovedIn int64   // bytes
	FLOPs, Recomputed int64
}

// Predict plays a section on a profile.
func Predict(g *ir.Graph, items []order.Item, p plan.Profile) Section {
	s := Section{Commands: make([]int64, len(items))}
	var now [plan.NumStreams]int64
	events := map[int]int64{}
	for at, it := range items {
		switch it.Kind {
		case plan.Record:
			events[it.Event] = now[it.Stream]
		case plan.Wait:
			if stall := events[it.Event] - now[it.Stream]; stall > 0 {
				if it.Stream == plan.Compute {
					s.ExposedNs += stall
				}
				now[it.Stream] += stall
			}
		default:
			ns := s.node(g, &g.Nodes[it.Node], p)
			s.Commands[at] = ns
			now[it.Stream] += ns
		}
	}
	s.Nanos = max(now[plan.Compute], now[plan.Out], now[plan.In])
	s.ExposedNs += s.Nanos - now[plan.Compute]
	return s
}

// node is the time of one command, and counts what it moves and computes.
func (s *Section) node(g *ir.Graph, n *ir.Node, p plan.Profile) int64 {
	args := g.ArgTypes(n)
	switch n.Op {
	case ir.OpCopyOut:
		return s.transfer(&s.MovedOut, args[0].Bytes(), p.D2H, p.Launch)
	case ir.OpCopyIn:
		return s.transfer(&s.MovedIn, args[0].Bytes(), p.H2D, p.Launch)
	}
	traffic := int64(0)
	for _, t := range append(args, g.ResultTypes(n)...) {
		if t.DType != ir.Invalid {
			traffic += t.Bytes()
		}
	}
	f := n.Op.FLOPs(n.Attr, args)
	s.FLOPs += f
	if n.Phase == ir.Recompute {
		s.Recomputed += f
	}
	if rate := p.Ops[n.Op.String()]; rate > 0 {
		return nanos(f, rate)
	}
	return max(nanos(f, p.FLOPS), nanos(traffic, p.Bandwidth)) + int64(p.Launch*1e9)
}

func (s *Section) transfer(moved *int64, bytes int64, rate, launch float64) int64 {
	ns := nanos(bytes, rate) + int64(launch*1e9)
	*moved += bytes
	s.TransferNs += ns
	return ns
}

func nanos(amount int64, perSecond float64) int64 {
	if perSecond <= 0 {
		return 0
	}
	return int64(float64(amount) / perSecond * 1e9)
}
