package compiler_test

import (
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
)

// load returns the one experiment of a folder below the repository's root.
func load(t testing.TB, path string) *spec.Loaded {
	t.Helper()
	ls, list := spec.Load(spec.Options{Dir: ".."}, path)
	if list.HasErrors() || len(ls) != 1 {
		t.Fatalf("%s: %d experiments, findings %v", path, len(ls), list)
	}
	return ls[0]
}

// compile compiles a loaded experiment and checks every invariant of every pass.
func compile(t testing.TB, l *spec.Loaded, o compiler.Options) *compiler.Result {
	t.Helper()
	o.Observe = func(pass string, g *ir.Graph) {
		if err := ir.Check(g); err != nil {
			t.Errorf("after %s: %v", pass, err)
		}
	}
	r, list, err := compiler.Compile(compiler.Source{Experiment: l.Experiment, Name: l.Name, Where: l.Where, Hash: l.Hash}, o)
	if err != nil || list.HasErrors() {
		t.Fatalf("compile: %v %v", err, list)
	}
	if err := plan.Validate(r.Plan); err != nil {
		t.Fatalf("the compiler's own plan is refused: %v", err)
	}
	return r
}

var examples = []string{"quickstart", "tiny-llama", "window", "checkpointed", "offloaded", "gpt2-124m", "llama-7b", "gpt3-175b"}

func TestExamplesCompile(t *testing.T) {
	for _, name := range examples {
		t.Run(name, func(t *testing.T) {
			p := compile(t, load(t, "examples/"+name), compiler.Options{}).Plan
			pr := &p.Predictions
			t.Logf("%d parameters, %d buffers, peak %s at %s in %s, arena %s (fragments %.2f %%), host %s, recomputed %.1f %%, exposed %s of %s",
				pr.Parameters, len(p.Buffers), plan.Bytes(pr.Peak.Bytes), pr.Peak.What, pr.Peak.Section, plan.Bytes(p.Arenas[0].Bytes),
				100*float64(pr.Fragments)/float64(pr.Peak.Bytes), plan.Bytes(pr.HostBytes), 100*float64(pr.Recomputed)/float64(pr.FLOPs),
				plan.Duration(pr.ExposedNs), plan.Duration(pr.TransferNs))
			if limit := pr.Peak.Bytes + pr.Peak.Bytes/50; p.Arenas[0].Bytes > limit {
				t.Errorf("device arena %d is more than 1.02 of the peak %d", p.Arenas[0].Bytes, pr.Peak.Bytes)
			}
			if strings.Contains(pr.Peak.What, "record") {
				t.Errorf("peak at an event: %q", pr.Peak.What)
			}
		})
	}
}

func BenchmarkCompileGPT3(b *testing.B) {
	l := load(b, "examples/gpt3-175b")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := compiler.Compile(compiler.Source{Experiment: l.Experiment, Name: l.Name, Where: l.Where, Hash: l.Hash}, compiler.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
