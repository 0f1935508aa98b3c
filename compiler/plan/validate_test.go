package plan_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

func TestValidateAccepts(t *testing.T) {
	keep := plantest.Small()
	keep.Slots = 0
	three := plantest.Small()
	three.Layers, three.Slots = 9, 3
	for name, c := range map[string]plantest.Config{"offload": plantest.Small(), "keep": keep, "three slots": three, "large": plantest.Large()} {
		if err := plan.Validate(plantest.GPT(c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// find is the index of the first command of micro with an op.
func find(t *testing.T, p *plan.Plan, op ir.Op) int {
	t.Helper()
	for i, c := range p.Sections[ir.Micro].Commands {
		if c.Op == op.String() {
			return i
		}
	}
	t.Fatalf("no %s in the plan", op)
	return -1
}

// TestValidateRefuses plants one fault at a time; Validate must name its kind.
func TestValidateRefuses(t *testing.T) {
	command := func(p *plan.Plan, op ir.Op) *plan.Command { return &p.Sections[ir.Micro].Commands[find(t, p, op)] }
	operand := func(p *plan.Plan, op ir.Op, arg string) *plan.Buffer {
		return &p.Buffers[command(p, op).Args[op.Arg(arg)]]
	}
	slots := func(p *plan.Plan) int {
		for i, b := range p.Buffers {
			if b.Class == ir.Staging.String() {
				return i
			}
		}
		t.Fatal("no staging region")
		return -1
	}
	for _, f := range []struct {
		name, code string
		plant      func(p *plan.Plan)
	}{
		{"version", "plan.version", func(p *plan.Plan) { p.Version = 2 }},
		{"target", "plan.version", func(p *plan.Plan) { p.Target = "cuda:sm_" }},
		{"no workers", "plan.version", func(p *plan.Plan) { p.Workers = 0 }},
		{"an arena less", "plan.arena", func(p *plan.Plan) { p.Arenas = p.Arenas[:1] }},
		{"arenas swapped", "plan.arena", func(p *plan.Plan) { p.Arenas[0], p.Arenas[1] = p.Arenas[1], p.Arenas[0] }},
		{"negative arena", "plan.arena", func(p *plan.Plan) { p.Arenas[1].Bytes = -1 }},
		{"huge arena", "plan.arena", func(p *plan.Plan) { p.Arenas[1].Bytes = math.MaxInt64 }},
		{"a section more", "plan.section", func(p *plan.Plan) { p.Sections = append(p.Sections, plan.Section{Name: "x"}) }},
		{"section name", "plan.section", func(p *plan.Plan) { p.Sections[2].Name = "evil" }},

		{"class", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Class = "" }},
		{"tier", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Tier = "disk" }},
		{"dtype", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].DType = "invalid" }},
		{"bytes", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Bytes += 4 }},
		{"shape", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Shape = []int{-1} }},
		{"overflowing shape", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Shape = []int{1 << 32, 1 << 32, 4} }},
		{"many dimensions", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Shape = []int{1, 1, 1, 1, 1, 1, 1, 1, 4} }},
		{"odd offset", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Offset += 4 }},
		{"negative offset", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Offset = -plan.Align }},
		{"outside", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Offset = p.Arenas[0].Bytes }},
		{"overflowing offset", "plan.buffer", func(p *plan.Plan) { p.Buffers[3].Offset = math.MaxInt64 / 256 * 256 }},

		{"region missing", "plan.region", func(p *plan.Plan) { operand(p, ir.OpGELUGrad, "x").In = len(p.Buffers) + 1 }},
		{"region of itself", "plan.region", func(p *plan.Plan) { p.Buffers[3].In = 4 }},
		{"region nested", "plan.region", func(p *plan.Plan) { p.Buffers[slots(p)].In = 1 }},
		{"outside the region", "plan.region", func(p *plan.Plan) { operand(p, ir.OpGELUGrad, "x").Offset += 1 << 14 }},
		{"region as operand", "plan.region", func(p *plan.Plan) { command(p, ir.OpAdd).Args[0] = slots(p) }},

		{"kind", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Kind = "jump" }},
		{"op", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Op = "sub" }},
		{"leaf", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Op = "leaf" }},
		{"launch on out", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Stream = plan.Out }},
		{"stream", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Stream = 3 }},
		{"copy launched", "plan.command", func(p *plan.Plan) { command(p, ir.OpCopyIn).Kind = plan.Launch }},
		{"copy from device", "plan.command", func(p *plan.Plan) { command(p, ir.OpCopyIn).Args[0] = p.Run.Inputs.IDs }},
		{"operands missing", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Args = nil }},
		{"operand", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Args[0] = len(p.Buffers) }},
		{"absent operand", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Args[0] = -1 }},
		{"workspace index", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Work = -5 }},
		{"attribute", "plan.command", func(p *plan.Plan) { command(p, ir.OpAttention).Attr.Heads = 1 << 40 }},
		{"phase", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Phase = "later" }},
		{"origin", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Origin = 9 }},
		{"event with op", "plan.command", func(p *plan.Plan) { command(p, ir.OpAdd).Kind = plan.Record }},

		{"types", "plan.types", func(p *plan.Plan) { command(p, ir.OpAttention).Attr.Heads = 4 }},
		{"foreign attribute", "plan.types", func(p *plan.Plan) { command(p, ir.OpAdd).Attr = &ir.Attr{Eps: 1} }},
		{"result type", "plan.types", func(p *plan.Plan) { command(p, ir.OpEmbed).Results[0] = p.Run.Inputs.TokenLoss }},
		{"not over its argument", "plan.alias", func(p *plan.Plan) { command(p, ir.OpEmbedGrad).Results[0] = p.Run.Params[0].Buffer }},
		{"in place", "plan.alias", func(p *plan.Plan) { c := command(p, ir.OpLayerNorm); c.Results[0] = c.Args[0] }},
		{"two results in one", "plan.alias", func(p *plan.Plan) { c := command(p, ir.OpLayerNorm); c.Results[1] = c.Results[2] }},
		{"no workspace", "plan.workspace", func(p *plan.Plan) { command(p, ir.OpHeadLossGrad).Work = 0 }},
		{"workspace class", "plan.workspace", func(p *plan.Plan) {
			p.Buffers[command(p, ir.OpHeadLossGrad).Work-1].Class = ir.Input.String()
		}},

		{"event number", "plan.event", func(p *plan.Plan) { p.Sections[0].Commands[firstEvent(p)].Event = 1 << 40 }},
		{"negative event", "plan.event", func(p *plan.Plan) { p.Sections[0].Commands[firstEvent(p)].Event = -1 }},
		{"recorded twice", "plan.event", func(p *plan.Plan) {
			c := p.Sections[0].Commands
			c[len(c)-1] = c[firstEvent(p)]
		}},
		{"never recorded", "plan.event", func(p *plan.Plan) {
			p.Sections[0].Commands[0] = plan.Command{Kind: plan.Wait, Event: 1}
		}},

		{"window", "plan.run", func(p *plan.Plan) { p.Run.Window.MicroBatches = 1 << 40 }},
		{"input index", "plan.run", func(p *plan.Plan) { p.Run.Inputs.IDs = len(p.Buffers) }},
		{"input dtype", "plan.run", func(p *plan.Plan) { p.Run.Inputs.IDs = p.Run.Inputs.Weight }},
		{"input life", "plan.run", func(p *plan.Plan) { b := &p.Buffers[p.Run.Inputs.Last]; b.Run, b.First = false, 0 }},
		{"parameter index", "plan.run", func(p *plan.Plan) { p.Run.Params[1].Grad = -2 }},
		{"parameter shape", "plan.run", func(p *plan.Plan) { p.Run.Params[1].State[0] = p.Run.Params[0].Buffer }},
		{"parameter name", "plan.run", func(p *plan.Plan) { p.Run.Params[1].Name = p.Run.Params[0].Name }},

		{"life backwards", "plan.life", func(p *plan.Plan) { b := operand(p, ir.OpAdd, "b"); b.First, b.Last = b.Last, b.First }},
		{"life beyond", "plan.life", func(p *plan.Plan) { operand(p, ir.OpAdd, "b").Last = 1 << 30 }},
		{"life section", "plan.life", func(p *plan.Plan) { operand(p, ir.OpAdd, "b").Section = -1 }},
		{"used after its life", "plan.life", func(p *plan.Plan) { operand(p, ir.OpAdd, "b").Last-- }},
		{"used before its life", "plan.life", func(p *plan.Plan) { operand(p, ir.OpAdd, "b").First++ }},
		{"transient that begins late", "plan.life", func(p *plan.Plan) { b := operand(p, ir.OpAdd, "b"); b.From = b.First }},
		{"gradient that begins late over two micro-batches", "plan.life", func(p *plan.Plan) { operand(p, ir.OpLinearDW, "gw").From = find(t, p, ir.OpLinearDW) }},
		{"gradient used before it begins", "plan.life", func(p *plan.Plan) {
			p.Run.Window.MicroBatches, operand(p, ir.OpLinearDW, "gw").From = 1, find(t, p, ir.OpLinearDW)+1
		}},
		{"parameter that begins late", "plan.life", func(p *plan.Plan) {
			p.Run.Window.MicroBatches, operand(p, ir.OpLinear, "w").From = 1, find(t, p, ir.OpLinear)
		}},
		{"begins beyond", "plan.life", func(p *plan.Plan) { p.Run.Window.MicroBatches, operand(p, ir.OpLinearDW, "gw").From = 1, 1<<30 }},
		{"begins over a living value", "plan.overlap", func(p *plan.Plan) {
			p.Run.Window.MicroBatches = 1
			g := operand(p, ir.OpLinearDW, "gw")
			g.From, g.Offset = find(t, p, ir.OpLinearDW), operand(p, ir.OpLinearDW, "x").Offset
		}},
		{"update over a gradient that begins late", "plan.overlap", func(p *plan.Plan) {
			p.Run.Window.MicroBatches = 1
			g := operand(p, ir.OpLinearDW, "gw")
			g.From = find(t, p, ir.OpLinearDW)
			for i := range p.Buffers {
				if b := &p.Buffers[i]; !b.Run && b.In == 0 && b.Section == int(ir.Eval) {
					b.Offset = g.Offset
				}
			}
		}},
	} {
		p := plantest.GPT(plantest.Small())
		f.plant(p)
		err := plan.Validate(p)
		var invalid *plan.Invalid
		if !errors.As(err, &invalid) || !invalid.Has(f.code) {
			t.Errorf("%s: %v; want a problem of kind %s", f.name, err, f.code)
		}
	}
}

// TestValidateLate: values that are gone before a gradient begins may have its bytes.
func TestValidateLate(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	p.Run.Window.MicroBatches = 1
	at := find(t, p, ir.OpLinearDW)
	c := &p.Sections[ir.Micro].Commands[at]
	g := &p.Buffers[c.Results[0]]
	g.From = at
	shared := 0
	for i := range p.Buffers {
		if b := &p.Buffers[i]; !b.Run && b.In == 0 && b.Section == int(ir.Micro) && b.Tier == g.Tier && b.Last < at && b.Bytes <= g.Bytes && shared == 0 {
			b.Offset = g.Offset
			shared++
		}
	}
	if err := plan.Validate(p); err != nil || shared == 0 {
		t.Errorf("%d values before the gradient: %v", shared, err)
	}
	at = find(t, p, ir.OpLinear)
	for _, m := range p.Ledger(ir.Micro, ir.Device)[:at] {
		if all := p.Ledger(ir.Update, ir.Device)[0]; m[ir.Gradient] >= all[ir.Gradient] {
			t.Fatalf("%d bytes of gradients live before the first begins, %d after micro", m[ir.Gradient], all[ir.Gradient])
		}
	}
}

func firstEvent(p *plan.Plan) int {
	for i, c := range p.Sections[ir.Micro].Commands {
		if c.Kind == plan.Record {
			return i
		}
	}
	return -1
}

func TestInvalidIsReadable(t *testing.T) {
	if err := plan.Validate(nil); err == nil {
		t.Error("no plan is accepted")
	}
	p := plantest.GPT(plantest.Large())
	for i := range p.Buffers {
		p.Buffers[i].Class = strings.Repeat("x\n", 1000)
	}
	var invalid *plan.Invalid
	if !errors.As(plan.Validate(p), &invalid) {
		t.Fatal("accepted")
	}
	if n := len(invalid.Problems) + invalid.More; n != len(p.Buffers) {
		t.Errorf("%d problems counted, planted %d", n, len(p.Buffers))
	}
	if s := invalid.Error(); len(s) > 1000 || strings.Contains(s, "\n") || !strings.Contains(s, fmt.Sprintf("%d more", len(p.Buffers)-3)) {
		t.Errorf("message has %d bytes: %.300s", len(s), s)
	}
}

func BenchmarkValidateLarge(b *testing.B) {
	p := plantest.GPT(plantest.Large())
	for b.Loop() {
		if err := plan.Validate(p); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for _, s := range p.Sections {
		n += len(s.Commands)
	}
	b.ReportMetric(float64(n), "commands")
	b.ReportMetric(float64(len(p.Buffers)), "buffers")
}
