package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
)

// micro is what a test expects of the control buffer of a micro-batch.
type micro struct {
	C         float32
	Acc, Seq0 int
	U         int
}

func seen(f *fake) (out []micro) {
	for _, c := range f.micros {
		out = append(out, micro{float32(c[plan.CtlC]), int(c[plan.CtlAcc]), int(c[plan.CtlSeq0]), int(c[plan.CtlU])})
	}
	return out
}

// TestControl: the first micro-batch that runs stores, later ones continue, all
// with the one factor of the window; one without a trained position is not run.
func TestControl(t *testing.T) {
	third, quarter := float32(1.0/3), float32(0.25)
	tests := []struct {
		name string
		docs []string // two windows of three micro-batches of one row
		want []micro
	}{
		{"none empty", []string{"ab", "ab", "ab", "abc", "ab", "ab"}, []micro{{third, 0, 0, 1}, {third, 1, 1, 1}, {third, 1, 2, 1}, {quarter, 0, 0, 2}, {quarter, 1, 1, 2}, {quarter, 1, 2, 2}}},
		{"first empty", []string{"a", "ab", "abc", "a", "abc", "ab"}, []micro{{third, 0, 1, 1}, {third, 1, 2, 1}, {third, 0, 1, 2}, {third, 1, 2, 2}}},
		{"middle empty", []string{"ab", "a", "abc", "ab", "a", "abcd"}, []micro{{third, 0, 0, 1}, {third, 1, 2, 1}, {quarter, 0, 0, 2}, {quarter, 1, 2, 2}}},
		{"last empty", []string{"ab", "abc", "a", "ab", "ab", "a"}, []micro{{third, 0, 0, 1}, {third, 1, 1, 1}, {0.5, 0, 0, 2}, {0.5, 1, 1, 2}}},
		{"all empty, then not", []string{"a", "a", "a", "ab", "a", "a"}, []micro{{1, 0, 0, 1}, {1, 0, 0, 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			r := run(t, options(t, f, 3, 1, tt.docs, func(r *plan.Run) { r.Rate.Updates = 2 }))
			if diff := cmp.Diff(tt.want, seen(f)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if r.U != 2 || !r.Done || f.closed != 1 {
				t.Errorf("%d updates, done %v, %d sessions closed", r.U, r.Done, f.closed)
			}
		})
	}
}

// TestRatesAndCorrections: η, the bias corrections and u of an update are those
// of the number of successful updates.
func TestRatesAndCorrections(t *testing.T) {
	f := &fake{bad: []int{1}}
	o := options(t, f, 1, 1, []string{"ab"}, nil)
	run(t, o)
	var us []int
	for _, c := range f.updates {
		u := int(c[plan.CtlU])
		us = append(us, u)
		r := &o.Plan.Run
		if c[plan.CtlLR] != r.Rate.Factor(u)*r.Optimizer.LR || c[plan.CtlBC1] != 1-math.Pow(0.9, float64(u)) || c[plan.CtlBC2] != 1-math.Pow(0.999, float64(u)) || c[plan.CtlScale] != 1 {
			t.Errorf("update %d ran with %v", u, c[:plan.CtlNorm])
		}
	}
	if diff := cmp.Diff([]int{1, 2, 2, 3, 4, 5, 6}, us); diff != "" {
		t.Errorf("a skipped update does not count: -want +got:\n%s", diff)
	}
}

// TestLossIsTheWindowMean: (1/N) Σ weight·ℓ with N of the whole window, whatever
// untrained positions hold. The token loss of the fake engine is id + 1.
func TestLossIsTheWindowMean(t *testing.T) {
	r := run(t, options(t, &fake{}, 2, 2, []string{"\x01\x02", "\x03", "\x04\x05\x06", "\x07\x08\x09\x0a"}, func(r *plan.Run) { r.Rate.Updates = 1 }))
	if want := (2.0 + 5 + 6 + 8 + 9 + 10) / 6; len(r.Losses) != 1 || r.Losses[0] != want || r.Loss != want {
		t.Errorf("losses %v, want %v", r.Losses, want)
	}
	if r.Tokens != 10 || r.TokensPerSecond <= 0 || r.Elapsed <= 0 {
		t.Errorf("%d tokens at %v a second in %v, want 10", r.Tokens, r.TokensPerSecond, r.Elapsed)
	}
}

func TestSkips(t *testing.T) {
	f := &fake{bad: []int{1, 2, 4}}
	o := options(t, f, 1, 1, []string{"ab", "abc"}, nil)
	r := run(t, o)
	if r.Skipped != 3 || r.U != 6 || len(r.Losses) != 6 {
		t.Errorf("%d skipped, %d updates, %d losses", r.Skipped, r.U, len(r.Losses))
	}
	want := []string{"start", "update", "skip", "skip", "update", "skip", "update", "update", "update", "update", "save", "done"}
	if diff := cmp.Diff(want, types(events(t, o.Dir))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSkipLimit: too many in a row are an error, after the state was saved.
func TestSkipLimit(t *testing.T) {
	f := &fake{bad: []int{1, 2, 3}}
	o := options(t, f, 1, 1, []string{"ab", "abc"}, nil)
	r, err := Run(context.Background(), o)
	if code(err) != "failed" || !strings.Contains(err.Error(), "3 times in a row") || r.U != 1 || r.Skipped != 3 || !strings.HasSuffix(r.Saved, "u00000001") {
		t.Errorf("got %v, %+v", err, r)
	}
	o.Engine = &fake{}
	if r = run(t, o); r.From != 1 || !r.Done {
		t.Errorf("the run cannot go on: %+v", r)
	}
}

func TestEmptyWindows(t *testing.T) {
	docs := []string{"ab", "a", "a", "a"}
	o := options(t, &fake{}, 1, 2, docs, nil)
	if r := run(t, o); r.Empty != 5 || !r.Done {
		t.Errorf("%d empty windows, done %v, want 5", r.Empty, r.Done)
	}
	_, err := Run(context.Background(), options(t, &fake{}, 1, 2, docs, func(r *plan.Run) { r.Window.Empty = "stop" }))
	if code(err) != "content mask.empty" || !strings.Contains(err.Error(), "window 2") {
		t.Errorf("stop: got %v", err)
	}
	o = options(t, &fake{}, 1, 1, []string{"a", "b", "c"}, nil)
	r, err := Run(context.Background(), o)
	if code(err) != "content mask.empty" || r.Empty != 3 {
		t.Errorf("an epoch without a trained token: got %v after %d windows, want an error after 3", err, r.Empty)
	}
}

func TestEval(t *testing.T) {
	o := options(t, &fake{}, 1, 2, []string{"ab", "abc"}, func(r *plan.Run) {
		r.Data.Eval, r.Eval = []string{"held/*"}, plan.Eval{Every: 4, Batches: 2}
	})
	if err := os.Mkdir(filepath.Join(o.Root, "held"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"\x01\x02\x03", "\x09", "\x05\x06"} {
		if err := os.WriteFile(filepath.Join(o.Root, "held", fmt.Sprint(i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, o)
	if want := (2.0 + 3 + 6) / 3; r.EvalLoss != want {
		t.Errorf("held-out loss %v, want %v", r.EvalLoss, want)
	}
	var at []int
	for _, e := range events(t, o.Dir) {
		if e.Type == "eval" {
			at = append(at, e.U)
		}
	}
	if diff := cmp.Diff([]int{4, 6}, at); diff != "" {
		t.Errorf("evaluated after: -want +got:\n%s", diff)
	}
}

func TestStop(t *testing.T) {
	stop := make(chan struct{})
	f := &fake{}
	f.on = func(s ir.Section) error {
		if s == ir.Micro && len(f.micros) == 2 {
			close(stop) // in the middle of update 2
		}
		return nil
	}
	o := options(t, f, 2, 1, []string{"ab", "abc"}, nil)
	o.Stop = stop
	r := run(t, o)
	if !r.Stopped || r.Done || r.U != 2 || !strings.HasSuffix(r.Saved, "u00000002") {
		t.Errorf("got %+v, want a stop after update 2", r)
	}
	if es := types(events(t, o.Dir)); es[len(es)-1] != "stop" {
		t.Errorf("events end with %q", es[len(es)-1])
	}
}

// TestFailures: what was reached is saved, unless an update was under way.
func TestFailures(t *testing.T) {
	broken := errors.New("no more")
	for _, tt := range []struct {
		section ir.Section
		saved   string
	}{{ir.Micro, "u00000002"}, {ir.Update, ""}} {
		calls := 0
		f := &fake{on: func(s ir.Section) error {
			if s == tt.section {
				if calls++; calls == 3 {
					return broken
				}
			}
			return nil
		}}
		o := options(t, f, 1, 1, []string{"ab", "abc"}, nil)
		r, err := Run(context.Background(), o)
		if !errors.Is(err, broken) || code(err) != "failed" || r.U != 2 || filepath.Base("/"+r.Saved) != filepath.Base("/"+tt.saved) {
			t.Errorf("%s: got %v, %+v, want saved %q", tt.section, err, r, tt.saved)
		}
		if es := events(t, o.Dir); !cmp.Equal(types(es)[3], "fail") || !strings.Contains(es[3].Message, "no more") {
			t.Errorf("%s: events %v", tt.section, types(es))
		}
	}
}

func TestMistakes(t *testing.T) {
	docs := []string{"ab", "abc"}
	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"missing text", func(o *Options) { o.Plan.Run.Data.Train = []string{"gone"} }, "content data.file"},
		{"missing held-out text", func(o *Options) {
			o.Plan.Run.Data.Eval, o.Plan.Run.Eval = []string{"gone"}, plan.Eval{Every: 1, Batches: 1}
		}, "content data.file"},
		{"small table", func(o *Options) { o.Plan = tiny(o.Plan) }, "content data.id"},
		{"no control", func(o *Options) { o.Plan.Run.Inputs.Control = -1 }, "content plan.train"},
		{"no updates", func(o *Options) { o.Plan.Run.Rate.Updates = 0 }, "content plan.train"},
		{"row without rowids", func(o *Options) { o.Plan.Run.Inputs.Row = o.Plan.Run.Inputs.IDs }, "content plan.train"},
		{"dynamic scale", func(o *Options) { o.Plan.Run.Precision.Scaler = "dynamic" }, "content scale.kind"},
		{"no scale", func(o *Options) { o.Plan.Run.Precision.Scaler, o.Plan.Run.Precision.Scale = "static", 0 }, "content plan.train"},
		{"huge window", func(o *Options) { o.Plan.Run.Window.MicroBatches = math.MaxInt }, "content plan.invalid"},
		{"wrong buffer", func(o *Options) { o.Plan.Run.Inputs.IDs = 1 << 30 }, "content plan.invalid"},
		{"wrong initialisation", func(o *Options) { o.Plan.Run.Params[0].Init = "magic" }, "failed"},
		{"other memory", func(o *Options) { o.Engine = &fake{short: true} }, "failed"},
		{"folder is a file", func(o *Options) { o.Dir = filepath.Join(o.Root, "aa.txt") }, "world run.folder"},
	}
	for _, tt := range tests {
		o := options(t, &fake{}, 1, 1, docs, nil)
		tt.change(&o)
		if err := plan.Seal(o.Plan); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), o); code(err) != tt.want {
			t.Errorf("%s: got %v (%s), want %s", tt.name, err, code(err), tt.want)
		}
		if strings.HasPrefix(tt.want, "content") {
			if _, err := os.Stat(o.Dir); err == nil {
				t.Errorf("%s: a run folder was made for a run that cannot start", tt.name)
			}
		}
	}
}

// tiny says that its vocabulary has 256 ids, and has a table of 8.
func tiny(p *plan.Plan) *plan.Plan {
	q := *p
	for i, c := range q.Sections[ir.Micro].Commands {
		if c.Op == ir.OpEmbed.String() {
			b := append([]plan.Buffer(nil), q.Buffers...)
			table := q.Sections[ir.Micro].Commands[i].Args[0]
			b[table].Shape = []int{8, b[table].Shape[1]}
			b[table].Bytes = int64(8*b[table].Shape[1]) * 4
			q.Buffers = b
			q.Run.Params = append([]plan.Param(nil), q.Run.Params...)
			for j := range q.Run.Params {
				if q.Run.Params[j].Buffer == table {
					q.Run.Params[j].Buffer = q.Run.Params[j].Grad
					q.Run.Params[j].State = []int{q.Run.Params[j].Grad, q.Run.Params[j].Grad}
				}
			}
			q.Sections = append([]plan.Section(nil), q.Sections...)
			q.Sections[ir.Update].Commands = q.Sections[ir.Update].Commands[:1]
			return &q
		}
	}
	return &q
}

func TestPositionOfFindings(t *testing.T) {
	o := options(t, &fake{}, 1, 1, []string{"a"}, nil)
	o.Train = diag.Position{File: "exp.cue", Line: 3}
	_, err := Run(context.Background(), o)
	var c *ContentError
	if !errors.As(err, &c) || c.List[0].Pos != o.Train || c.List[0].Path != "data.train" {
		t.Errorf("got %v, want a finding at exp.cue:3", err)
	}
}
