package null_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
)

// check opens a plan and runs every section twice; the first error counts.
func check(t *testing.T, p *plan.Plan) error {
	t.Helper()
	s, err := null.Engine{}.Open(p, exec.Options{})
	if err != nil {
		return err
	}
	for range 2 {
		for sec := range ir.NumSections {
			if err := s.Run(t.Context(), sec); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// nothing turns a command of micro into the record of an event nobody waits for.
func nothing(p *plan.Plan, i int) {
	e := 0
	for _, c := range p.Sections[ir.Micro].Commands {
		e = max(e, c.Event+1)
	}
	p.Sections[ir.Micro].Commands[i] = plan.Command{Kind: plan.Record, Event: e}
}

// TestNullRefuses plants the faults an offload plan can have.
func TestNullRefuses(t *testing.T) {
	small := plantest.Small()
	if err := check(t, plantest.GPT(small)); err != nil {
		t.Fatalf("a good plan is refused: %v", err)
	}
	for i, c := range plantest.GPT(small).Sections[ir.Micro].Commands {
		p := plantest.GPT(small)
		switch {
		case c.Kind == plan.Wait:
			nothing(p, i)
			wants(t, p, "no event orders")
		case c.Kind == plan.Copy:
			nothing(p, i)
			wants(t, p, "is read")
		case c.Kind == plan.Launch && c.Op != ir.OpAdd.String() && len(c.Results) == 1 && !p.Buffers[c.Results[0]].Run:
			// the result lands on what the same command reads
			if b := &p.Buffers[c.Results[0]]; b.In == 0 {
				b.Offset = p.Buffers[c.Args[0]].Offset
				wants(t, p, "buffer")
			}
		}
	}
}

// wants refuses a plan that is not refused, or without naming command and buffer.
func wants(t *testing.T, p *plan.Plan, text string) {
	t.Helper()
	err := check(t, p)
	if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "buffer ") {
		t.Errorf("error is %v; want %q in it", err, text)
	}
	if plan.Validate(p) == nil {
		t.Errorf("plan.Validate accepts what null refuses: %v", err)
	}
}

// mutate changes a plan in one of the ways a wrong pass would.
func mutate(p *plan.Plan, r *rand.Rand) {
	commands := p.Sections[ir.Micro].Commands
	i := r.IntN(len(commands))
	switch r.IntN(5) {
	case 0: // an event less
		if k := commands[i].Kind; k == plan.Wait || k == plan.Record {
			nothing(p, i)
		}
	case 1: // two commands in the other order
		j := min(i+1+r.IntN(3), len(commands)-1)
		commands[i], commands[j] = commands[j], commands[i]
	case 2: // a buffer elsewhere
		b := &p.Buffers[r.IntN(len(p.Buffers))]
		b.Offset += plan.Align * int64(r.IntN(9)-4)
	case 3: // a buffer on another
		b := &p.Buffers[r.IntN(len(p.Buffers))]
		b.Offset = p.Buffers[r.IntN(len(p.Buffers))].Offset
	case 4: // another buffer of the same type
		for k, a := range commands[i].Args {
			if b := r.IntN(len(p.Buffers)); a >= 0 && p.Buffers[b].Bytes == p.Buffers[a].Bytes {
				commands[i].Args[k] = b
			}
		}
	}
}

// late makes the gradients of a plan begin with the command that stores them, as
// where a window has one micro-batch, and gives their bytes to a temporary before.
func late(p *plan.Plan, r *rand.Rand) {
	p.Run.Window.MicroBatches = 1
	for i, c := range p.Sections[ir.Micro].Commands {
		op, err := ir.ParseOp(c.Op)
		if err != nil {
			continue
		}
		for k, b := range c.Results {
			if g := &p.Buffers[b]; op.Info().Results[k].Anew && g.Run && g.From == 0 {
				g.From = i
				if t := &p.Buffers[r.IntN(len(p.Buffers))]; !t.Run && t.In == 0 && t.Section == int(ir.Micro) && t.Last < i && t.Bytes <= g.Bytes && t.Tier == g.Tier {
					t.Offset = g.Offset
				}
			}
		}
	}
}

// TestLate: a gradient may have bytes that hold something else before it begins,
// and is there in the update.
func TestLate(t *testing.T) {
	for seed := range uint64(20) {
		p := plantest.GPT(plantest.Small())
		late(p, rand.New(rand.NewPCG(seed, 2)))
		if err, found := plan.Validate(p), check(t, p); err != nil || found != nil {
			t.Errorf("seed %d: Validate says %v, null %v", seed, err, found)
		}
	}
	p := plantest.GPT(plantest.Small())
	late(p, rand.New(rand.NewPCG(1, 2)))
	for i, c := range p.Sections[ir.Micro].Commands {
		if g := &p.Buffers[max(0, slices.Max(append(c.Results, 0)))]; g.From == i && i > 0 {
			g.From = 0
			for j := range p.Buffers {
				if b := &p.Buffers[j]; !b.Run && b.In == 0 && b.Section == int(ir.Micro) && b.Last < i && b.Tier == g.Tier && b.Bytes <= g.Bytes {
					b.Offset = g.Offset
					wants(t, p, "is read after")
					return
				}
			}
		}
	}
	t.Error("no gradient whose bytes could be shared")
}

// widen makes the lives of all temporaries fit their uses again, so that only
// order and place are at fault.
func widen(p *plan.Plan) {
	used := make([]bool, len(p.Buffers))
	for s := range p.Sections {
		for i, c := range p.Sections[s].Commands {
			for _, b := range append(append([]int{c.Work - 1}, c.Args...), c.Results...) {
				if b >= 0 && s == int(ir.Micro) && p.Buffers[b].From > 0 && !used[b] {
					p.Buffers[b].From, used[b] = i, true
				}
				if b >= 0 && !p.Buffers[b].Run && p.Buffers[b].Section == s {
					p.Buffers[b].First, p.Buffers[b].Last = min(p.Buffers[b].First, i), max(p.Buffers[b].Last, i)
				}
			}
		}
	}
}

// FuzzAgainstValidate: Validate refuses whatever this engine refuses, and for
// stale reads and races the two agree exactly.
func FuzzAgainstValidate(f *testing.F) {
	for seed := range uint64(150) {
		f.Add(seed, uint8(seed%3)+1)
	}
	f.Fuzz(func(t *testing.T, seed uint64, changes uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := plantest.Small()
		c.Layers, c.Slots = 3+r.IntN(4), 1+r.IntN(3)
		p := plantest.GPT(c)
		if seed%2 == 1 {
			late(p, r)
		}
		for range changes % 8 {
			mutate(p, r)
		}
		widen(p)
		found := check(t, p)
		err := plan.Validate(p)
		var invalid *plan.Invalid
		if found != nil && !errors.As(err, &invalid) {
			t.Fatalf("null refuses (%v), Validate says %v", found, err)
		}
		if found == nil && err != nil && errors.As(err, &invalid) && (invalid.Has("plan.stale") || invalid.Has("plan.race")) {
			t.Fatalf("null accepts, Validate says %v", err)
		}
	})
}

// TestNullKeepsControl: a training loop finds its control values again, and an
// update that may be applied.
func TestNullKeepsControl(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	s, err := null.Engine{}.Open(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float64, ir.ControlLen)
	c[plan.CtlScale], c[plan.CtlLR] = 4, 0.5
	if err := s.Write(p.Run.Inputs.Control, c); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), ir.Update); err != nil {
		t.Fatal(err)
	}
	if err := s.Read(p.Run.Inputs.Control, c); err != nil {
		t.Fatal(err)
	}
	if c[plan.CtlLR] != 0.5 || c[plan.CtlApply] != 1 || c[plan.CtlFinite] != 1 || c[plan.CtlGScale] != 0.25 {
		t.Errorf("control is %v", c[:13])
	}
}
