package gradcheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/gradcheck"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/spec"
)

// plans compiles the experiments of testdata whose name is asked for, or all.
func plans(t *testing.T, names ...string) (ps []*plan.Plan) {
	t.Helper()
	ls, list := spec.Load(spec.Options{}, "testdata")
	if list.HasErrors() || len(ls) == 0 {
		t.Fatalf("%d experiments, findings %v", len(ls), list)
	}
	for _, l := range ls {
		if len(names) > 0 && !slices.Contains(names, l.Experiment.Name) {
			continue
		}
		r, list, err := compiler.Compile(compiler.Source{Experiment: l.Experiment, Name: l.Name, Where: l.Where, Hash: l.Hash}, compiler.Options{})
		if err != nil || list.HasErrors() {
			t.Fatalf("compile %s: %v %v", l.Name, err, list)
		}
		ps = append(ps, r.Plan)
	}
	return ps
}

// check runs the check on the float64 engine, away from the values at which
// parameters begin.
func check(t *testing.T, p *plan.Plan) gradcheck.Report {
	t.Helper()
	s, err := ref.Engine{}.Open(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, q := range p.Run.Params {
		if q.Init != "ones" {
			continue
		}
		ones := make([]float64, q.Shape[0])
		for i := range ones {
			ones[i] = 1
		}
		if err := s.Write(q.Buffer, ones); err != nil {
			t.Fatal(err)
		}
	}
	in, err := gradcheck.Synthetic(p, 5)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := gradcheck.Run(t.Context(), p, s, gradcheck.Options{Inputs: in, Samples: 8, Jitter: 0.2, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Tensors) != len(p.Run.Params) {
		t.Errorf("%d tensors checked of %d", len(rep.Tensors), len(p.Run.Params))
	}
	return rep
}

// TestPlans checks every gradient of plans as the compiler makes them: kernels,
// rules, fusing, recompute, offload, accumulation and the shared table together.
func TestPlans(t *testing.T) {
	for _, p := range plans(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			rep := check(t, p)
			for _, x := range rep.Failed() {
				t.Errorf("%s: rel %.2e, element %d: plan %.12g, differences %.12g (%.2e)", x.Name, x.Rel, x.WorstIndex, x.Analytic, x.Numeric, x.Worst)
			}
			for _, x := range rep.NoGradient() {
				t.Errorf("%s gets no gradient", x.Name)
			}
		})
	}
}

// TestWrongPlans changes one command of a plan's backward pass; what lies below
// it must fail, and nothing above it.
func TestWrongPlans(t *testing.T) {
	for _, c := range []struct {
		name, plan, op string
		wrong          func(p *plan.Plan, c *plan.Command)
		fails, passes  string
	}{
		{"rope does not turn back", "llama", "rope", func(_ *plan.Plan, c *plan.Command) { c.Attr.Inverse = false }, "blocks.1.attn.qkv.weight", "blocks.1.attn.out.weight"},
		{"attention with another scale", "gpt2", "attention.grad", func(_ *plan.Plan, c *plan.Command) { c.Attr.Scale *= 1.001 }, "blocks.1.attn.qkv.weight", "blocks.1.attn.out.weight"},
		{"gelu of the other form", "gpt2", "gelu.grad", func(_ *plan.Plan, c *plan.Command) { c.Attr.Tanh = !c.Attr.Tanh }, "blocks.1.mlp.fc.weight", "blocks.1.mlp.proj.weight"},
		{"dropout of another site", "gpt2-dropout", "dropout", func(_ *plan.Plan, c *plan.Command) { c.Attr.Site++ }, "blocks.1.mlp.proj.weight", "lnf.weight"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := plans(t, c.plan)[0]
			commands := p.Sections[ir.Micro].Commands
			i := slices.IndexFunc(commands, func(x plan.Command) bool { return x.Op == c.op && x.Phase == "backward" })
			if i < 0 {
				t.Fatalf("no %s in the backward pass", c.op)
			}
			attr := *commands[i].Attr
			commands[i].Attr = &attr
			c.wrong(p, &commands[i])
			if err := plan.Seal(p); err != nil {
				t.Fatal(err)
			}
			var failed []string
			rep := check(t, p)
			for _, x := range rep.Failed() {
				failed = append(failed, x.Name)
			}
			if !slices.Contains(failed, c.fails) || slices.Contains(failed, c.passes) {
				t.Errorf("failed: %v, want %s among them and not %s", failed, c.fails, c.passes)
			}
		})
	}
}

// TestNarrowEngine: an engine that cannot keep float64 is told apart from a
// wrong gradient.
func TestNarrowEngine(t *testing.T) {
	p := plans(t, "gpt2-one-batch")[0]
	s, err := cpu.Engine{}.Open(p, exec.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in, err := gradcheck.Synthetic(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = gradcheck.Run(t.Context(), p, s, gradcheck.Options{Inputs: in})
	if err == nil || !strings.Contains(err.Error(), "float64") {
		t.Errorf("error %v does not say that float64 is needed", err)
	}
}

func TestInputs(t *testing.T) {
	p := plans(t, "gpt2-segments")[0]
	in, err := gradcheck.Synthetic(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := gradcheck.Synthetic(p, 1)
	other, _ := gradcheck.Synthetic(p, 2)
	if !cmp.Equal(in, again) || cmp.Equal(in, other) {
		t.Error("the window is not a function of the seed")
	}
	w := p.Run.Window
	if len(in.Batches) != w.MicroBatches || &in.Batches[0].IDs[0] == &in.Batches[1].IDs[0] {
		t.Errorf("%d micro-batches, want %d with arrays of their own", len(in.Batches), w.MicroBatches)
	}
	last := in.Batches[len(in.Batches)-1]
	if n := len(last.Weight); last.Weight[n-1] != 0 || last.Lo[n-1] == 0 || last.Row[n-1] != -1 || last.Trained == 0 {
		t.Errorf("the last position of the window is not padding: %+v", last)
	}
	row := func(id int32) loss.Row {
		return loss.Row{IDs: []int32{1, 2, id, 3, 4, 5, 6, 7}, Docs: make([]int32, 8), Roles: make([]loss.Role, 8)}
	}
	_, err = gradcheck.FromRows(p, []loss.Row{row(1), row(1), row(256)})
	if err == nil || !strings.Contains(err.Error(), "micro-batch 1: row 0: position 2: id 256 is outside the vocabulary of 256") {
		t.Errorf("unknown id: error %v", err)
	}
}
