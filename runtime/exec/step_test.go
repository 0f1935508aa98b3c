package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/ref"
)

// config is the small GPT plan with a number of staging slots.
func config(slots int) plantest.Config {
	c := plantest.Small()
	c.Slots = slots
	return c
}

// trained is a session with parameters and inputs, and what it computed.
type trained struct {
	t *testing.T
	p *plan.Plan
	s exec.Session
	r *rand.Rand
}

// start opens the plan and writes the same parameters and inputs every time.
func start(t *testing.T, e exec.Engine, p *plan.Plan, o exec.Options) *trained {
	t.Helper()
	n := &trained{t, p, open(t, e, p, o), rand.New(rand.NewPCG(3, 4))}
	for _, q := range p.Run.Params {
		center, size := 0.0, 1
		if q.Init == "ones" {
			center = 1
		}
		for _, d := range q.Shape {
			size *= d
		}
		write(t, n.s, q.Buffer, fill(n.r, size, center, 0.2))
	}
	return n
}

// micro runs one micro-batch; a later one of the window continues the gradients.
func (n *trained) micro(k int) {
	n.t.Helper()
	in, m := n.p.Run.Inputs, n.p.Run.Model
	rows := n.p.Run.Window.BatchSize * n.p.Run.Window.SeqLen
	write(n.t, n.s, in.IDs, ints(n.r, rows, m.Vocab))
	write(n.t, n.s, in.Targets, ints(n.r, rows, m.Vocab))
	weight := fill(n.r, rows, 1, 0)
	weight[2] = 0
	write(n.t, n.s, in.Weight, weight)
	write(n.t, n.s, in.Control, control(float64(min(k, 1)), 1))
	n.run(ir.Micro)
}

func (n *trained) run(sec ir.Section) {
	n.t.Helper()
	if err := n.s.Run(n.t.Context(), sec); err != nil {
		n.t.Fatal(err)
	}
}

// window runs a whole window and everything after it, and returns all results
// by name. Gradients are rounded to f32 before the update, so that engines
// start it alike: AdamW turns rounding noise around 0 into whole steps.
func (n *trained) window(gradients map[string][]float32) map[string][]float32 {
	n.t.Helper()
	out := map[string][]float32{}
	for k := range 2 {
		n.micro(k)
		out[fmt.Sprintf("loss %d", k)] = floats(n.t, n.p, n.s, n.p.Run.Inputs.TokenLoss)
	}
	for _, q := range n.p.Run.Params {
		out["grad "+q.Name] = floats(n.t, n.p, n.s, q.Grad)
		if g := gradients["grad "+q.Name]; g != nil {
			write(n.t, n.s, q.Grad, g)
		}
	}
	n.run(ir.Update)
	ctl := make([]float64, ir.ControlLen)
	if err := n.s.Read(n.p.Run.Inputs.Control, ctl); err != nil {
		n.t.Fatal(err)
	}
	out["norm"] = []float32{float32(ctl[plan.CtlNorm]), float32(ctl[plan.CtlClip]), float32(ctl[plan.CtlApply])}
	for _, q := range n.p.Run.Params {
		out[q.Name] = floats(n.t, n.p, n.s, q.Buffer)
	}
	write(n.t, n.s, n.p.Run.Inputs.Last, []int32{3, 5})
	n.run(ir.Eval)
	n.run(ir.Logits)
	out["eval"] = floats(n.t, n.p, n.s, n.p.Run.Inputs.EvalLoss)
	out["logits"] = floats(n.t, n.p, n.s, n.p.Run.Inputs.Logits)
	return out
}

// TestStepAgrees trains a window on one plan in all engines.
func TestStepAgrees(t *testing.T) {
	p := plantest.GPT(config(2))
	got := start(t, cpu.Engine{}, p, exec.Options{Workers: 2}).window(nil)
	want := start(t, ref.Engine{}, p, exec.Options{}).window(got)
	for name, w := range want {
		if a := apart(got[name], w); !(a <= 1e-5) {
			t.Errorf("%s: cpu differs from ref by %.3g", name, a)
		}
	}
	if n := want["norm"]; n[0] <= 0 || n[2] != 1 {
		t.Errorf("norm, clip, apply are %v; want a positive norm and an applied update", n)
	}
	nothing := start(t, null.Engine{}, p, exec.Options{}).window(nil)
	if n := nothing["norm"]; n[2] != 1 {
		t.Errorf("null does not let the update be applied: %v", n)
	}
}

// TestStepIsBitEqual: neither the number of workers nor offloading changes a
// bit on the cpu engine.
func TestStepIsBitEqual(t *testing.T) {
	offload, keep := plantest.GPT(config(2)), plantest.GPT(config(0))
	want := start(t, cpu.Engine{}, keep, exec.Options{Workers: 1}).window(nil)
	for name, got := range map[string]map[string][]float32{
		"3 workers": start(t, cpu.Engine{}, keep, exec.Options{Workers: 3}).window(nil),
		"offload":   start(t, cpu.Engine{}, offload, exec.Options{Workers: 2}).window(nil),
	} {
		for value, w := range want {
			if a := apart(got[value], w); a != 0 {
				t.Errorf("%s changes %s by %.3g", name, value, a)
			}
		}
	}
}

// TestAllocatedIsThePlan: predicted = allocated, to the byte.
func TestAllocatedIsThePlan(t *testing.T) {
	p := plantest.GPT(config(2))
	want := [ir.NumTiers]int64{p.Arenas[0].Bytes, p.Arenas[1].Bytes}
	if want[ir.Device] == 0 || want[ir.Host] == 0 {
		t.Fatalf("the plan has arenas of %v bytes; both must be used", want)
	}
	for _, e := range []exec.Engine{cpu.Engine{}, null.Engine{}} {
		if got := open(t, e, p, exec.Options{}).Allocated(); got != want {
			t.Errorf("%s allocated %v bytes, the plan has %v", e.Name(), got, want)
		}
	}
}

// TestWriteAndRead: content survives, and a wrong type, length or buffer is an error.
func TestWriteAndRead(t *testing.T) {
	p := plantest.GPT(config(2))
	in := p.Run.Inputs
	for _, e := range []exec.Engine{cpu.Engine{}, ref.Engine{}, null.Engine{}} {
		s := open(t, e, p, exec.Options{})
		ids := make([]int32, p.Run.Window.BatchSize*p.Run.Window.SeqLen)
		ids[1] = 7
		write(t, s, in.IDs, ids)
		back := make([]int32, len(ids))
		if err := s.Read(in.IDs, back); err != nil || e.Name() != "null" && back[1] != 7 {
			t.Errorf("%s: read %v, %v; want what was written", e.Name(), back, err)
		}
		for what, err := range map[string]error{
			"short":       s.Write(in.IDs, ids[1:]),
			"other dtype": s.Write(in.IDs, make([]float32, len(ids))),
			"no slice":    s.Write(in.IDs, 1),
			"no buffer":   s.Write(len(p.Buffers), ids),
			"negative":    s.Read(-1, ids),
		} {
			if err == nil {
				t.Errorf("%s: %s is accepted", e.Name(), what)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if s.Write(in.IDs, ids) == nil || s.Read(in.IDs, ids) == nil || s.Run(t.Context(), ir.Micro) == nil {
			t.Errorf("%s: a closed session is usable", e.Name())
		}
	}
}

// TestCPURefuses plans and options it cannot run as they stand.
func TestCPURefuses(t *testing.T) {
	p := plantest.GPT(config(2))
	if _, err := (cpu.Engine{}).Open(p, exec.Options{Workers: p.Workers + 1}); err == nil {
		t.Error("more workers than the plan are accepted")
	}
	p.Target = "cuda:sm_80"
	if _, err := (cpu.Engine{}).Open(p, exec.Options{}); err == nil {
		t.Error("a plan for another target is accepted")
	}
	for _, e := range []exec.Engine{ref.Engine{}, null.Engine{}} {
		open(t, e, p, exec.Options{})
	}
	p.Target = "cpu"
	p.Buffers[p.Run.Inputs.IDs].Offset += plan.Align
	for _, e := range []exec.Engine{cpu.Engine{}, ref.Engine{}, null.Engine{}} {
		if _, err := e.Open(p, exec.Options{}); err == nil {
			t.Errorf("%s opens a plan whose persistent buffers overlap", e.Name())
		}
	}
}
