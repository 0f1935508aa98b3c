package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/spec/diag"
)

var story = []string{"abcd", "ef", "ghij", "k", "lm", "nopq", "rst", "uvwx", "yz"}

// shuffled has epochs that end inside windows and an order that matters.
func shuffled(r *plan.Run) { r.Data.Order, r.Save.Every = "shuffle", 2 }

// files reads all of the newest state, byte for byte.
func files(t *testing.T, saved string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"state.json", "tensors.safetensors"} {
		b, err := os.ReadFile(filepath.Join(saved, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(b)
	}
	return out
}

// TestResumeIsBitEqual: n updates, then the rest, is what all at once is, for
// every n, on every engine, with a skipped update on the way.
func TestResumeIsBitEqual(t *testing.T) {
	for name, engine := range map[string]func(bad []int) exec.Engine{
		"fake": func(bad []int) exec.Engine { return &fake{bad: bad} },
		"cpu":  func([]int) exec.Engine { return cpu.Engine{} },
		"ref":  func([]int) exec.Engine { return ref.Engine{} },
	} {
		t.Run(name, func(t *testing.T) {
			bad := []int{2} // the third call of update
			o := options(t, engine(bad), 2, 2, story, shuffled)
			whole := run(t, o)
			want := files(t, whole.Saved)
			for n := 1; n < 6; n++ {
				part := o
				part.Dir, part.Steps = filepath.Join(t.TempDir(), "run"), n
				part.Engine = engine(bad)
				a := run(t, part)
				later := bad
				if n >= 3 {
					later = nil
				} else {
					later = []int{2 - n}
				}
				part.Steps, part.Engine = 0, engine(later)
				b := run(t, part)
				if b.From != n || a.U != n || b.ParamHash != whole.ParamHash {
					t.Errorf("stopped after %d: from %d, parameters %s, want %s", n, b.From, b.ParamHash, whole.ParamHash)
				}
				if diff := cmp.Diff(whole.Losses, append(a.Losses, b.Losses...)); diff != "" {
					t.Errorf("stopped after %d: losses -want +got:\n%s", n, diff)
				}
				if diff := cmp.Diff(want, files(t, b.Saved)); diff != "" {
					t.Errorf("stopped after %d: the last state differs", n)
				}
			}
		})
	}
}

// TestKilledRunIsBitEqual ends a run at once, at every section it runs.
func TestKilledRunIsBitEqual(t *testing.T) {
	whole := run(t, options(t, &fake{}, 2, 2, story, shuffled))
	want := files(t, whole.Saved)
	for n := 1; n <= 18; n++ {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		f := &fake{on: func(ir.Section) error {
			if calls++; calls == n {
				cancel()
			}
			return nil
		}}
		o := options(t, f, 2, 2, story, shuffled)
		if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("killed in section %d: got %v", n, err)
		}
		cancel()
		o.Engine = &fake{}
		r := run(t, o)
		if diff := cmp.Diff(want, files(t, r.Saved)); diff != "" {
			t.Errorf("killed in section %d: the last state differs:\n%s", n, diff)
		}
	}
}

func TestCompleteRunAgain(t *testing.T) {
	o := options(t, &fake{}, 1, 1, story, nil)
	first := run(t, o)
	before := events(t, o.Dir)
	again := run(t, o)
	if !again.Done || again.From != 6 || again.ParamHash != first.ParamHash || again.Loss != first.Loss || len(again.Losses) != 0 {
		t.Errorf("got %+v", again)
	}
	if diff := cmp.Diff(before, events(t, o.Dir)); diff != "" {
		t.Errorf("a complete run wrote events:\n%s", diff)
	}
	if b, err := os.ReadFile(filepath.Join(o.Dir, "DONE")); err != nil || !strings.Contains(string(b), first.ParamHash) {
		t.Errorf("DONE: %q, %v", b, err)
	}
}

func TestDamagedStateFallsBack(t *testing.T) {
	o := options(t, &fake{}, 2, 2, story, shuffled)
	o.Steps = 4
	r := run(t, o)
	if err := os.Truncate(filepath.Join(r.Saved, "tensors.safetensors"), 100); err != nil {
		t.Fatal(err)
	}
	var warned diag.List
	o.Steps, o.Engine, o.Warn = 0, &fake{}, func(d diag.Diagnostic) { warned = append(warned, d) }
	r = run(t, o)
	if r.From != 2 || len(warned) != 1 || warned[0].Code != "state.damaged" {
		t.Errorf("went on after %d with %+v, want 2 and a warning", r.From, warned)
	}
	whole := run(t, options(t, &fake{}, 2, 2, story, shuffled))
	if diff := cmp.Diff(files(t, whole.Saved), files(t, r.Saved)); diff != "" {
		t.Errorf("the last state differs:\n%s", diff)
	}
	es := events(t, o.Dir)
	for _, e := range es {
		if e.Type == "resume" && (e.From == nil || *e.From != 2) {
			t.Errorf("resume from %v, want 2", e.From)
		}
	}
}

func TestRefusedFolders(t *testing.T) {
	start := func(t *testing.T) Options {
		o := options(t, &fake{}, 1, 1, story, nil)
		o.Steps = 2
		run(t, o)
		o.Engine = &fake{}
		return o
	}
	t.Run("another experiment", func(t *testing.T) {
		o := start(t)
		p := *o.Plan
		p.Run.Seed++
		if err := plan.Seal(&p); err != nil {
			t.Fatal(err)
		}
		o.Plan = &p
		if _, err := Run(context.Background(), o); code(err) != "content run.identity" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another text", func(t *testing.T) {
		o := start(t)
		if err := os.WriteFile(filepath.Join(o.Root, "aa.txt"), []byte("abce"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), o); code(err) != "content run.data" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("in use", func(t *testing.T) {
		o := start(t)
		f := &fake{}
		f.on = func(ir.Section) error {
			other := o
			other.Engine = &fake{}
			if _, err := Run(context.Background(), other); code(err) != "world run.locked" {
				t.Errorf("got %v", err)
			}
			return fmt.Errorf("enough")
		}
		o.Engine = f
		if _, err := Run(context.Background(), o); code(err) != "failed" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nothing whole", func(t *testing.T) {
		o := start(t)
		states, err := filepath.Glob(filepath.Join(o.Dir, "state", "u*", "state.json"))
		if err != nil || len(states) != 1 {
			t.Fatalf("%v, %v", states, err)
		}
		if err := os.WriteFile(states[0], nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), o); code(err) != "content state.damaged" {
			t.Errorf("got %v", err)
		}
	})
}
