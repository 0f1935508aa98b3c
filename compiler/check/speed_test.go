package check_test

import (
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

// large is a spec of 96 layers with 288 overrides, three for each layer: one of
// checkpointing and two of offload.
func large() tree {
	x := tree{"name": "large", "model": tree{"family": "gpt2", "layers": 96, "heads": 96, "headDim": 128, "vocab": 50257, "context": 2048},
		"window": tree{"microBatches": 16, "microBatchSize": 1, "seqLen": 2048}, "optimizer": tree{"lr": 6e-5}, "schedule": tree{"updates": 100000, "warmup": 375, "kind": "cosine", "floor": 0.1}}
	var again, moved []any
	for l := range 96 {
		again = append(again, tree{"layers": []any{l}, "policy": []string{"full", "none"}[l%2]})
		moved = append(moved, tree{"layers": []any{l}, "class": "optimizer", "place": "host"}, tree{"layers": []any{l}, "class": "activations", "place": []string{"device", "host"}[l%2]})
	}
	x.set("checkpointing.overrides", again)
	x.set("offload.overrides", moved)
	return x
}

// TestLarge: the large spec is right, and the rules say so.
func TestLarge(t *testing.T) {
	l := loadOne(t, large())
	if n := len(l.Experiment.Checkpointing.Overrides) + len(l.Experiment.Offload.Overrides); n != 288 {
		t.Errorf("%d overrides", n)
	}
	if got := found(specFindings(l)); len(got) > 0 {
		t.Error(strings.Join(got, "\n"))
	}
}

func inputOf(l *spec.Loaded) *check.Input {
	c := model.FromSpec(l.Experiment)
	return &check.Input{Experiment: l.Experiment, Model: &c, Where: func(string) diag.Position { return diag.Position{} }}
}

// BenchmarkSpec is all rules on a loaded spec: large, and of another trainer
// with all sections of a pipeline.
func BenchmarkSpec(b *testing.B) {
	for _, c := range []struct {
		name string
		spec tree
	}{{"96 layers, 288 overrides", large()}, {"13 sections", described13()}} {
		b.Run(c.name, func(b *testing.B) {
			ls, list := loadText(b.TempDir(), c.spec)
			if len(ls) != 1 || len(list) > 0 {
				b.Fatal(found(list))
			}
			in := inputOf(ls[0])
			b.ReportAllocs()
			for b.Loop() {
				if list := check.Spec(in); len(list) > 0 {
					b.Fatal(found(list))
				}
			}
		})
	}
}

// described13 is the first random spec whose pipeline has the most sections.
func described13() (best tree) {
	most := 0
	for seed := range uint64(500) {
		if x := right(seed, true); len(x.tree("pipeline")) > most {
			best, most = x, len(x.tree("pipeline"))
		}
	}
	return best
}

// BenchmarkLoad is loading one spec from its text, the rules of the schema included.
func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		name string
		spec tree
	}{{"96 layers, 288 overrides", large()}, {"13 sections", described13()}} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			b.ReportAllocs()
			for b.Loop() {
				if ls, list := loadText(dir, c.spec); len(ls) != 1 || len(list) > 0 {
					b.Fatal(found(list))
				}
			}
		})
	}
}
