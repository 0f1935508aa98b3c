package e2e

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

const updates = 20

// example loads one of the shipped examples.
func example(t testing.TB, name string) *spec.Loaded {
	t.Helper()
	return loadDir(t, filepath.Join("../../examples", name))
}

func loadDir(t testing.TB, dir string) *spec.Loaded {
	t.Helper()
	ls, list := spec.Load(spec.Options{}, dir)
	if list.HasErrors() || len(ls) != 1 {
		t.Fatal(list)
	}
	return ls[0]
}

// planOf compiles an example after a change to its spec.
func planOf(t testing.TB, l *spec.Loaded, change func(*shape.Experiment)) *plan.Plan {
	t.Helper()
	x := *l.Experiment
	if change != nil {
		change(&x)
	}
	res, list, err := compiler.Compile(compiler.Source{Experiment: &x, Name: l.Name, Where: l.Where}, compiler.Options{})
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	return res.Plan
}

func trainOn(t testing.TB, e exec.Engine, p *plan.Plan, l *spec.Loaded, o train.Options) train.Result {
	t.Helper()
	o.Plan, o.Engine, o.Root = p, e, l.Dir
	r, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// split sets the window's split; K·B stays the same.
func split(k int64) func(*shape.Experiment) {
	return func(x *shape.Experiment) {
		x.Window.MicroBatchSize = x.Window.Sequences / k
		x.Window.MicroBatches = k
	}
}

// TestSameBits is the determinism contract on the quickstart model: after 20
// updates every placement, split, number of workers and a resume has the loss
// bits and the parameter hash of the plain run.
func TestSameBits(t *testing.T) {
	l := example(t, "quickstart")
	base := trainOn(t, cpu.Engine{}, planOf(t, l, nil), l, train.Options{Steps: updates})
	if len(base.Losses) != updates || !(base.Losses[updates-1] < base.Losses[0]) {
		t.Fatalf("the plain run does not learn: %v", base.Losses)
	}
	full := func(x *shape.Experiment) { x.Checkpointing.Policy = "full" }
	host := func(x *shape.Experiment) { x.Offload.Place.Activations, x.Offload.Place.Optimizer = "host", "host" }
	for _, c := range []struct {
		name    string
		workers int
		change  func(*shape.Experiment)
	}{
		{"D1 one worker", 1, nil},
		{"D1 two workers", 2, nil},
		{"D1 planned for three workers", 3, func(x *shape.Experiment) { x.Device.Workers = 3 }},
		{"D2 every block recomputed", 0, full},
		{"D2 every second block recomputed", 0, func(x *shape.Experiment) { x.Checkpointing.Policy, x.Checkpointing.Every = "every", 2 }},
		{"D2 some results recomputed", 0, func(x *shape.Experiment) {
			full(x)
			x.Checkpointing.Tensors = []string{"ln1", "att", "act"}
		}},
		{"D2 activations and moments on the host", 0, host},
		{"D2 one slot", 0, func(x *shape.Experiment) { host(x); x.Offload.Prefetch.Lead, x.Offload.Prefetch.Buffers = 1, 1 }},
		{"D2 recomputed and offloaded", 1, func(x *shape.Experiment) { full(x); host(x) }},
		{"D3 split in 2", 0, split(2)},
		{"D3 split in 4", 0, split(4)},
		{"D3 split in 8, recomputed, offloaded, two workers", 2, func(x *shape.Experiment) { split(8)(x); full(x); host(x) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			same(t, base, trainOn(t, cpu.Engine{}, planOf(t, l, c.change), l, train.Options{Steps: updates, Workers: c.workers}))
		})
	}
	t.Run("D4 resumed twice, with another split and placement", func(t *testing.T) {
		dir := t.TempDir()
		var losses []float64
		for i, change := range []func(*shape.Experiment){nil, func(x *shape.Experiment) { split(4)(x); full(x) }, host} {
			r := trainOn(t, cpu.Engine{}, planOf(t, l, change), l, train.Options{Dir: dir, Steps: []int{7, 6, 7}[i]})
			losses = append(losses, r.Losses...)
			if i == 2 {
				r.Losses = losses
				same(t, base, r)
			}
		}
	})
}

func same(t *testing.T, want, got train.Result) {
	t.Helper()
	if d := cmp.Diff(want.Losses, got.Losses); d != "" {
		t.Errorf("losses differ (-plain +this):\n%s", d)
	}
	if want.ParamHash != got.ParamHash || got.ParamHash == "" {
		t.Errorf("parameter hash %s, the plain run has %s", got.ParamHash, want.ParamHash)
	}
}

// TestRaggedSplit: splitting a window of padded rows, of which some train
// nothing at all, changes no bit.
func TestRaggedSplit(t *testing.T) {
	l := example(t, "window")
	base := trainOn(t, cpu.Engine{}, planOf(t, l, nil), l, train.Options{Steps: 6})
	for _, k := range []int64{1, 2, 8} {
		same(t, base, trainOn(t, cpu.Engine{}, planOf(t, l, split(k)), l, train.Options{Steps: 6}))
	}
}

// trained are the examples that are run; the others are planned only.
var trained = []string{"quickstart", "tiny-llama", "window", "checkpointed", "offloaded"}

// TestExamples runs every example that is meant to be run: its bytes are the
// predicted ones on each tier, its loss falls, the null engine accepts the plan
// and the float64 engine agrees with the CPU.
func TestExamples(t *testing.T) {
	for _, name := range trained {
		t.Run(name, func(t *testing.T) {
			l := example(t, name)
			p := planOf(t, l, nil)
			r := trainOn(t, cpu.Engine{}, p, l, train.Options{Steps: updates})
			for tier := range r.Allocated {
				if got, want := r.Allocated[tier], p.Arenas[tier].Bytes; got != want {
					t.Errorf("%s: %d bytes allocated, %d predicted", ir.Tier(tier), got, want)
				}
			}
			if !(r.Losses[len(r.Losses)-1] < r.Losses[0]-0.5) {
				t.Errorf("loss %.3f → %.3f after %d updates", r.Losses[0], r.Losses[len(r.Losses)-1], len(r.Losses))
			}
			trainOn(t, null.Engine{}, p, l, train.Options{Steps: 2})
			oracle := trainOn(t, ref.Engine{}, p, l, train.Options{Steps: 2})
			if e := rel(r.Losses[:2], oracle.Losses); !(e < 1e-5) {
				t.Errorf("losses %v, float64 %v: relative %.1e", r.Losses[:2], oracle.Losses, e)
			}
		})
	}
}
