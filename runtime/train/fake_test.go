package train

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/sink"
	"github.com/gradcue/gradcue/runtime/state"
)

// fake is an engine whose step is a few lines: the gradient of every parameter
// element is g = Σ c·weight·(1 + id/256 + w[0]) over the window, the token loss
// is id + 1. It records the control values it was run with.
type fake struct {
	micros  [][]float64 // control of each micro-batch
	updates [][]float64 // control of each update, after it
	bad     []int       // calls of update, from 0, whose gradient is not finite
	on      func(s ir.Section) error
	short   bool // allocates one byte less than planned
	closed  int
}

func (f *fake) Name() string { return "fake" }

func (f *fake) Open(p *plan.Plan, _ exec.Options) (exec.Session, error) {
	return &fakeSession{f: f, p: p, data: make([]any, len(p.Buffers))}, nil
}

type fakeSession struct {
	f    *fake
	p    *plan.Plan
	data []any
	g    float32
}

func (s *fakeSession) Write(b int, data any) error {
	if err := exec.Check(s.p, b, data, false); err != nil {
		return err
	}
	switch d := data.(type) {
	case []float32:
		s.data[b] = slices.Clone(d)
	case []float64:
		s.data[b] = slices.Clone(d)
	case []int32:
		s.data[b] = slices.Clone(d)
	}
	return nil
}

func (s *fakeSession) Read(b int, data any) error {
	if err := exec.Check(s.p, b, data, false); err != nil {
		return err
	}
	switch d := data.(type) {
	case []float32:
		copy(d, s.data[b].([]float32))
	case []float64:
		copy(d, s.data[b].([]float64))
	case []int32:
		copy(d, s.data[b].([]int32))
	}
	return nil
}

func (s *fakeSession) Run(ctx context.Context, sec ir.Section) error {
	if s.f.on != nil {
		if err := s.f.on(sec); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	in := &s.p.Run.Inputs
	switch sec {
	case ir.Micro:
		c := s.data[in.Control].([]float64)
		s.f.micros = append(s.f.micros, slices.Clone(c))
		s.tokens(in.TokenLoss, c)
	case ir.Eval:
		s.tokens(in.EvalLoss, nil)
	case ir.Update:
		s.update(s.data[in.Control].([]float64))
	}
	return nil
}

func (s *fakeSession) tokens(out int, c []float64) {
	in := &s.p.Run.Inputs
	ids, weight := s.data[in.IDs].([]int32), s.data[in.Weight].([]float32)
	if c != nil && c[plan.CtlAcc] == 0 {
		s.g = 0
	}
	w0 := s.data[s.p.Run.Params[0].Buffer].([]float32)[0]
	loss := make([]float32, len(ids))
	for r, id := range ids {
		loss[r] = float32(id) + 1
		if weight[r] == 0 {
			loss[r] = float32(math.NaN()) // what a skipped position holds is nobody's business
		} else if c != nil {
			s.g += float32(c[plan.CtlC]) * weight[r] * (1 + float32(id)/256 + w0)
		}
	}
	s.data[out] = loss
}

func (s *fakeSession) update(c []float64) {
	norm := math.Abs(float64(s.g))
	if slices.Contains(s.f.bad, len(s.f.updates)) {
		norm = math.Inf(1)
	}
	exec.Clip([]float64{norm * norm}, c, s.p.Run.Optimizer.ClipNorm)
	if c[plan.CtlApply] != 0 {
		for _, q := range s.p.Run.Params {
			w, m := s.data[q.Buffer].([]float32), s.data[q.State[0]].([]float32)
			for i := range w {
				m[i] = 0.9*m[i] + 0.1*s.g*float32(c[plan.CtlGScale])
				w[i] -= float32(c[plan.CtlLR]/c[plan.CtlBC1]) * m[i]
			}
		}
	}
	s.f.updates = append(s.f.updates, slices.Clone(c))
}

func (s *fakeSession) Allocated() (n [ir.NumTiers]int64) {
	for t := range n {
		n[t] = s.p.Arenas[t].Bytes
	}
	if s.f.short {
		n[0]--
	}
	return n
}

func (s *fakeSession) Close() error { s.f.closed++; return nil }

// options are a run of a small model over documents, a file each, whose window
// is k micro-batches of b documents of at most 4 bytes.
func options(t *testing.T, e exec.Engine, k, b int, docs []string, change func(*plan.Run)) Options {
	t.Helper()
	root := t.TempDir()
	for i, d := range docs {
		if err := os.WriteFile(filepath.Join(root, string(rune('a'+i/26))+string(rune('a'+i%26))+".txt"), []byte(d), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := plantest.GPT(plantest.Config{Layers: 1, Batch: b, SeqLen: 4, Width: 8, Heads: 2, Vocab: 256, Workers: 2})
	r := &p.Run
	r.Window.MicroBatches = k
	r.Data.Train, r.Data.Packing, r.Data.Cross = []string{"*.txt"}, "none", true
	r.Loss.Response = true
	r.Optimizer.ClipNorm = 0
	r.Precision.SkipLimit = 3
	r.Rate.Updates, r.Rate.Warmup = 6, 3
	r.Save.Keep = 2
	if change != nil {
		change(r)
	}
	if err := plan.Seal(p); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	return Options{Plan: p, Engine: e, Root: root, Dir: filepath.Join(t.TempDir(), "run"), Now: func() time.Time { now = now.Add(time.Millisecond); return now }}
}

func run(t *testing.T, o Options) Result {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// code is the first code of an error's findings, with whose fault it is.
func code(err error) string {
	var c *ContentError
	var w *WorldError
	switch {
	case errors.As(err, &c):
		return "content " + c.List[0].Code
	case errors.As(err, &w):
		return "world " + w.List[0].Code
	case err != nil:
		return "failed"
	}
	return ""
}

func events(t *testing.T, dir string) []sink.Event {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, state.EventsName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	es, bad, err := sink.Read(f)
	if err != nil || bad != 0 {
		t.Fatalf("%d bad events, %v", bad, err)
	}
	return es
}

func types(es []sink.Event) (out []string) {
	for _, e := range es {
		out = append(out, e.Type)
	}
	return out
}
