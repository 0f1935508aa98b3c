package train

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/ref"
)

// TestSplitChangesNoBit: the same window in other micro-batches gives the same
// parameters and losses.
func TestSplitChangesNoBit(t *testing.T) {
	var want Result
	for i, split := range [][2]int{{1, 4}, {2, 2}, {4, 1}} {
		r := run(t, options(t, cpu.Engine{}, split[0], split[1], story, shuffled))
		if i == 0 {
			want = r
		}
		if r.ParamHash != want.ParamHash || !cmp.Equal(r.Losses, want.Losses) {
			t.Errorf("%d micro-batches of %d: parameters %s, want %s, losses %v, want %v", split[0], split[1], r.ParamHash, want.ParamHash, r.Losses, want.Losses)
		}
	}
}

// TestAnotherSplitContinues: the cursor counts rows, so a run may go on with its
// window split otherwise, to the same bits.
func TestAnotherSplitContinues(t *testing.T) {
	whole := run(t, options(t, cpu.Engine{}, 2, 2, story, shuffled))
	o := options(t, cpu.Engine{}, 1, 4, story, shuffled)
	o.Steps = 3
	run(t, o)
	split := options(t, cpu.Engine{}, 4, 1, story, shuffled)
	split.Dir = o.Dir
	r := run(t, split)
	if r.From != 3 || r.ParamHash != whole.ParamHash || !cmp.Equal(r.Losses, whole.Losses[3:]) {
		t.Errorf("from %d: parameters %s, want %s", r.From, r.ParamHash, whole.ParamHash)
	}
}

// TestEmptyMicroBatchesChangeNoBit: a window with empty micro-batches is the
// window without them.
func TestEmptyMicroBatchesChangeNoBit(t *testing.T) {
	one := func(r *plan.Run) { r.Rate.Updates = 3 }
	want := run(t, options(t, cpu.Engine{}, 2, 1, []string{"abcd", "efg"}, one))
	for _, docs := range [][]string{{"x", "abcd", "efg"}, {"abcd", "x", "efg"}, {"abcd", "efg", "x"}} {
		if r := run(t, options(t, cpu.Engine{}, 3, 1, docs, one)); r.ParamHash != want.ParamHash || !cmp.Equal(r.Losses, want.Losses) {
			t.Errorf("%q: losses %v, want %v", docs, r.Losses, want.Losses)
		}
	}
}

// TestEnginesAgree: cpu and ref start alike and stay close; null runs the same
// plan and keeps nothing.
func TestEnginesAgree(t *testing.T) {
	c := run(t, options(t, cpu.Engine{}, 2, 2, story, shuffled))
	f := run(t, options(t, ref.Engine{}, 2, 2, story, shuffled))
	for i := range c.Losses {
		if d := math.Abs(c.Losses[i]-f.Losses[i]) / f.Losses[i]; d > 1e-5 {
			t.Errorf("update %d: loss %v on cpu, %v on ref", i+1, c.Losses[i], f.Losses[i])
		}
	}
	if first := math.Abs(c.Losses[0] - math.Log(256)); first > 0.5 {
		t.Errorf("the first loss is %v, want about ln 256", c.Losses[0])
	}
	o := options(t, null.Engine{}, 2, 2, story, shuffled)
	n := run(t, o)
	if !n.Done || n.Dir != "" || n.Saved != "" || n.ParamHash != "" || n.Allocated[0] != o.Plan.Arenas[0].Bytes {
		t.Errorf("null: got %+v", n)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("null made a run folder")
	}
}

func TestItLearns(t *testing.T) {
	o := options(t, cpu.Engine{}, 1, 4, []string{"abab", "abab", "abab", "abab"}, func(r *plan.Run) {
		r.Rate.Updates, r.Rate.Warmup, r.Optimizer.LR = 60, 5, 0.02
	})
	o.Dir = ""
	r := run(t, o)
	if r.Loss > 0.1*r.Losses[0] || r.Dir != "" || r.Saved != "" {
		t.Errorf("the loss went from %v to %v", r.Losses[0], r.Loss)
	}
}

// TestAnotherEngineContinues: a state of ref is read by cpu and the other way.
func TestAnotherEngineContinues(t *testing.T) {
	o := options(t, ref.Engine{}, 2, 2, story, shuffled)
	o.Steps = 2
	run(t, o)
	o.Engine = cpu.Engine{}
	run(t, o)
	o.Engine, o.Steps = ref.Engine{}, 0
	r := run(t, o)
	if !r.Done || r.From != 4 {
		t.Errorf("got %+v", r)
	}
	var engines []string
	for _, e := range events(t, o.Dir) {
		if e.Type == "start" || e.Type == "resume" {
			engines = append(engines, e.Engine)
		}
	}
	if diff := cmp.Diff([]string{"ref", "cpu", "ref"}, engines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEngineThatCannotOpen(t *testing.T) {
	o := options(t, cpu.Engine{}, 1, 1, story, nil)
	o.Workers = 99
	if _, err := Run(context.Background(), o); code(err) != "world engine.open" || !strings.Contains(err.Error(), "99 workers") {
		t.Errorf("got %v", err)
	}
}
