package cost

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/order"
	"github.com/gradcue/gradcue/compiler/plan"
)

// A sum of two f32[16,16] is 256 FLOPs and 3·1024 bytes of traffic; a copy of
// one is 1024 bytes over the link.
const (
	flops, tensor = 256, 1024
)

// perNano has one FLOP and one byte over each link in a nanosecond, and a device
// memory that costs nothing.
var perNano = plan.Profile{FLOPS: 1e9, H2D: 1e9, D2H: 1e9}

// hand builds a section by hand.
type hand struct {
	g    *ir.Graph
	x, h ir.ID
}

func newHand() *hand {
	g := &ir.Graph{}
	t := ir.Of(ir.F32, 16, 16)
	return &hand{g, g.Leaf("x", -1, ir.Input, ir.Device, t, ""), g.Leaf("h", -1, ir.Activation, ir.Host, t, "")}
}

func (h *hand) add(op ir.Op, phase ir.Phase, tier ir.Tier, after []int, args ...ir.ID) ir.ID {
	return h.g.Add(ir.Node{Op: op, Args: args, Section: ir.Micro, Phase: phase, Layer: -1, After: after},
		ir.Result{Name: "v", Layer: -1, Class: ir.Activation, Tier: tier})[0]
}

// sums appends a chain of n sums that begins at x and returns its end.
func (h *hand) sums(n int, x ir.ID) ir.ID {
	for range n {
		x = h.add(ir.OpAdd, ir.Forward, ir.Device, nil, x, x)
	}
	return x
}

func (h *hand) in(after ...int) ir.ID {
	return h.add(ir.OpCopyIn, ir.Transfer, ir.Device, after, h.h)
}
func (h *hand) out(x ir.ID) ir.ID { return h.add(ir.OpCopyOut, ir.Transfer, ir.Host, nil, x, h.h) }

// last is the node that was appended last.
func (h *hand) last() int { return len(h.g.Nodes) - 1 }

func TestPredict(t *testing.T) {
	for _, c := range []struct {
		name                     string
		build                    func(h *hand)
		nanos, transfer, exposed int64
		out, in                  int64
	}{
		{"sums alone", func(h *hand) { h.sums(3, h.x) }, 3 * flops, 0, 0, 0, 0},
		{"a copy in under six sums is hidden", func(h *hand) {
			y := h.in()
			h.add(ir.OpAdd, ir.Forward, ir.Device, nil, h.sums(6, h.x), y)
		}, 7 * flops, tensor, 0, 0, tensor},
		{"a copy in that is needed at once is exposed", func(h *hand) { h.sums(2, h.in()) }, tensor + 2*flops, tensor, tensor, 0, tensor},
		{"a copy in under one sum is exposed by the rest", func(h *hand) {
			y := h.in()
			h.add(ir.OpAdd, ir.Forward, ir.Device, nil, h.sums(1, h.x), y)
		}, tensor + flops, tensor, tensor - flops, 0, tensor},
		{"a copy out under six sums is hidden", func(h *hand) { y := h.sums(1, h.x); h.out(y); h.sums(6, y) }, 7 * flops, tensor, 0, tensor, 0},
		{"a copy out at the end holds up the join", func(h *hand) { h.out(h.sums(1, h.x)) }, flops + tensor, tensor, tensor, tensor, 0},
		{"out and in by turns, both exposed", func(h *hand) { h.sums(1, h.add(ir.OpCopyIn, ir.Transfer, ir.Device, nil, h.out(h.sums(1, h.x)))) },
			2*flops + 2*tensor, 2 * tensor, 2 * tensor, tensor, tensor},
		{"two copies in share the link", func(h *hand) { a, b := h.in(), h.in(); h.add(ir.OpAdd, ir.Forward, ir.Device, nil, a, b) },
			2*tensor + flops, 2 * tensor, 2 * tensor, 0, 2 * tensor},
		{"out and in have a link each", func(h *hand) {
			y := h.sums(1, h.x)
			made := h.last()
			h.out(y)
			h.sums(1, h.in(made))
		}, flops + tensor + flops, 2 * tensor, tensor, tensor, tensor},
	} {
		h := newHand()
		c.build(h)
		s := Predict(h.g, order.Make(h.g).Sections[ir.Micro], perNano)
		got := Section{Nanos: s.Nanos, TransferNs: s.TransferNs, ExposedNs: s.ExposedNs, MovedOut: s.MovedOut, MovedIn: s.MovedIn}
		want := Section{Nanos: c.nanos, TransferNs: c.transfer, ExposedNs: c.exposed, MovedOut: c.out, MovedIn: c.in}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestExposedFormula plays one copy in against n sums:
// T_exposed = max(0, T_rt − T_overlap).
func TestExposedFormula(t *testing.T) {
	for n := range 8 {
		h := newHand()
		y := h.in()
		h.add(ir.OpAdd, ir.Forward, ir.Device, nil, h.sums(n, h.x), y)
		s := Predict(h.g, order.Make(h.g).Sections[ir.Micro], perNano)
		if want := max(0, int64(tensor-n*flops)); s.ExposedNs != want || s.TransferNs != tensor {
			t.Errorf("%d sums: exposed %d of %d, want %d", n, s.ExposedNs, s.TransferNs, want)
		}
	}
}

// TestIdentity: a section takes what its compute takes and what it waits.
func TestIdentity(t *testing.T) {
	h := newHand()
	x := h.sums(2, h.x)
	for range 4 {
		back := h.add(ir.OpCopyIn, ir.Transfer, ir.Device, nil, h.out(x))
		x = h.add(ir.OpAdd, ir.Backward, ir.Device, nil, h.sums(3, x), back)
	}
	h.out(x)
	items := order.Make(h.g).Sections[ir.Micro]
	s := Predict(h.g, items, perNano)
	compute := int64(0)
	for i, it := range items {
		if it.Stream == plan.Compute {
			compute += s.Commands[i]
		}
	}
	if s.Nanos != compute+s.ExposedNs {
		t.Errorf("%d ns, compute takes %d and waits %d", s.Nanos, compute, s.ExposedNs)
	}
	if s.ExposedNs == 0 || s.ExposedNs > s.TransferNs {
		t.Errorf("exposed %d of %d", s.ExposedNs, s.TransferNs)
	}
}

// TestRoofline: a command takes the longer of its arithmetic and its traffic;
// an unknown rate costs nothing.
func TestRoofline(t *testing.T) {
	h := newHand()
	h.sums(1, h.x)
	items := order.Make(h.g).Sections[ir.Micro]
	for _, c := range []struct {
		flops, bandwidth float64
		want             int64
	}{
		{1e9, 0, flops}, {0, 1e9, 3 * tensor}, {1e9, 1e9, 3 * tensor}, {1e9, 1e11, flops}, {2e9, 1e11, flops / 2}, {0, 0, 0},
	} {
		s := Predict(h.g, items, plan.Profile{FLOPS: c.flops, Bandwidth: c.bandwidth})
		if s.Nanos != c.want || s.Commands[0] != c.want {
			t.Errorf("%g FLOP/s and %g B/s: %d ns, want %d", c.flops, c.bandwidth, s.Nanos, c.want)
		}
	}
}

// TestLaunch: what a command costs beside its work is added to it, and is in a
// measured rate of its op already.
func TestLaunch(t *testing.T) {
	h := newHand()
	h.sums(1, h.x)
	h.out(h.x)
	items := order.Make(h.g).Sections[ir.Micro]
	p := plan.Profile{FLOPS: 1e9, H2D: 1e9, D2H: 1e9, Launch: 1e-6}
	s := Predict(h.g, items, p)
	if got := []int64{s.Commands[0], s.TransferNs}; !cmp.Equal(got, []int64{flops + 1000, tensor + 1000}) {
		t.Errorf("sum and copy take %v ns", got)
	}
	p.Ops = map[string]float64{"add": 1e9}
	if s := Predict(h.g, items, p); s.Commands[0] != flops {
		t.Errorf("a sum with a rate of its own takes %d ns, want %d", s.Commands[0], flops)
	}
}

// TestRecomputedCounts: what is computed again counts twice, once on its own.
func TestRecomputedCounts(t *testing.T) {
	h := newHand()
	y := h.sums(2, h.x)
	h.add(ir.OpAdd, ir.Recompute, ir.Device, nil, y, y)
	s := Predict(h.g, order.Make(h.g).Sections[ir.Micro], perNano)
	if s.FLOPs != 3*flops || s.Recomputed != flops {
		t.Errorf("%d FLOPs of which %d again, want %d and %d", s.FLOPs, s.Recomputed, 3*flops, flops)
	}
}

// TestStagingCopyIsCompute: a copy on the device takes memory traffic, moves
// nothing over a link and is never exposed.
func TestStagingCopyIsCompute(t *testing.T) {
	h := newHand()
	h.add(ir.OpCopyStage, ir.Transfer, ir.Device, nil, h.x)
	s := Predict(h.g, order.Make(h.g).Sections[ir.Micro], plan.Profile{Bandwidth: 1e9, H2D: 1, D2H: 1})
	if s.Nanos != 2*tensor || s.TransferNs != 0 || s.ExposedNs != 0 || s.MovedIn+s.MovedOut != 0 {
		t.Errorf("%+v", s)
	}
}
