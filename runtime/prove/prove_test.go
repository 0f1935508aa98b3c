package prove_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/prove"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

// bed is an experiment of odd sizes with a text of its own.
type bed struct {
	x    shape.Experiment
	root string
	// after changes a plan that was compiled, if set.
	after func(p *plan.Plan)
}

// text is paragraphs of different lengths, some of one word.
func text() string {
	var b strings.Builder
	for i := range 60 {
		b.WriteString(strings.Repeat("to and fro, ", i*7%5))
		b.WriteString([]string{"end.\n\n", "a.\n\n", "then they went home again\n\n"}[i%3])
	}
	return b.String()
}

// newBed is the example window with small sizes, changed.
func newBed(t *testing.T, change func(x *shape.Experiment)) *bed {
	t.Helper()
	ls, list := spec.Load(spec.Options{}, "../../examples/window")
	if list.HasErrors() || len(ls) != 1 {
		t.Fatal(list)
	}
	b := &bed{x: *ls[0].Experiment, root: t.TempDir()}
	if err := os.WriteFile(filepath.Join(b.root, "text.txt"), []byte(text()), 0o644); err != nil {
		t.Fatal(err)
	}
	x := &b.x
	d := *x.Data
	d.Train, d.Eval = []string{"text.txt"}, nil
	x.Data = &d
	m := &x.Model
	m.Layers, m.Heads, m.KVHeads, m.HeadDim, m.DModel, m.FFN, m.Context = 3, 2, 2, 6, 12, 20, 16
	if m.Family == "gpt2" {
		m.FFN = 4 * m.DModel
	}
	x.Window.MicroBatches, x.Window.MicroBatchSize, x.Window.SeqLen = 2, 4, 11
	x.Eval.Every = 0
	if change != nil {
		change(x)
	}
	return b
}

// compile is a variant of the experiment.
func (b *bed) compile(v prove.Variant) (*plan.Plan, error) {
	x := b.x
	w := &x.Window
	for _, c := range []struct {
		p *int64
		n int
	}{{&w.MicroBatches, v.MicroBatches}, {&w.MicroBatchSize, v.BatchSize}, {&w.SeqLen, v.SeqLen}, {&x.Schedule.Updates, v.Updates}} {
		if c.n > 0 {
			*c.p = int64(c.n)
		}
	}
	w.Sequences = w.MicroBatches * w.MicroBatchSize
	w.Tokens = w.Sequences * w.SeqLen
	if v.Train != nil {
		d := *x.Data
		d.Train = v.Train
		x.Data = &d
	}
	if v.Wide {
		x.Precision.Compute, x.Precision.Params, x.Precision.Products, x.Precision.LossScale = "f32", "f32", "f32", shape.LossScale{Kind: "none", SkipLimit: 20}
	}
	if v.Checkpoint != "" {
		x.Checkpointing = shape.Checkpointing{Policy: v.Checkpoint}
	}
	o := &x.Offload
	switch v.Offload {
	case "":
	case "none":
		o.Place.Activations, o.Place.Optimizer = "device", "device"
	case "activations", "optimizer", "all":
		o.Place.Activations, o.Place.Optimizer = "device", "device"
		o.Prefetch = shape.Prefetch{Lead: 1, Buffers: 1}
		if v.Offload != "optimizer" {
			o.Place.Activations = "host"
		}
		if v.Offload != "activations" {
			o.Place.Optimizer = "host"
		}
	}
	r, list, err := compiler.Compile(compiler.Source{Experiment: &x, Name: "experiment"}, compiler.Options{Workers: v.Workers})
	if err != nil {
		return nil, err
	}
	if list.HasErrors() {
		return nil, fmt.Errorf("variant %+v: %+v", v, list)
	}
	if b.after != nil {
		b.after(r.Plan)
		if err := plan.Seal(r.Plan); err != nil {
			return nil, err
		}
	}
	return r.Plan, nil
}

func (b *bed) prove(t *testing.T, o prove.Options) prove.Report {
	t.Helper()
	o.Compile, o.Root, o.Dir = b.compile, b.root, t.TempDir()
	rep, err := prove.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// experiments are changes that reach every path of the runtime.
var experiments = []struct {
	name   string
	change func(x *shape.Experiment)
	status map[string]prove.Status
}{
	{"documents in rows of their own", nil, nil},
	{"one stream, dropout", func(x *shape.Experiment) {
		x.Mask.Packing.Mode, x.Dropout.Rate = "concat", 0.2
	}, nil},
	{"segments, positions restart, no ends trained", func(x *shape.Experiment) {
		x.Mask.Packing.Mode, x.Mask.Packing.Positions, x.Mask.EOS = "segments", "restart", "none"
		no := false
		x.Mask.Packing.CrossAttention = &no
		x.Model.Tied = false
	}, nil},
	{"llama, groups, sliding window, momentum", func(x *shape.Experiment) {
		m := &x.Model
		m.Family, m.Activation, m.Positions, m.Norm.Kind, m.Bias, m.Tied = "llama", "silu_glu", "rope", "rmsnorm", false, false
		no := false
		m.QKVBias = &no
		m.Heads, m.KVHeads, m.HeadDim, m.DModel, m.FFN, m.Attention.Window = 4, 2, 4, 16, 20, 3
		mu, decay := 0.9, 0.01
		x.Optimizer = shape.Optimizer{Kind: "sgd", LR: 0.01, Momentum: &mu, Nesterov: true, WeightDecay: &decay, Clip: shape.Clip{Norm: 1}}
	}, nil},
	{"shifted by the data, sequences weigh the same, frozen", func(x *shape.Experiment) {
		x.Mask.Shift.By, x.Window.Normalize, x.Mask.Packing.Mode = "data", "sequences", "concat"
		x.Optimizer.Groups = []shape.Group{{Params: []string{"lnf.*"}, LRScale: 0}}
		x.Optimizer.Clip.Norm = 0
	}, nil},
	{"bf16", func(x *shape.Experiment) { x.Precision.Compute, x.Precision.Params = "bf16", "bf16" }, nil},
	{"f16, dynamic scale", func(x *shape.Experiment) {
		x.Precision.Compute, x.Precision.Params = "f16", "f16"
		x.Precision.LossScale = shape.LossScale{Kind: "dynamic", Value: 1024, GrowthEvery: 2000, Backoff: 0.5, Growth: 2, SkipLimit: 20}
	}, nil},
	{"means of micro-batches", func(x *shape.Experiment) {
		x.Window.Normalize, x.Window.AcceptBias = "microbatch-mean", true
	}, map[string]prove.Status{"split": prove.Without}},
}

// TestProofsHold makes every proof of every experiment.
func TestProofsHold(t *testing.T) {
	for _, c := range experiments {
		t.Run(c.name, func(t *testing.T) {
			rep := newBed(t, c.change).prove(t, prove.Options{})
			if len(rep.Verdicts) != len(prove.Proofs) {
				t.Errorf("%d verdicts, %d proofs", len(rep.Verdicts), len(prove.Proofs))
			}
			for _, v := range rep.Verdicts {
				want := prove.OK
				if s, ok := c.status[v.ID]; ok {
					want = s
				}
				if v.Status != want {
					t.Errorf("%s is %s, want %s\n%s", v.ID, v.Status, want, strings.Join(v.Details, "\n"))
				}
				if v.Summary() == "" {
					t.Errorf("%s has no numbers", v.ID)
				}
			}
		})
	}
}

// TestProducts: where products are not chains of float32 the split is not proved,
// padding is, and numbers are named after what rounds most.
func TestProducts(t *testing.T) {
	b := newBed(t, nil)
	b.after = func(p *plan.Plan) { p.Run.Precision.Products = "tf32" } // the engine cpu does not look at it
	rep := b.prove(t, prove.Options{Only: []string{"split", "padding", "differences"}})
	want := []prove.Status{prove.Without, prove.OK, prove.OK}
	for i, v := range rep.Verdicts {
		if v.Status != want[i] {
			t.Errorf("%s is %s, want %s\n%s", v.ID, v.Status, want[i], strings.Join(v.Details, "\n"))
		}
	}
	if got := rep.Verdicts[0].Summary(); !strings.Contains(got, "tf32 add in the machine's order") {
		t.Errorf("split says %q", got)
	}
	if got := rep.Verdicts[2].Summary(); !strings.Contains(got, "tf32 ") {
		t.Errorf("differences says %q", got)
	}
	b = newBed(t, func(x *shape.Experiment) {
		x.Precision.Compute, x.Precision.Params, x.Precision.Products = "bf16", "bf16", "bf16dot"
	})
	for _, v := range b.prove(t, prove.Options{}).Verdicts {
		if v.Status == prove.Failed || v.ID == "split" && v.Status != prove.OK {
			t.Errorf("bf16dot on processors: %s is %s\n%s", v.ID, v.Status, strings.Join(v.Details, "\n"))
		}
	}
}

func TestOnly(t *testing.T) {
	b := newBed(t, nil)
	rep := b.prove(t, prove.Options{Only: []string{"visible", "aliases"}})
	if len(rep.Verdicts) != 2 || rep.Verdicts[0].ID != "aliases" || rep.Verdicts[1].ID != "visible" {
		t.Errorf("verdicts %+v", rep.Verdicts)
	}
	if _, err := prove.Run(t.Context(), prove.Options{Compile: b.compile, Only: []string{"nonsense"}}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v of an unknown proof", err)
	}
}

// TestEveryProofIsExplained: title, formula and doc are what --list prints.
func TestEveryProofIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range prove.Proofs {
		if p.ID == "" || seen[p.ID] || p.Title == "" || p.Formula == "" || !strings.Contains(p.Doc, "Finds") {
			t.Errorf("proof %+v", p)
		}
		seen[p.ID] = true
		for _, line := range strings.Split(p.Doc, "\n") {
			if len(line) > 120 {
				t.Errorf("%s: line of %d bytes", p.ID, len(line))
			}
		}
	}
}
