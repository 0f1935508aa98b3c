package compiler

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/shape"
)

// placed compiles an experiment with a decision that no spec declares; nil keeps
// everything. The graph is checked after every pass and the plan at the end.
func placed(t *testing.T, x *shape.Experiment, d *place.Decision) *plan.Plan {
	t.Helper()
	s := newState(Source{Experiment: x}, Options{Observe: func(pass string, g *ir.Graph) {
		if err := ir.Check(g); err != nil {
			t.Fatalf("after %s: %v", pass, err)
		}
	}})
	for _, p := range Passes {
		if p.Name == "place" {
			p.Run = func(s *state) error { return s.carryOut(d) }
		}
		if err := s.run(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := plan.Validate(s.plan); err != nil {
		t.Fatal(err)
	}
	return s.plan
}

// small draws a tiny experiment of either family.
func small(t *testing.T, r *rand.Rand) *shape.Experiment {
	t.Helper()
	x := experiment(t, []string{"quickstart", "tiny-llama"}[r.IntN(2)])
	m := &x.Model
	m.Layers, m.Heads, m.KVHeads, m.HeadDim, m.DModel, m.FFN, m.Vocab, m.Context = 1+r.Int64N(6), 2, 2, 4, 8, 32, 40, 8
	if m.Family == "llama" {
		m.KVHeads, m.DModel = 1, 12
	}
	m.Tied = r.IntN(2) == 0
	w := &x.Window
	k := 1 + r.Int64N(2)
	w.MicroBatches, w.MicroBatchSize, w.SeqLen, w.Sequences, w.Tokens = k, 2, 8, 2*k, 16*k
	x.Eval.Every = r.Int64N(2)
	x.Dropout.Rate = []float64{0, 0.1}[r.IntN(2)]
	x.Mask.Packing.Mode = []string{"concat", "none"}[r.IntN(2)]
	x.Precision.Compute = []shape.DType{"f32", "bf16", "f16"}[r.IntN(3)]
	x.Precision.Params = x.Precision.Compute
	if r.IntN(3) == 0 {
		momentum := []float64{0, 0.9}[r.IntN(2)]
		x.Optimizer.Kind, x.Optimizer.Momentum = "sgd", &momentum
	}
	return x
}

// drawn decides on every result of every block by itself. The input of a block
// is what recomputing starts from, so it is kept or offloaded.
func drawn(r *rand.Rand, c *model.Config) *place.Decision {
	d := &place.Decision{Names: c.Names(), Slots: 1 + r.IntN(3), Moments: make([]bool, c.Layers+1)}
	for range c.Layers {
		row := []place.Choice{[]place.Choice{place.Keep, place.Host}[r.IntN(2)]}
		for range d.Names[1:] {
			row = append(row, place.Choice(r.IntN(3)))
		}
		d.Block = append(d.Block, row)
	}
	for i := range d.Moments {
		d.Moments[i] = r.IntN(2) == 0
	}
	return d
}

// kept is the decision that touches nothing.
func kept(c *model.Config) *place.Decision {
	d := &place.Decision{Names: c.Names(), Slots: 1}
	for range c.Layers {
		d.Block = append(d.Block, make([]place.Choice, len(d.Names)))
	}
	return d
}

// TestAnyPlacement: whatever is decided, every graph is valid, the plan is safe,
// no moment of the ledger exceeds its arena, and on a machine that runs streams
// in any order that events allow, parameters, gradients, moments and losses come
// out as the same terms as without any placement.
func TestAnyPlacement(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 40 {
		x := small(t, r)
		c := model.FromSpec(x)
		d := drawn(r, &c)
		name := fmt.Sprintf("round %d: %s, %d layers, tied %v, S=%d, %s", round, c.Family, c.Layers, c.Tied, d.Slots, letters(d))
		terms := map[string]int{}
		want := newMachine(t, placed(t, x, kept(&c)), terms, r).window()
		p := placed(t, x, d)
		ledgerFits(t, p)
		for range 3 {
			got := newMachine(t, p, terms, r).window()
			if len(got) != len(want) {
				t.Fatalf("%s: %d results, want %d", name, len(got), len(want))
			}
			for k := range want {
				if got[k] != want[k] || got[k] < 0 {
					t.Fatalf("%s: %s is term %d, want %d", name, k, got[k], want[k])
				}
			}
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func ledgerFits(t *testing.T, p *plan.Plan) {
	t.Helper()
	for sec := range ir.NumSections {
		for tier := range ir.NumTiers {
			for at, m := range p.Ledger(sec, tier) {
				if m.Total() > p.Arenas[tier].Bytes {
					t.Errorf("command %d of %v: %d bytes on the %v, the arena has %d", at, sec, m.Total(), tier, p.Arenas[tier].Bytes)
				}
			}
		}
	}
}

// TestMachineSees: the machine above is not blind. Each way to spoil a plan
// changes some term.
func TestMachineSees(t *testing.T) {
	x := experiment(t, "offloaded")
	x.Eval.Every = 0
	c := model.FromSpec(x)
	d := &place.Decision{Names: c.Names(), Slots: 2, Moments: make([]bool, c.Layers+1)}
	for range c.Layers {
		d.Block = append(d.Block, []place.Choice{place.Host, place.Recompute, place.Host, place.Keep, place.Keep, place.Recompute, place.Host, place.Host, place.Recompute})
	}
	terms := map[string]int{}
	r := rand.New(rand.NewPCG(9, 10))
	want := newMachine(t, placed(t, x, d), terms, r).window()
	differs := func(spoil func(p *plan.Plan)) bool {
		p := placed(t, x, d)
		spoil(p)
		for range 20 { // a race need not show every time
			got := newMachine(t, p, terms, r).window()
			for k := range want {
				if got[k] != want[k] {
					return true
				}
			}
		}
		return false
	}
	if differs(func(*plan.Plan) {}) {
		t.Fatal("a plan differs from itself")
	}
	cs := func(p *plan.Plan) []plan.Command { return p.Sections[ir.Micro].Commands }
	for _, c := range []struct {
		name  string
		spoil func(p *plan.Plan)
	}{
		{"two activations at one place", func(p *plan.Plan) {
			same := map[string]int{}
			for i := range p.Buffers {
				same[p.Buffers[i].Name] = i
			}
			p.Buffers[same["blocks.1.qkv"]].Offset = p.Buffers[same["blocks.0.qkv"]].Offset
			p.Buffers[same["blocks.1.att"]].Offset = p.Buffers[same["blocks.0.att"]].Offset
		}},
		{"no stream waits", func(p *plan.Plan) {
			for i := range cs(p) {
				if cs(p)[i].Kind == plan.Wait {
					cs(p)[i].Kind = plan.Record
					cs(p)[i].Event += 1 << 20
				}
			}
		}},
		{"recomputed from the wrong operands", func(p *plan.Plan) {
			for i := range cs(p) {
				if m := &cs(p)[i]; m.Phase == "recompute" && m.Op == "linear.add" {
					m.Args[0], m.Args[1] = m.Args[1], m.Args[0]
				}
			}
		}},
	} {
		if !differs(c.spoil) {
			t.Errorf("%s: the machine does not see it", c.name)
		}
	}
}
