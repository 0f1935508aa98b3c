package compiler_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

func loadExample(t *testing.T, name string) *shape.Experiment {
	t.Helper()
	ls, list := spec.Load(spec.Options{Dir: ".."}, "examples/"+name)
	if len(list) > 0 || len(ls) != 1 {
		t.Fatal(list)
	}
	return ls[0].Experiment
}

// TestBaseline: the plan that a placement is compared with is the plan of the
// same experiment without it, byte for byte.
func TestBaseline(t *testing.T) {
	for _, name := range []string{"checkpointed", "offloaded", "llama-7b"} {
		x := loadExample(t, name)
		y := *x
		y.Checkpointing.Policy = "none"
		y.Offload.Place.Activations, y.Offload.Place.Optimizer = "device", "device"
		want, list, err := compiler.Compile(compiler.Source{Experiment: &y}, compiler.Options{})
		if err != nil || len(list) > 0 {
			t.Fatal(list, err)
		}
		got := compiler.Without(t, x)
		if d := cmp.Diff(want.Plan.Buffers, got.Buffers); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		p, q := &want.Plan.Predictions, &got.Predictions
		for _, d := range []string{cmp.Diff(p.Peak, q.Peak), cmp.Diff(p.Sections, q.Sections), cmp.Diff(p.OwnersAtPeak, q.OwnersAtPeak), cmp.Diff(want.Plan.Arenas, got.Arenas)} {
			if d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
	}
	if p := compiler.Without(t, loadExample(t, "quickstart")); p != nil {
		t.Error("a plan without a placement has a baseline")
	}
}

// TestUselessPlacement: a wide head over a short row owns the peak, so that
// recomputing a block saves nothing.
func TestUselessPlacement(t *testing.T) {
	x := *loadExample(t, "checkpointed")
	x.Model.Layers, x.Window.SeqLen, x.Window.MicroBatchSize = 1, 2, 1
	x.Window.Sequences, x.Window.Tokens = 1, 2
	r, list, err := compiler.Compile(compiler.Source{Experiment: &x}, compiler.Options{})
	if err != nil || r == nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if d := list[0]; d.Code != "place.useless" || !strings.Contains(d.Summary, "without recompute and offload: nothing is saved") || !strings.Contains(d.Summary, plan.Bytes(r.Plan.Predictions.Peak.Bytes)) {
		t.Error(d)
	}
}
