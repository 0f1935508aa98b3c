package compiler

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
)

func position(name string) int {
	return slices.IndexFunc(Passes, func(p Pass) bool { return p.Name == name })
}

// TestPassOrder: the pipeline obeys what is stated about it, and says why.
func TestPassOrder(t *testing.T) {
	named := map[string]bool{}
	for _, b := range Before {
		named[b.First], named[b.Then] = true, true
		if first, then := position(b.First), position(b.Then); first < 0 || then < 0 || first >= then || b.Because == "" {
			t.Errorf("%s at %d before %s at %d, because %q", b.First, first, b.Then, then, b.Because)
		}
	}
	var order, seen []string
	for _, p := range Passes {
		order = append(order, p.Name)
		if !named[p.Name] {
			t.Errorf("nothing is said about pass %s", p.Name)
		}
	}
	_, list, err := Compile(Source{Experiment: experiment(t, "quickstart")}, Options{Observe: func(pass string, g *ir.Graph) { seen = append(seen, pass) }})
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	if !slices.Equal(order, seen) {
		t.Errorf("observed %v, want %v", seen, order)
	}
}

// orders lists every order of the passes that Before allows.
func orders(left []Pass) (all [][]Pass) {
	if len(left) == 0 {
		return [][]Pass{nil}
	}
	for i, p := range left {
		free := !slices.ContainsFunc(left, func(q Pass) bool {
			return slices.ContainsFunc(Before, func(b struct{ First, Then, Because string }) bool { return b.First == q.Name && b.Then == p.Name })
		})
		if free {
			for _, rest := range orders(slices.Delete(slices.Clone(left), i, i+1)) {
				all = append(all, append([]Pass{p}, rest...))
			}
		}
	}
	return all
}

// TestBeforeIsEnough: every order that the constraints allow gives the same plan.
func TestBeforeIsEnough(t *testing.T) {
	x := experiment(t, "quickstart")
	x.Checkpointing.Policy, x.Offload.Place.Activations = "full", "host"
	r, list, err := Compile(Source{Experiment: x}, Options{})
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	all := orders(Passes)
	for _, passes := range all {
		s := newState(Source{Experiment: x}, Options{})
		var names []string
		for _, p := range passes {
			names = append(names, p.Name)
			if err := s.run(p); err != nil {
				t.Fatalf("%v: %v", names, err)
			}
		}
		if s.plan.Hashes != r.Plan.Hashes {
			t.Errorf("%v gives another plan", names)
		}
	}
	if len(all) == 0 || len(all) > 100 {
		t.Errorf("%d orders are allowed", len(all))
	}
}

// TestInternalError: what goes wrong in a pass, or in who observes it, comes
// back as an error with the pass's name and does not take the program down.
func TestInternalError(t *testing.T) {
	cause := errors.New("no rule")
	for _, c := range []struct {
		name string
		run  func(*state) error
		want any
	}{
		{"a panic", func(*state) error { panic("index out of range") }, "index out of range"},
		{"an error", func(*state) error { return cause }, cause},
	} {
		s := newState(Source{Experiment: experiment(t, "quickstart")}, Options{})
		var internal *InternalError
		if err := s.run(Pass{"broken", c.run}); !errors.As(err, &internal) || internal.Pass != "broken" || internal.Cause != c.want {
			t.Errorf("%s: %v", c.name, err)
		} else if !strings.Contains(err.Error(), "internal error in pass broken: ") {
			t.Errorf("%s: message %q", c.name, err)
		}
	}
	_, _, err := Compile(Source{Experiment: experiment(t, "quickstart")}, Options{Observe: func(pass string, g *ir.Graph) {
		if pass == "fuse" {
			panic("observer")
		}
	}})
	var internal *InternalError
	if !errors.As(err, &internal) || internal.Pass != "fuse" || internal.Cause != "observer" {
		t.Errorf("a panic of the observer: %v", err)
	}
	// An experiment that no loader lets through breaks the first pass.
	x := experiment(t, "quickstart")
	x.Model.HeadDim = 0
	if r, _, err := Compile(Source{Experiment: x}, Options{}); r != nil || !errors.As(err, &internal) || internal.Pass != "model" {
		t.Errorf("heads without width: %v", err)
	}
}

// TestDropout: specs with dropout compile, with the blocks recomputed, too; a
// dropout computed again draws at the site of the first; evaluation drops nothing.
func TestDropout(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama"} {
		for _, policy := range []string{"none", "full"} {
			x := experiment(t, name)
			x.Dropout.Rate, x.Checkpointing.Policy, x.Eval.Every = 0.1, policy, 5
			r, list, err := Compile(Source{Experiment: x}, Options{})
			if err != nil || len(list) > 0 {
				t.Fatal(err, list)
			}
			if err := plan.Validate(r.Plan); err != nil {
				t.Fatal(err)
			}
			times := map[string]map[int]int{} // phase → site → how often
			for sec := range r.Plan.Sections {
				for _, c := range r.Plan.Sections[sec].Commands {
					if c.Op != ir.OpDropout.String() {
						continue
					}
					if ir.Section(sec) != ir.Micro {
						t.Errorf("%s: dropout in section %v", name, ir.Section(sec))
					}
					if times[c.Phase] == nil {
						times[c.Phase] = map[int]int{}
					}
					times[c.Phase][c.Attr.Site]++
				}
			}
			sites := 1 + 2*int(x.Model.Layers)
			if len(times["forward"]) != sites || len(times["backward"]) != sites {
				t.Errorf("%s: %d sites forward and %d backward, want %d", name, len(times["forward"]), len(times["backward"]), sites)
			}
			// The first residual of each block goes through dropout again; the second is the next block's input.
			if want := map[string]int{"none": 0, "full": int(x.Model.Layers)}[policy]; len(times["recompute"]) != want {
				t.Errorf("%s, %s: %d sites recomputed, want %d", name, policy, len(times["recompute"]), want)
			}
			for phase, sites := range times {
				for site, n := range sites {
					if n != 1 || times["forward"][site] != 1 {
						t.Errorf("%s: site %d is drawn %d times in %s", name, site, n, phase)
					}
				}
			}
		}
	}
}

// TestBudget: a plan over the budget is refused with its numbers.
func TestBudget(t *testing.T) {
	x := experiment(t, "quickstart")
	r, list, err := Compile(Source{Experiment: x}, Options{})
	if err != nil || len(list) > 0 {
		t.Fatal(err, list)
	}
	arena := r.Plan.Arenas[ir.Device].Bytes
	x.Memory.Budget = arena
	if r, list, err := Compile(Source{Experiment: x}, Options{}); r == nil || err != nil || len(list) > 0 {
		t.Errorf("a budget of just the arena: %v, %v", list, err)
	}
	x.Memory.Budget = arena / 2
	where := func(path string) diag.Position { return diag.Position{File: path, Line: 3} }
	r, list, err = Compile(Source{Experiment: x, Name: "experiment", Where: where}, Options{})
	if r != nil || err != nil || len(list) != 1 || list[0].Code != "mem.peak" || list[0].Path != "experiment.memory.budget" || list[0].Pos.File != "memory.budget" {
		t.Fatalf("half of the arena: %v, %v", list, err)
	}
	for _, part := range []string{plan.Bytes(arena), plan.Bytes(arena / 2), plan.Bytes(arena - arena/2), "micro"} {
		if !strings.Contains(list[0].Summary, part) {
			t.Errorf("%q does not say %q", list[0].Summary, part)
		}
	}
}

// TestRefusedSpecIsNotCompiled: after a finding on the spec no pass runs.
func TestRefusedSpecIsNotCompiled(t *testing.T) {
	x := experiment(t, "quickstart")
	x.Window.Replicas = 2
	r, list, err := Compile(Source{Experiment: x}, Options{Observe: func(pass string, g *ir.Graph) { t.Errorf("pass %s ran", pass) }})
	if r != nil || err != nil || len(list) != 1 || list[0].Code != "target.replicas" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestWarningDoesNotRefuse: an offload that moves nothing is said and planned.
func TestWarningDoesNotRefuse(t *testing.T) {
	x := experiment(t, "offloaded")
	x.Offload.Prefetch.Buffers = 8
	r, list, err := Compile(Source{Experiment: x}, Options{})
	if r == nil || err != nil || len(list) != 1 || list[0].Code != "place.useless" || list[0].Severity != diag.Warning {
		t.Errorf("%v, %v", list, err)
	}
}

// TestSample: a plan for sampling has the logits section alone, and no gradient,
// moment or target.
func TestSample(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama", "offloaded"} {
		x := experiment(t, name)
		r, list, err := Compile(Source{Experiment: x}, Options{Program: Sample, Batch: 2})
		if err != nil || len(list) > 0 {
			t.Fatal(err, list)
		}
		if err := plan.Validate(r.Plan); err != nil {
			t.Fatal(err)
		}
		for sec := range r.Plan.Sections {
			if has := len(r.Plan.Sections[sec].Commands) > 0; has != (ir.Section(sec) == ir.Logits) {
				t.Errorf("%s: section %v has %d commands", name, ir.Section(sec), len(r.Plan.Sections[sec].Commands))
			}
		}
		for i := range r.Plan.Buffers {
			switch b := &r.Plan.Buffers[i]; b.Class {
			case "gradient", "optimizer", "staging", "transient":
				t.Errorf("%s: buffer %s of class %s", name, b.Name, b.Class)
			}
		}
		c := model.FromSpec(x)
		in := &r.Plan.Run.Inputs
		if in.Targets != -1 || in.Weight != -1 || in.TokenLoss != -1 || in.Last < 0 || in.Logits < 0 {
			t.Errorf("%s: inputs %+v", name, in)
		} else if got, want := r.Plan.Buffers[in.Logits].Shape, []int{2, c.Vocab}; !slices.Equal(got, want) {
			t.Errorf("%s: logits %v, want %v", name, got, want)
		}
	}
}

// TestPredictions: what moves, is computed again and is exposed, from formulas.
func TestPredictions(t *testing.T) {
	x := experiment(t, "offloaded")
	x.Window.MicroBatches, x.Window.Sequences, x.Window.Tokens = 3, 24, 24*64
	r, list, err := Compile(Source{Experiment: x}, Options{})
	if err != nil || len(list) > 0 {
		t.Fatal(err, list)
	}
	pr := &r.Plan.Predictions
	m, w := &x.Model, &x.Window
	// in, ln1, att, resid1, ln2: C each, qkv 3C, fc and act 4C each, lse one a head.
	block := 4 * w.MicroBatchSize * w.SeqLen * (16*m.DModel + m.Heads)
	moments := 2 * 4 * pr.Parameters
	if want := 3*(m.Layers-2)*block + moments; pr.MovedOut != want || pr.MovedIn != want {
		t.Errorf("moved out %d and in %d, want %d: %d blocks of %d three times, and the moments", pr.MovedOut, pr.MovedIn, want, m.Layers-2, block)
	}
	if want := r.Plan.Arenas[ir.Host].Bytes; pr.HostBytes != want || want < (m.Layers-2)*block+moments {
		t.Errorf("host %d, arena %d, what lives there %d", pr.HostBytes, want, (m.Layers-2)*block+moments)
	}
	if pr.Recomputed != 0 || pr.Tokens != 24*64 || pr.Trained != 24*63 || pr.ExposedNs > pr.TransferNs {
		t.Errorf("%+v", pr)
	}
	kept := pr.FLOPs
	x.Checkpointing.Policy = "full"
	r, list, err = Compile(Source{Experiment: x}, Options{})
	if err != nil || len(list) > 0 {
		t.Fatal(err, list)
	}
	pr = &r.Plan.Predictions
	if pr.Recomputed <= 0 || pr.FLOPs != kept+pr.Recomputed {
		t.Errorf("recomputing adds %d to %d and makes %d", pr.Recomputed, kept, pr.FLOPs)
	}
}

// TestDeterministic: the same experiment gives the same plan.
func TestDeterministic(t *testing.T) {
	for _, name := range []string{"offloaded", "gpt2-124m"} {
		x := experiment(t, name)
		a, _, err := Compile(Source{Experiment: x}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := Compile(Source{Experiment: x}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Plan.Hashes != b.Plan.Hashes {
			t.Errorf("%s: hashes %v and %v", name, a.Plan.Hashes, b.Plan.Hashes)
		}
	}
}
