package train

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/state"
)

// chooser is a fake that chooses anew unless it is told what was chosen.
type chooser struct {
	fake
	would string       // choose
	given exec.Options // of the last session
	wrong error        // of Open
}

func (c *chooser) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	if c.given = o; c.wrong != nil {
		return nil, c.wrong
	}
	s, err := c.fake.Open(p, o)
	text := string(o.Choices)
	if o.Choices == nil {
		text = c.would
	}
	return &choosingSession{s, text}, err
}

type choosingSession struct {
	exec.Session
	text string
}

func (s *choosingSession) Choices() ([]byte, error) { return []byte(s.text), nil }
func (s *choosingSession) Chosen() string           { return "chosen: " + s.text }

// TestKernelsStay: what the first session of a run chose is written before the
// first update, and given to every later one. --kernels is for a new run.
func TestKernelsStay(t *testing.T) {
	first := &chooser{would: "a"}
	o := options(t, first, 1, 1, story, nil)
	kept := ""
	first.on = func(ir.Section) error {
		text, err := state.Kernels(o.Dir)
		kept = string(text)
		return err
	}
	o.Steps = 2
	if r := run(t, o); kept != "a" || first.given.Continues || r.Kernels != "chosen: a" {
		t.Errorf("first session: kept %q, given %+v, result %q", kept, first.given, r.Kernels)
	}
	later := &chooser{would: "b"}
	o.Engine = later
	if r := run(t, o); string(later.given.Choices) != "a" || !later.given.Continues || r.Kernels != "chosen: a" {
		t.Errorf("later session: given %+v, result %q", later.given, r.Kernels)
	}
	o.Kernels = []byte("a")
	if _, err := Run(context.Background(), o); err != nil {
		t.Errorf("the same kernels: %v", err)
	}
	o.Kernels = []byte("c")
	if _, err := Run(context.Background(), o); code(err) != "content run.kernels" {
		t.Errorf("other kernels: %v", err)
	}
	o.Dir = filepath.Join(t.TempDir(), "new")
	if r := run(t, o); r.Kernels != "chosen: c" {
		t.Errorf("a new run with the kernels of another has %q", r.Kernels)
	}
}

// TestKernelsNotWritten: a run that has made updates without a choice says so to
// the engine, and takes none from another run.
func TestKernelsNotWritten(t *testing.T) {
	o := options(t, &fake{}, 1, 1, story, nil)
	o.Steps = 2
	run(t, o)
	e := &chooser{would: "b"}
	o.Engine = e
	o.Kernels = []byte("c")
	if _, err := Run(context.Background(), o); code(err) != "content run.kernels" {
		t.Errorf("kernels of another run: %v", err)
	}
	o.Kernels = nil
	run(t, o)
	if d := cmp.Diff(exec.Options{Continues: true}, e.given); d != "" {
		t.Errorf("given (-want +got):\n%s", d)
	}
}

// TestKernelsGone: kernels that are not here are the surroundings, a damaged file
// is the content.
func TestKernelsGone(t *testing.T) {
	for want, wrong := range map[string]error{
		"world run.kernels":   &exec.ChoiceError{Text: "gone"},
		"content run.kernels": &exec.ChoiceError{Text: "damaged", Damaged: true},
	} {
		o := options(t, &chooser{wrong: fmt.Errorf("open: %w", wrong)}, 1, 1, story, nil)
		if _, err := Run(context.Background(), o); code(err) != want {
			t.Errorf("%v: %v, want %s", wrong, err, want)
		}
	}
	o := options(t, &chooser{would: "a"}, 1, 1, story, nil)
	if err := os.MkdirAll(filepath.Join(o.Dir, "state", state.KernelsName), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), o); err == nil {
		t.Error("a folder in the place of the file is taken")
	}
}
