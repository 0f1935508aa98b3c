package sample

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/runtime/train"
)

// trained is a model that has learnt to alternate a and b, in a run folder.
func trained(t *testing.T, e exec.Engine) Options {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte(strings.Repeat("ab", 32)), 0o644); err != nil {
		t.Fatal(err)
	}
	p := plantest.GPT(plantest.Config{Layers: 1, Batch: 2, SeqLen: 8, Width: 8, Heads: 2, Vocab: 256, Workers: 2})
	r := &p.Run
	r.Window.MicroBatches = 1
	r.Data.Train, r.Data.Cross = []string{"a.txt"}, true
	r.Loss.Response = true
	r.Rate.Updates, r.Rate.Warmup, r.Optimizer.LR = 60, 5, 0.02
	r.Save.Keep = 1
	if err := plan.Seal(p); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := train.Run(context.Background(), train.Options{Plan: p, Engine: e, Root: root, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return Options{Plan: p, Engine: e, Dir: dir, Prompt: []byte("a"), N: 20}
}

func TestGreedyTextIsWhatWasLearnt(t *testing.T) {
	for _, e := range []exec.Engine{cpu.Engine{}, ref.Engine{}} {
		o := trained(t, e)
		var out bytes.Buffer
		o.Out = &out
		r, err := Generate(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Repeat("ba", 10); string(r.Texts[0]) != want || out.String() != want || r.U != 60 {
			t.Errorf("%s: got %q, streamed %q, of update %d, want %q", e.Name(), r.Texts[0], out.String(), r.U, want)
		}
		o.Prompt = []byte("ababababababababab") // longer than the window: its end counts
		if r, err = Generate(context.Background(), o); err != nil || !strings.HasPrefix(string(r.Texts[0]), "abab") {
			t.Errorf("%s: a long prompt gives %q, %v", e.Name(), r.Texts, err)
		}
	}
}

func TestSamplesDependOnSeedOnly(t *testing.T) {
	o := trained(t, cpu.Engine{})
	o.Temperature, o.Samples, o.N = 3, 2, 40
	texts := func(seed int64, workers int) [][]byte {
		o.Seed, o.Workers = seed, workers
		r, err := Generate(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Texts
	}
	a, b, c := texts(1, 1), texts(1, 2), texts(2, 1)
	if !bytes.Equal(a[0], b[0]) || !bytes.Equal(a[1], b[1]) {
		t.Error("equal arguments give other text")
	}
	if bytes.Equal(a[0], a[1]) || bytes.Equal(a[0], c[0]) {
		t.Error("two samples or two seeds give the same text")
	}
	if len(a) != 2 || len(a[0]) != 40 {
		t.Errorf("%d texts of %d bytes", len(a), len(a[0]))
	}
}

func TestChoice(t *testing.T) {
	logits := []float32{0, 2, 1, 2}
	w := func(x float64) float64 { return math.Exp(x - 2) }
	total := 2 + w(1) + w(0)
	tests := []struct {
		c    choice
		u    float64
		want int32
	}{
		{choice{}, 0.99, 1},
		{choice{temperature: 1}, 0, 1},
		{choice{temperature: 1}, 0.99 / total, 1},
		{choice{temperature: 1}, 1.01 / total, 3},
		{choice{temperature: 1}, 2.01 / total, 2},
		{choice{temperature: 1}, 0.999999, 0},
		{choice{temperature: 1, topK: 2}, 0.999999, 3},
		{choice{temperature: 1, topK: 99}, 0.999999, 0},
		{choice{temperature: 1e-300}, 0.4, 1},
		{choice{temperature: 1e300}, 0.999999, 0},
	}
	for _, tt := range tests {
		if got, err := tt.c.pick(logits, tt.u); err != nil || got != tt.want {
			t.Errorf("temperature %g, topK %d, u %g: got %d, %v, want %d", tt.c.temperature, tt.c.topK, tt.u, got, err, tt.want)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		c := choice{temperature: 1}
		if _, err := c.pick([]float32{0, float32(bad)}, 0.5); !errors.Is(err, errLogits) {
			t.Errorf("logits with %v: got %v", bad, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	o := trained(t, cpu.Engine{})
	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no tokens", func(o *Options) { o.N = 0 }, "sample.n"},
		{"temperature", func(o *Options) { o.Temperature = -1 }, "sample.temperature"},
		{"not a temperature", func(o *Options) { o.Temperature = math.NaN() }, "sample.temperature"},
		{"top", func(o *Options) { o.TopK = -1 }, "sample.topK"},
		{"samples", func(o *Options) { o.Samples = 3 }, "sample.samples"},
		{"no state", func(o *Options) { o.Dir = t.TempDir() }, "sample.state"},
		{"another model", func(o *Options) {
			o.Plan = plantest.GPT(plantest.Config{Layers: 1, Batch: 2, SeqLen: 8, Width: 4, Heads: 2, Vocab: 256, Workers: 2})
		}, "sample.state"},
		{"prompt outside the vocabulary", func(o *Options) {
			o.Plan = plantest.GPT(plantest.Config{Layers: 1, Batch: 2, SeqLen: 8, Width: 8, Heads: 2, Vocab: 64, Workers: 2})
		}, "sample.prompt"},
		{"a plan for training only", func(o *Options) {
			p := *o.Plan
			p.Run.Inputs.Logits = -1
			o.Plan = &p
		}, "plan.sample"},
	}
	for _, tt := range tests {
		c := o
		tt.change(&c)
		_, err := Generate(context.Background(), c)
		var m *train.ContentError
		if !errors.As(err, &m) || m.List[0].Code != tt.want || m.List[0].Help == "" {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestEmptyPrompt starts with a line end, or the end of a document where there is one.
func TestEmptyPrompt(t *testing.T) {
	o := trained(t, cpu.Engine{})
	o.Prompt, o.N = nil, 3
	if r, err := Generate(context.Background(), o); err != nil || len(r.Texts[0]) != 3 {
		t.Errorf("got %q, %v", r.Texts, err)
	}
}

func TestStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := trained(t, cpu.Engine{})
	o.Out = writer(func(b []byte) { cancel() })
	r, err := Generate(ctx, o)
	if !errors.Is(err, context.Canceled) || len(r.Texts[0]) != 1 {
		t.Errorf("got %q, %v, want one byte and the error of the context", r.Texts, err)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
