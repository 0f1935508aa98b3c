package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

// example loads an experiment of the repository.
func example(t *testing.T, name string) *shape.Experiment {
	t.Helper()
	ls, list := spec.Load(spec.Options{Dir: "../.."}, "examples/"+name)
	if list.HasErrors() || len(ls) != 1 {
		t.Fatal(list)
	}
	return ls[0].Experiment
}

func compile(t *testing.T, x *shape.Experiment, o compiler.Options) *plan.Plan {
	t.Helper()
	r, list, err := compiler.Compile(compiler.Source{Experiment: x}, o)
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	return r.Plan
}

var examples = []string{"quickstart", "tiny-llama", "window", "checkpointed", "offloaded", "gpt2-124m", "llama-7b", "gpt3-175b"}

// uses are the first and last command of a section that name a buffer; a
// staging region lives with the section.
func uses(p *plan.Plan, sec int) map[int][2]int {
	u := map[int][2]int{}
	for at := range p.Sections[sec].Commands {
		m := &p.Sections[sec].Commands[at]
		touch := func(b int) {
			if b < 0 {
				return
			}
			if _, ok := u[b]; !ok {
				u[b] = [2]int{at, at}
			}
			u[b] = [2]int{u[b][0], at}
			if r := p.Buffers[b].In - 1; r >= 0 {
				u[r] = [2]int{0, len(p.Sections[sec].Commands) - 1}
			}
		}
		for _, b := range m.Args {
			touch(b)
		}
		for _, b := range m.Results {
			touch(b)
		}
		touch(m.Work - 1)
	}
	return u
}

// TestLedger compares M_t of every command and tier with a sum over the buffers
// whose life is read off the commands alone.
func TestLedger(t *testing.T) {
	for _, name := range examples {
		p := compile(t, example(t, name), compiler.Options{})
		for sec := range p.Sections {
			u := uses(p, sec)
			for tier := range ir.NumTiers {
				want := make([]plan.Moment, len(p.Sections[sec].Commands))
				for b := range p.Buffers {
					x := &p.Buffers[b]
					life, used := u[b]
					if x.Tier != tier.String() || x.In > 0 || !x.Run && !used {
						continue
					}
					if x.Run {
						life = [2]int{0, len(want) - 1}
						if sec == int(ir.Micro) && x.From > 0 {
							life[0] = u[b][0]
						}
					}
					class, err := ir.ParseClass(x.Class)
					if err != nil {
						t.Fatal(err)
					}
					for at := life[0]; at <= life[1]; at++ {
						want[at][class] += x.Bytes
					}
				}
				got := p.Ledger(ir.Section(sec), tier)
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%s, section %d on the %v (-summed +ledger):\n%s", name, sec, tier, d)
				}
				for at := range got {
					if got[at].Total() > p.Arenas[tier].Bytes {
						t.Fatalf("%s: %d bytes live at command %d of section %d, the %v arena has %d", name, got[at].Total(), at, sec, tier, p.Arenas[tier].Bytes)
					}
				}
			}
		}
	}
}

// TestFragmentation: the device arena of every example is at most 1.02 of its peak.
func TestFragmentation(t *testing.T) {
	for _, name := range examples {
		p := compile(t, example(t, name), compiler.Options{})
		peak, arena := p.Predictions.Peak.Bytes, p.Arenas[ir.Device].Bytes
		if p.Predictions.Fragments != arena-peak || arena < peak || 100*arena > 102*peak {
			t.Errorf("%s: arena %d, peak %d, %d of fragments", name, arena, peak, p.Predictions.Fragments)
		}
	}
}

// bytesOf describes every buffer but scratch space, without its place among the
// transients, which depends on scratch space.
func bytesOf(p *plan.Plan) (list []string) {
	for i := range p.Buffers {
		b := p.Buffers[i]
		if b.Class == ir.Workspace.String() {
			continue
		}
		if !b.Run || b.From > 0 {
			b.Offset = 0
		}
		b.In = min(b.In, 1)
		list = append(list, fmt.Sprintf("%+v", b))
	}
	return list
}

// TestWorkers: the number of workers changes scratch space and nothing else.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama", "offloaded"} {
		x := example(t, name)
		one, eight := compile(t, x, compiler.Options{Workers: 1}), compile(t, x, compiler.Options{Workers: 8})
		if d := cmp.Diff(bytesOf(one), bytesOf(eight)); d != "" {
			t.Errorf("%s (-1 worker +8 workers):\n%s", name, d)
		}
		scratch := func(p *plan.Plan) (n int64) {
			for i := range p.Buffers {
				if p.Buffers[i].Class == ir.Workspace.String() {
					n += p.Buffers[i].Bytes
				}
			}
			return n
		}
		if a, b := scratch(one), scratch(eight); a >= b {
			t.Errorf("%s: %d bytes of scratch space for one worker, %d for eight", name, a, b)
		}
	}
}

// extent is where the transients of a section begin and end in the device arena.
func extent(p *plan.Plan, sec ir.Section) (from, to int64) {
	from = -1
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Run || b.Section != int(sec) || b.Tier != ir.Device.String() {
			continue
		}
		if from < 0 || b.Offset < from {
			from = b.Offset
		}
		to = max(to, b.Offset+b.Bytes)
	}
	return from, to
}

// TestSectionsOverlay: where gradients live over several micro-batches, the
// transients of micro, update and eval begin at the same offset, after what
// outlives the sections, and the arena ends with the largest.
func TestSectionsOverlay(t *testing.T) {
	x := *example(t, "offloaded")
	x.Window.MicroBatches, x.Window.Tokens = 2, 2*x.Window.Tokens
	x.Eval.Every = 10
	p := compile(t, &x, compiler.Options{})
	base := int64(0)
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Run && b.Tier == ir.Device.String() {
			base = max(base, (b.Offset+b.Bytes+plan.Align-1)/plan.Align*plan.Align)
		}
	}
	most := int64(0)
	for _, sec := range []ir.Section{ir.Micro, ir.Update, ir.Eval} {
		from, to := extent(p, sec)
		if from != base {
			t.Errorf("the transients of %v begin at %d, want %d", sec, from, base)
		}
		most = max(most, to)
	}
	if arena := p.Arenas[ir.Device].Bytes; arena < most || arena >= most+plan.Align {
		t.Errorf("the arena has %d bytes, the largest section ends at %d", arena, most)
	}
	without := x
	without.Eval.Every = 0
	q := compile(t, &without, compiler.Options{})
	losses := (p.Buffers[p.Run.Inputs.EvalLoss].Bytes + plan.Align - 1) / plan.Align * plan.Align
	if more := p.Arenas[ir.Device].Bytes - q.Arenas[ir.Device].Bytes; more != losses {
		t.Errorf("evaluation makes the arena %d bytes larger, want the %d of its losses", more, losses)
	}
}

// TestOutputsOutlive: what the host reads after a section lives for the run.
func TestOutputsOutlive(t *testing.T) {
	x := *example(t, "quickstart")
	p := compile(t, &x, compiler.Options{})
	for _, b := range []int{p.Run.Inputs.TokenLoss, p.Run.Inputs.EvalLoss} {
		if b < 0 || !p.Buffers[b].Run {
			t.Errorf("output buffer %d does not live for the run", b)
		}
	}
	s := compile(t, &x, compiler.Options{Program: compiler.Sample})
	if b := s.Run.Inputs.Logits; b < 0 || !s.Buffers[b].Run {
		t.Errorf("logits are buffer %d", b)
	}
}

// TestNames: a buffer says once which block it belongs to.
func TestNames(t *testing.T) {
	p := compile(t, example(t, "offloaded"), compiler.Options{})
	found := map[string]bool{}
	for i := range p.Buffers {
		name := p.Buffers[i].Name
		found[name] = true
		if strings.Count(name, "blocks.") > 1 {
			t.Errorf("buffer %s", name)
		}
	}
	for _, name := range []string{"blocks.3.fc", "blocks.3.attn.qkv.weight", "blocks.3.attn.qkv.weight.m", "d.lnf", "staging.micro"} {
		if !found[name] {
			t.Errorf("no buffer %s", name)
		}
	}
}

// TestStagingRegion: one region a section, counted whole, and every staged value
// inside it, in the slot of its block.
func TestStagingRegion(t *testing.T) {
	p := compile(t, example(t, "offloaded"), compiler.Options{})
	regions := map[int]int{}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.In == 0 {
			continue
		}
		r := &p.Buffers[b.In-1]
		regions[b.In-1]++
		if b.Offset < r.Offset || b.Offset+b.Bytes > r.Offset+r.Bytes || b.Section != r.Section || b.Class != ir.Staging.String() {
			t.Errorf("%s at %d+%d is not inside %s at %d+%d", b.Name, b.Offset, b.Bytes, r.Name, r.Offset, r.Bytes)
		}
		if slot := r.Bytes / 2; (b.Offset-r.Offset)/slot != (b.Offset+b.Bytes-1-r.Offset)/slot {
			t.Errorf("%s lies across two slots", b.Name)
		}
	}
	if len(regions) != 2 {
		t.Errorf("%d staging regions, want one in micro and one in update", len(regions))
	}
	for r := range regions {
		b := &p.Buffers[r]
		if b.First != 0 || b.Last != len(p.Sections[b.Section].Commands)-1 {
			t.Errorf("%s lives from %d to %d", b.Name, b.First, b.Last)
		}
	}
}

// TestLateGradients: in a window of one micro-batch a gradient begins with the
// command that stores it, its bytes hold other values before, and the arena is
// smaller by what that saves at the peak.
func TestLateGradients(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama", "checkpointed"} {
		x := *example(t, name)
		p := compile(t, &x, compiler.Options{})
		u := uses(p, int(ir.Micro))
		shared, late := 0, 0
		for i := range p.Buffers {
			b := &p.Buffers[i]
			if b.From == 0 {
				continue
			}
			late++
			if first := u[i][0]; b.Class != ir.Gradient.String() || b.From != first {
				t.Errorf("%s: %s of class %s begins at command %d, is first used by %d", name, b.Name, b.Class, b.From, first)
			}
			for j := range p.Buffers {
				if o := &p.Buffers[j]; !o.Run && o.Section == int(ir.Micro) && o.Last < b.From && o.Offset < b.Offset+b.Bytes && b.Offset < o.Offset+o.Bytes {
					shared++
				}
			}
		}
		x.Window.MicroBatches, x.Window.Tokens = 2, 2*x.Window.Tokens
		q := compile(t, &x, compiler.Options{})
		for i := range q.Buffers {
			if q.Buffers[i].From > 0 {
				t.Errorf("%s: %s does not hold its value over two micro-batches", name, q.Buffers[i].Name)
			}
		}
		if saved := q.Arenas[ir.Device].Bytes - p.Arenas[ir.Device].Bytes; late == 0 || shared == 0 || saved <= 0 {
			t.Errorf("%s: %d gradients begin late and share bytes with %d values, %d bytes saved", name, late, shared, saved)
		}
	}
}
