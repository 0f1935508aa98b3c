package check_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// base is a spec that no rule finds fault with.
func base(t *testing.T) *shape.Experiment {
	t.Helper()
	ls, list := spec.Load(spec.Options{Dir: "../.."}, "examples/offloaded")
	if len(list) > 0 || len(ls) != 1 {
		t.Fatal(list)
	}
	return ls[0].Experiment
}

// input is what the rules get; the position of a field is its path.
func input(x *shape.Experiment) *check.Input {
	c := model.FromSpec(x)
	return &check.Input{Experiment: x, Model: &c, Prefix: "experiment", Where: func(path string) diag.Position { return diag.Position{File: path, Line: 1} }}
}

// found prints findings as "severity code path: summary".
func found(list diag.List) (lines []string) {
	for _, d := range list {
		lines = append(lines, d.Severity.String()+" "+d.Code+" "+d.Path+": "+d.Summary)
	}
	return lines
}

func TestRulesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range check.Rules() {
		if seen[r.ID] {
			t.Errorf("two rules are %s", r.ID)
		}
		seen[r.ID] = true
		if !regexp.MustCompile(`^[a-z]+\.[a-zA-Z]+$`).MatchString(r.ID) {
			t.Errorf("%q is not a dotted id", r.ID)
		}
		if r.Title == "" || r.Formula == "" || r.Doc == "" {
			t.Errorf("%s has no title, formula or text", r.ID)
		}
		if r.Spec == nil && r.Plan == nil && r.Data == nil {
			t.Errorf("%s runs on nothing", r.ID)
		}
	}
}

func TestSilentOnGood(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama", "window", "checkpointed", "offloaded", "gpt2-124m", "llama-7b", "gpt3-175b"} {
		ls, list := spec.Load(spec.Options{Dir: "../.."}, "examples/"+name)
		if len(list) > 0 {
			t.Fatal(list)
		}
		in := input(ls[0].Experiment)
		if got := found(check.Spec(in)); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
		r, list, err := compiler.Compile(compiler.Source{Experiment: ls[0].Experiment}, compiler.Options{})
		if err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, list, err)
			continue
		}
		in.Plan = r.Plan
		if got := found(check.Plan(in)); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSpecRules changes one thing of a good spec at a time.
func TestSpecRules(t *testing.T) {
	good := base(t)
	if got := found(check.Spec(input(good))); len(got) > 0 {
		t.Fatal(got)
	}
	for _, c := range []struct {
		name   string
		change func(x *shape.Experiment)
		want   []string // code, path and parts of the summary of each finding
	}{
		{"bf16 activations", func(x *shape.Experiment) { x.Precision.Compute, x.Precision.Params = "bf16", "bf16" },
			nil},
		{"bf16 parameters alone", func(x *shape.Experiment) { x.Precision.Params = "bf16" },
			[]string{"error target.precision experiment.precision.params: precision.params is bf16, but parameters are stored in the type of compute, f32"}},
		{"everything else of precision", func(x *shape.Experiment) {
			x.Precision.Grads, x.Precision.Master, x.Precision.Products = "f16", "bf16", "tf32"
		}, []string{
			"error target.precision experiment.precision.grads: precision.grads is f16, but this version accumulates gradients in f32 only",
			"error target.precision experiment.precision.master: precision.master is bf16, but this version keeps master copies in f32 only",
			"error target.precision experiment.precision.products: precision.products is tf32, which tensor cores make, but the plan is for cpu"}},
		{"parameters on the host", func(x *shape.Experiment) { x.Offload.Place.Params = "host" },
			[]string{"error target.offload experiment.offload.place.params: params on the host is not possible in this version: optimizer and activations can be on the host"}},
		{"gradients on the host", func(x *shape.Experiment) { x.Offload.Place.Grads = "host" },
			[]string{"error target.offload experiment.offload.place.grads: grads on the host is not possible in this version: optimizer and activations can be on the host"}},
		{"disk", func(x *shape.Experiment) { x.Offload.Place.Optimizer, x.Offload.Place.Activations = "disk", "disk" }, []string{
			"error target.offload experiment.offload.place.activations: activations on the disk is not possible in this version: optimizer and activations can be on the host",
			"error target.offload experiment.offload.place.optimizer: optimizer on the disk is not possible in this version: optimizer and activations can be on the host"}},
		{"an override of one block", func(x *shape.Experiment) {
			x.Offload.Overrides = []shape.OffloadRule{{Layers: shape.LayerList{1}, Class: "activations", Place: "device"}, {Layers: shape.LayerList{2}, Class: "grads", Place: "host"}}
		}, []string{"error target.offload experiment.offload.overrides.1.place: grads on the host is not possible in this version: optimizer and activations can be on the host"}},
		{"a chosen placement", func(x *shape.Experiment) { x.Memory.Policy = "auto" },
			[]string{"error target.auto experiment.memory.policy: memory.policy is auto; this version carries out declared placements only"}},
		{"dropout of probabilities", func(x *shape.Experiment) { x.Dropout.Attention = 0.25 },
			[]string{"error target.dropout experiment.dropout.attention: dropout.attention is 0.25; attention dropout is not possible in this version"}},
		{"dropout of branches is fine", func(x *shape.Experiment) { x.Dropout.Rate = 0.25 }, nil},
		{"norms of queries and keys", func(x *shape.Experiment) { x.Model.QKNorm = true },
			[]string{"error target.qknorm experiment.model.qkNorm: model.qkNorm is true; norms of queries and keys cannot be compiled in this version"}},
		{"replicas", func(x *shape.Experiment) { x.Window.Replicas = 4 },
			[]string{"error target.replicas experiment.window.replicas: window.replicas is 4; this version runs one replica"}},
		{"unknown results", func(x *shape.Experiment) {
			x.Checkpointing.Policy = "full"
			x.Checkpointing.Tensors, x.Offload.Tensors = []string{"act", "in", "gateup"}, []string{"att", "mlp"}
		}, []string{
			`error spec.tensors experiment.checkpointing.tensors.1: checkpointing.tensors names "in", which is not one of ln1, qkv, att, lse, resid1, ln2, fc, act`,
			`error spec.tensors experiment.checkpointing.tensors.2: checkpointing.tensors names "gateup", which is not one of ln1, qkv, att, lse, resid1, ln2, fc, act`,
			`error spec.tensors experiment.offload.tensors.1: offload.tensors names "mlp", which is not one of in, ln1, qkv, att, lse, resid1, ln2, fc, act`}},
		{"names to recompute, but no block", func(x *shape.Experiment) { x.Checkpointing.Tensors = []string{"act"} },
			[]string{"warning spec.tensors experiment.checkpointing.tensors: checkpointing.tensors names results, but no block is recomputed"}},
		{"names to recompute in one block", func(x *shape.Experiment) {
			x.Checkpointing.Tensors, x.Checkpointing.Overrides = []string{"act"}, []shape.CheckpointRule{{Layers: shape.LayerList{1}, Policy: "full"}}
		}, nil},
		{"names to offload, but no block", func(x *shape.Experiment) { x.Offload.Tensors, x.Offload.Place.Activations = []string{"act"}, "device" },
			[]string{"warning spec.tensors experiment.offload.tensors: offload.tensors names results, but no block's activations are offloaded"}},
		{"names to offload in one block", func(x *shape.Experiment) {
			x.Offload.Tensors, x.Offload.Place.Activations = []string{"act"}, "device"
			x.Offload.Overrides = []shape.OffloadRule{{Layers: shape.LayerList{1}, Class: "activations", Place: "host"}}
		}, nil},
		{"a name in both lists", func(x *shape.Experiment) {
			x.Checkpointing.Policy, x.Checkpointing.Tensors, x.Offload.Tensors = "full", []string{"ln1", "act"}, []string{"in", "act"}
		}, []string{"warning spec.tensors experiment.checkpointing.tensors.1: act is in checkpointing.tensors and in offload.tensors: where a block does both it is offloaded, not recomputed"}},
		{"a pattern that matches nothing, one that is none, and a good one", func(x *shape.Experiment) {
			x.Optimizer.Groups = []shape.Group{{Params: []string{"*.ln9.*", "[a-"}}, {Params: []string{"blocks.*.ln1.*"}}}
		}, []string{
			`error spec.groups experiment.optimizer.groups.0.params.0: pattern "*.ln9.*" matches no parameter of this model`,
			`error spec.groups experiment.optimizer.groups.0.params.1: pattern "[a-" is not valid: syntax error in pattern`}},
	} {
		x := *good
		c.change(&x)
		in := input(&x)
		list := check.Spec(in)
		if d := cmp.Diff(c.want, found(list)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		for _, d := range list {
			if d.Help == "" || d.Pos.File != strings.TrimPrefix(d.Path, "experiment.") {
				t.Errorf("%s: position %v, help %q", c.name, d.Pos, d.Help)
			}
		}
	}
}

// planned compiles an experiment and gives what the plan rules read.
func planned(t *testing.T, x *shape.Experiment) *check.Input {
	t.Helper()
	in := input(x)
	r, list, err := compiler.Compile(compiler.Source{Experiment: x}, compiler.Options{})
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	in.Plan = r.Plan
	return in
}

// TestBudgets: a plan at its budget passes, one byte less is refused with the
// sizes, the moment of the peak and its owners.
func TestBudgets(t *testing.T) {
	in := planned(t, base(t))
	x := in.Experiment
	device, host := in.Plan.Arenas[0].Bytes, in.Plan.Arenas[1].Bytes
	for _, c := range []struct {
		name         string
		device, host int64
		code, field  string
		parts        []string
	}{
		{"no limit", 0, 0, "", "", nil},
		{"just enough", device, host, "", "", nil},
		{"one byte of the device is missing", device - 1, 0, "mem.peak", "memory.budget",
			[]string{"the device arena needs " + plan.Bytes(device), "1 B are missing", "in micro", in.Plan.Predictions.Peak.What,
				in.Plan.Predictions.OwnersAtPeak[0].Name + " " + plan.Bytes(in.Plan.Predictions.OwnersAtPeak[0].Bytes)}},
		{"much of the device is missing", 1 << 20, host, "mem.peak", "memory.budget", []string{"the budget is 1.00 MiB", plan.Bytes(device-1<<20) + " are missing"}},
		{"the host is too small", device, 1000, "place.host", "memory.hostBudget",
			[]string{"the host arena needs " + plan.Bytes(host), "the budget is 1000 B", plan.Bytes(host-1000) + " are missing"}},
	} {
		y := *x
		y.Memory.Budget, y.Memory.HostBudget = c.device, c.host
		in.Experiment = &y
		list := check.Plan(in)
		if c.code == "" {
			if len(list) > 0 {
				t.Errorf("%s: %v", c.name, found(list))
			}
			continue
		}
		if len(list) != 1 || list[0].Code != c.code || list[0].Path != "experiment."+c.field || list[0].Severity != diag.Error || list[0].Help == "" {
			t.Errorf("%s: %v", c.name, found(list))
			continue
		}
		for _, p := range c.parts {
			if !strings.Contains(list[0].Summary, p) {
				t.Errorf("%s: %q does not say %q", c.name, list[0].Summary, p)
			}
		}
	}
}

// TestIdleOffload warns when there are no more offloaded blocks than slots.
func TestIdleOffload(t *testing.T) {
	x := *base(t)
	x.Offload.Prefetch.Buffers = x.Model.Layers
	got := found(check.Plan(planned(t, &x)))
	want := []string{"warning place.useless experiment.offload: activations of 6 blocks are offloaded, but there are 6 staging slots: every block's results stay in their slot and nothing is moved"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	x.Offload.Prefetch.Buffers = x.Model.Layers - 1
	if got := found(check.Plan(planned(t, &x))); len(got) > 0 {
		t.Errorf("with one slot less: %v", got)
	}
}

// TestNoStateToOffload warns about offloaded moments that do not exist.
func TestNoStateToOffload(t *testing.T) {
	x, none := *base(t), 0.0
	x.Optimizer.Kind, x.Optimizer.Momentum = "sgd", &none
	got := found(check.Plan(planned(t, &x)))
	want := []string{"warning place.useless experiment.offload: the optimizer's state is offloaded, but sgd without momentum has none"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	half := 0.5
	x.Optimizer.Momentum = &half
	if got := found(check.Plan(planned(t, &x))); len(got) > 0 {
		t.Errorf("with momentum: %v", got)
	}
	x.Optimizer.Momentum, x.Precision.Compute, x.Precision.Params = &none, "bf16", "bf16"
	if got := found(check.Plan(planned(t, &x))); len(got) > 0 {
		t.Errorf("with master copies: %v", got)
	}
}

// TestPositions: findings on a file of the user stand where the field is.
func TestPositions(t *testing.T) {
	ls, list := spec.Load(spec.Options{Dir: "testdata"}, "./refused")
	if len(list) > 0 || len(ls) != 1 {
		t.Fatal(list)
	}
	l := ls[0]
	r, list, err := compiler.Compile(compiler.Source{Experiment: l.Experiment, Name: l.Name, Where: l.Where}, compiler.Options{})
	if r != nil || err != nil {
		t.Fatalf("compiled: %v", err)
	}
	var got []string
	for _, d := range list {
		if d.Pos.Col == 0 {
			t.Errorf("%s: no column", d.Path)
		}
		got = append(got, fmt.Sprintf("%s:%d %s %s", d.Pos.File, d.Pos.Line, d.Code, d.Path))
	}
	want := []string{
		"refused/exp.cue:11 target.replicas experiment.window.replicas",
		"refused/exp.cue:14 spec.tensors experiment.checkpointing.tensors",
		"refused/exp.cue:14 spec.tensors experiment.checkpointing.tensors.0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
