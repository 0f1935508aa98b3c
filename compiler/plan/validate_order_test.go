package plan_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

// has fails the test unless the plan has a problem of the kind and says where.
func has(t *testing.T, p *plan.Plan, code, what string) {
	t.Helper()
	var invalid *plan.Invalid
	if !errors.As(plan.Validate(p), &invalid) || !invalid.Has(code) {
		t.Errorf("%s: %v; want %s", what, plan.Validate(p), code)
	}
}

// blank turns a command into one that does nothing, so that the lives of the
// buffers stay as they are: the record of an event nobody waits for.
func blank(p *plan.Plan, s ir.Section, i int) {
	e := 0
	for _, c := range p.Sections[s].Commands {
		e = max(e, c.Event+1)
	}
	p.Sections[s].Commands[i] = plan.Command{Kind: plan.Record, Event: e}
}

// TestEveryWaitIsNeeded takes the waits out one by one: the test plan has none
// that is there for nothing, so each leaves a race.
func TestEveryWaitIsNeeded(t *testing.T) {
	waits := 0
	for i, c := range plantest.GPT(plantest.Small()).Sections[ir.Micro].Commands {
		if c.Kind != plan.Wait {
			continue
		}
		waits++
		p := plantest.GPT(plantest.Small())
		blank(p, ir.Micro, i)
		has(t, p, "plan.race", c.Kind)
	}
	if want := 3 * 4; waits != want { // three offloaded blocks: out and compute on the way out, in and compute on the way back
		t.Errorf("%d waits in the plan, expected %d", waits, want)
	}
}

// TestRecordTooEarly moves each record before the command that it stands for.
func TestRecordTooEarly(t *testing.T) {
	for i, c := range plantest.GPT(plantest.Small()).Sections[ir.Micro].Commands {
		if c.Kind != plan.Record || c.Stream == plan.Compute {
			continue
		}
		p := plantest.GPT(plantest.Small())
		commands := p.Sections[ir.Micro].Commands
		commands[i], commands[i-1] = commands[i-1], commands[i]
		for _, b := range append(slices.Clone(commands[i].Args), commands[i].Results...) {
			p.Buffers[b].Last = max(p.Buffers[b].Last, i)
		}
		has(t, p, "plan.race", "record before its copy")
	}
}

// TestMissingCopyIsStale: without a copy its target is read unwritten, and
// without the copy out there is nothing to bring back.
func TestMissingCopyIsStale(t *testing.T) {
	for i, c := range plantest.GPT(plantest.Small()).Sections[ir.Micro].Commands {
		if c.Kind == plan.Copy {
			p := plantest.GPT(plantest.Small())
			blank(p, ir.Micro, i)
			has(t, p, "plan.stale", c.Op)
		}
	}
}

// TestEarlySlotReuse gives a value that is brought back the slot that is still
// in use: a copy in then lands on what a block's backward needs.
func TestEarlySlotReuse(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	var back []int
	for _, c := range p.Sections[ir.Micro].Commands {
		if c.Op == ir.OpCopyIn.String() {
			back = append(back, c.Results[0])
		}
	}
	// the first copies bring block 2 into slot 0 after block 4; slot 1 holds block 3
	p.Buffers[back[2]].Offset += p.Buffers[back[5]].Offset - p.Buffers[back[2]].Offset
	has(t, p, "plan.overlap", "slot in use")
}

// TestPrefetchTooEarly issues a copy in before the block above is done with the
// slot, as a scheduler with a wrong lead would, and lets the lives say so.
func TestPrefetchTooEarly(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	commands := p.Sections[ir.Micro].Commands
	for i, c := range commands {
		if c.Op == ir.OpCopyIn.String() && c.Results[0] > 0 && p.Buffers[c.Results[0]].First == i {
			p.Buffers[c.Results[0]].First -= 8
			has(t, p, "plan.overlap", "prefetch into a slot in use")
			return
		}
	}
	t.Fatal("no copy in")
}

// TestWrongOffset moves each temporary of micro by one step, down and up: it
// must run into a neighbour or leave the arena, unless nothing is next to it.
func TestWrongOffset(t *testing.T) {
	refused := 0
	p := plantest.GPT(plantest.Small())
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Run || b.Section != int(ir.Micro) {
			continue
		}
		for _, step := range []int64{-plan.Align, plan.Align} {
			b.Offset += step
			if plan.Validate(p) != nil {
				refused++
			}
			b.Offset -= step
		}
	}
	if refused < 200 {
		t.Errorf("only %d moved buffers are noticed", refused)
	}
}

// TestPersistentOverlap lays a temporary over a parameter, and two parameters
// over each other.
func TestPersistentOverlap(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	for i := range p.Buffers {
		if !p.Buffers[i].Run && p.Buffers[i].Tier == "device" {
			p.Buffers[i].Offset = p.Buffers[p.Run.Params[3].Buffer].Offset
			break
		}
	}
	has(t, p, "plan.overlap", "temporary over parameter")
	p = plantest.GPT(plantest.Small())
	p.Buffers[p.Run.Params[1].Buffer].Offset = p.Buffers[p.Run.Params[2].Buffer].Offset
	has(t, p, "plan.overlap", "two parameters")
}

// TestReadBeforeWrite swaps two commands that depend on each other.
func TestReadBeforeWrite(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	commands := p.Sections[ir.Eval].Commands
	commands[1], commands[2] = commands[2], commands[1] // layernorm and the linear after it
	for _, c := range commands[1:3] {
		for _, b := range append(slices.Clone(c.Args), c.Results...) {
			if b >= 0 && !p.Buffers[b].Run {
				p.Buffers[b].First, p.Buffers[b].Last = 0, len(commands)-1
			}
		}
	}
	has(t, p, "plan.stale", "read before write")
}

// TestScratchIsNoValue: what a command leaves in scratch space cannot be read.
func TestScratchIsNoValue(t *testing.T) {
	n := plantest.New(1, 1, 2, 2)
	x := n.Keep("x", ir.Input, ir.Of(ir.F32, 4, 4))
	w := n.Keep("w", ir.Parameter, ir.Of(ir.F32, 5, 4))
	targets, weight := n.Keep("targets", ir.Input, ir.Of(ir.I32, 4)), n.Keep("weight", ir.Input, ir.Of(ir.F32, 4))
	n.In(ir.Micro)
	loss := n.Do(ir.OpHeadLoss, ir.Attr{}, x, w, targets, weight)[0]
	n.Do(ir.OpAdd, ir.Attr{}, loss, loss)
	p := n.Plan()
	if err := plan.Validate(p); err != nil {
		t.Fatal(err)
	}
	head := &p.Sections[ir.Micro].Commands[0]
	scratch := &p.Buffers[head.Work-1]
	scratch.Last = 1
	add := &p.Sections[ir.Micro].Commands[1]
	sum := &p.Buffers[add.Results[0]]
	add.Args = []int{head.Work - 1, head.Work - 1}
	sum.Shape, sum.Bytes = scratch.Shape, scratch.Bytes
	sum.Offset = p.Arenas[ir.Device].Bytes
	p.Arenas[ir.Device].Bytes += plantest.Up(sum.Bytes)
	has(t, p, "plan.stale", "scratch space read")
}

// TestHostReadsMustOutliveTheSection: what the host reads afterwards may be a
// buffer of the section, but not one that another has overwritten by its end.
func TestHostReadsMustOutliveTheSection(t *testing.T) {
	build := func(later bool) *plan.Plan {
		n := plantest.New(1, 1, 2, 2)
		x := n.Keep("x", ir.Input, ir.Of(ir.F32, 4))
		n.In(ir.Micro)
		n.Run().Inputs.TokenLoss = n.Do(ir.OpAdd, ir.Attr{}, x, x)[0]
		if later {
			n.Do(ir.OpAdd, ir.Attr{}, x, x)
		}
		return n.Plan()
	}
	if err := plan.Validate(build(false)); err != nil {
		t.Error(err)
	}
	has(t, build(true), "plan.stale", "overwritten")
}
