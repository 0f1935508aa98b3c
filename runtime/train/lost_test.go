package train

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/sink"
)

// gone is the error of a session that has lost what it held.
type gone struct{}

func (gone) Error() string  { return "the device is gone" }
func (gone) Lost() bool     { return true }
func (gone) Advice() string { return "start it again" }

// TestLostSession: what a session has lost is not read for a save; the save before
// stays, and the events say why the run ended.
func TestLostSession(t *testing.T) {
	calls := 0
	f := &fake{on: func(s ir.Section) error {
		if s == ir.Micro {
			if calls++; calls == 4 {
				return gone{}
			}
		}
		return nil
	}}
	o := options(t, f, 1, 1, []string{"ab", "abc"}, func(r *plan.Run) { r.Save.Every = 2 })
	r, err := Run(context.Background(), o)
	if !errors.Is(err, gone{}) || strings.Contains(err.Error(), "\n") || r.U != 3 || filepath.Base(r.Saved) != "u00000002" {
		t.Errorf("got %v, %+v, want one line and the save of update 2", err, r)
	}
	if d := cmp.Diff([]string{"start", "update", "update", "save", "update", "fail"}, types(events(t, o.Dir))); d != "" {
		t.Errorf("events: %s", d)
	}
}

// accounting is a fake engine with memory beside the arenas.
type accounting struct{ *fake }

func (a accounting) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	s, err := a.fake.Open(p, o)
	return accountant{s}, err
}

type accountant struct{ exec.Session }

func (accountant) Accounts() exec.Accounts {
	return exec.Accounts{Reserved: 5, At: "open", Before: 7, Pinned: 11}
}

// TestBeside: memory beside the arenas is in the result and in the last event; an
// engine that has none leaves it out.
func TestBeside(t *testing.T) {
	o := options(t, accounting{&fake{}}, 1, 1, []string{"ab", "abc"}, nil)
	r := run(t, o)
	if r.Beside == nil || r.Beside.Pinned != 11 {
		t.Errorf("the result has %+v", r.Beside)
	}
	es := events(t, o.Dir)
	want := &sink.Memory{Allocated: o.Plan.Arenas[ir.Device].Bytes, Host: o.Plan.Arenas[ir.Host].Bytes, Reserved: 5, At: "open", Before: 7, Pinned: 11}
	if d := cmp.Diff(want, es[len(es)-1].Memory); d != "" {
		t.Errorf("the last event: %s", d)
	}
	o = options(t, &fake{}, 1, 1, []string{"ab", "abc"}, nil)
	if r := run(t, o); r.Beside != nil {
		t.Errorf("an engine with nothing beside: %+v", r.Beside)
	}
}

// refusing is an engine that cannot open.
type refusing struct{ *fake }

func (refusing) Open(*plan.Plan, exec.Options) (exec.Session, error) { return nil, gone{} }

// TestAdvice: what the engine advises is the help of the finding.
func TestAdvice(t *testing.T) {
	_, err := Run(context.Background(), options(t, refusing{&fake{}}, 1, 1, []string{"ab", "abc"}, nil))
	var w *WorldError
	if !errors.As(err, &w) || w.List[0].Help != "start it again" || w.List[0].Summary != "the device is gone" {
		t.Errorf("got %v", err)
	}
}
