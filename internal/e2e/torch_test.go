package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

// fixture is one file of PyTorch's numbers, made by docs/oracle/oracle.py.
type fixture struct {
	Name   string
	Config struct {
		Family                                       string
		Layers, Heads, KVHeads, HeadDim, DModel, FFN int64
		Vocab, Context                               int64
		Tied, Bias                                   bool
		Activation                                   string
		NormEps, RopeBase                            float64
	}
	Optimizer struct {
		Kind                                               string
		LR, Beta1, Beta2, Eps, WeightDecay, Clip, Momentum float64
	}
	Window struct {
		K, B, T       int64
		N             float64
		IDs, Targets  [][][]int32
		M             [][][]float32
		Lo, Positions [][][]int32
	}
	Params []struct {
		Name   string
		Shape  []int
		Values []float64
	}
	Float64, Float32 struct {
		TokenLosses [][][]float64
		Loss, Norm  float64
		Grads       map[string][]float64
	}
	Updates struct {
		Losses, Norms, Factors []float64
		Params1, Params3       map[string][]float64
	}
}

func fixtures(t *testing.T) []*fixture {
	files, err := filepath.Glob("../../compiler/testdata/torch/*.json")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	var fs []*fixture
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		x := &fixture{}
		if err := json.Unmarshal(b, x); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		fs = append(fs, x)
	}
	return fs
}

// experiment is the fixture as a spec: the quickstart with its numbers put in.
func (f *fixture) experiment(t *testing.T) *shape.Experiment {
	example := "../../examples/quickstart"
	if f.Config.Family == "llama" {
		example = "../../examples/tiny-llama"
	}
	ls, list := spec.Load(spec.Options{}, example)
	if list.HasErrors() {
		t.Fatal(list)
	}
	x := ls[0].Experiment
	c := &f.Config
	m := &x.Model
	m.Layers, m.Heads, m.KVHeads, m.HeadDim, m.DModel, m.FFN = c.Layers, c.Heads, c.KVHeads, c.HeadDim, c.DModel, c.FFN
	m.Vocab, m.Context, m.Tied, m.Bias, m.QKVBias = c.Vocab, c.Context, c.Tied, c.Bias, nil
	m.Activation, m.Norm.Eps, m.Rope.Base = c.Activation, c.NormEps, c.RopeBase
	x.Window.MicroBatches, x.Window.MicroBatchSize, x.Window.SeqLen = f.Window.K, f.Window.B, f.Window.T
	x.Window.Sequences = f.Window.K * f.Window.B
	x.Window.Tokens = x.Window.Sequences * f.Window.T
	o, in := &x.Optimizer, &f.Optimizer
	decay, momentum := in.WeightDecay, in.Momentum
	o.Kind, o.LR, o.Beta1, o.Beta2, o.Eps, o.WeightDecay, o.Momentum, o.Clip.Norm = in.Kind, in.LR, in.Beta1, in.Beta2, in.Eps, &decay, &momentum, in.Clip
	x.Eval.Every = 0
	if f.Window.Lo != nil {
		x.Mask.Packing.Mode = "segments"
	}
	if f.Window.Positions != nil {
		x.Mask.Packing.Positions = "restart"
	}
	return x
}

// run is a session with a fixture's parameters in it.
type run struct {
	t *testing.T
	f *fixture
	p *plan.Plan
	s exec.Session
}

func start(t *testing.T, f *fixture, e exec.Engine) *run {
	t.Helper()
	res, list, err := compiler.Compile(compiler.Source{Experiment: f.experiment(t)}, compiler.Options{})
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	s, err := e.Open(res.Plan, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r := &run{t, f, res.Plan, s}
	if len(f.Params) != len(r.p.Run.Params) {
		t.Fatalf("%d parameters, PyTorch has %d", len(r.p.Run.Params), len(f.Params))
	}
	for i, p := range r.p.Run.Params {
		if p.Name != f.Params[i].Name || !slices.Equal(p.Shape, f.Params[i].Shape) {
			t.Fatalf("parameter %s %v, PyTorch has %s %v", p.Name, p.Shape, f.Params[i].Name, f.Params[i].Shape)
		}
		r.writeF32(p.Buffer, f.Params[i].Values)
	}
	return r
}

func (r *run) write(buffer int, data any) {
	r.t.Helper()
	if err := r.s.Write(buffer, data); err != nil {
		r.t.Fatal(err)
	}
}

// writeF32 stores numbers that are exact in f32, so that f32 engines start from the same point.
func (r *run) writeF32(buffer int, xs []float64) {
	r.t.Helper()
	f := make([]float32, len(xs))
	for i, x := range xs {
		f[i] = float32(x)
		if float64(f[i]) != x {
			r.t.Fatalf("%g is not exact in f32", x)
		}
	}
	r.write(buffer, f)
}

// read reads an f32 buffer with all the digits that the engine has.
func (r *run) read(buffer int) []float64 {
	r.t.Helper()
	n := r.p.Buffers[buffer].Bytes / 4
	if r64 := make([]float64, n); r.s.Read(buffer, r64) == nil {
		return r64
	}
	f := make([]float32, n)
	if err := r.s.Read(buffer, f); err != nil {
		r.t.Fatal(err)
	}
	xs := make([]float64, n)
	for i := range f {
		xs[i] = float64(f[i])
	}
	return xs
}

func flat[T any](rows [][]T) []T { return slices.Concat(rows...) }

// window runs the micro-batches that train something and returns the loss and
// the token losses.
func (r *run) window(u int) (loss float64, losses [][]float64) {
	r.t.Helper()
	w := &r.f.Window
	in := &r.p.Run.Inputs
	rows := map[int32]int32{}
	var ids []int32
	first := true
	for k := range w.IDs {
		weight := flat(w.M[k])
		trained := slices.ContainsFunc(weight, func(x float32) bool { return x != 0 })
		if in.Row >= 0 {
			row := make([]int32, 0, len(weight))
			for _, id := range flat(w.IDs[k]) {
				if _, ok := rows[id]; !ok && trained {
					rows[id] = int32(len(ids))
					ids = append(ids, id)
				}
				row = append(row, rows[id])
			}
			r.write(in.Row, row)
		}
		if !trained {
			losses = append(losses, make([]float64, len(weight)))
			continue
		}
		ctl := make([]float64, ir.ControlLen)
		ctl[plan.CtlC], ctl[plan.CtlScale], ctl[plan.CtlU], ctl[plan.CtlSeq0] = 1/w.N, 1, float64(u), float64(k*int(w.B))
		if !first {
			ctl[plan.CtlAcc] = 1
		}
		first = false
		r.write(in.Control, ctl)
		r.write(in.IDs, flat(w.IDs[k]))
		targets := flat(w.Targets[k])
		r.write(in.Targets, targets)
		r.write(in.Weight, weight)
		if in.Lo >= 0 {
			r.write(in.Lo, flat(w.Lo[k]))
		}
		if in.Positions >= 0 {
			r.write(in.Positions, flat(w.Positions[k]))
		}
		if err := r.s.Run(context.Background(), ir.Micro); err != nil {
			r.t.Fatal(err)
		}
		l := r.read(in.TokenLoss)
		losses = append(losses, l)
		for i, x := range l {
			loss += x * float64(weight[i]) / w.N
		}
	}
	if in.RowIDs >= 0 {
		n := r.p.Buffers[in.RowIDs].Shape[0]
		for len(ids) < n {
			ids = append(ids, -1)
		}
		r.write(in.RowIDs, ids)
	}
	return loss, losses
}

// update runs the update section and returns norm and clip factor.
func (r *run) update(u int) (norm, clip float64) {
	r.t.Helper()
	o := &r.p.Run.Optimizer
	ctl := make([]float64, ir.ControlLen)
	ctl[plan.CtlScale], ctl[plan.CtlLR], ctl[plan.CtlU] = 1, o.LR, float64(u)
	ctl[plan.CtlBC1], ctl[plan.CtlBC2] = 1-math.Pow(o.Beta1, float64(u)), 1-math.Pow(o.Beta2, float64(u))
	r.write(r.p.Run.Inputs.Control, ctl)
	if err := r.s.Run(context.Background(), ir.Update); err != nil {
		r.t.Fatal(err)
	}
	if err := r.s.Read(r.p.Run.Inputs.Control, ctl); err != nil {
		r.t.Fatal(err)
	}
	return ctl[plan.CtlNorm], ctl[plan.CtlClip]
}

// rel is ‖a−n‖/max(‖a‖,‖n‖), and the largest element error with that scale as floor.
func rel(a, n []float64) float64 {
	var d, x, y float64
	for i := range a {
		d += (a[i] - n[i]) * (a[i] - n[i])
		x += a[i] * a[i]
		y += n[i] * n[i]
	}
	if scale := max(x, y); scale > 0 {
		return math.Sqrt(d / scale)
	}
	return math.Sqrt(d)
}

func (r *run) near(what string, got, want []float64, limit float64) {
	r.t.Helper()
	if e := rel(got, want); !(e <= limit) {
		r.t.Errorf("%s: relative error %.2e, limit %.0e", what, e, limit)
	}
}

// TestTorchFloat64: losses, gradients, norms and three updates of the float64
// engine agree with PyTorch's float64 to 1e-9.
func TestTorchFloat64(t *testing.T) {
	const limit = 1e-9
	for _, f := range fixtures(t) {
		t.Run(f.Name, func(t *testing.T) {
			r := start(t, f, ref.Engine{})
			var norms, factors, sums []float64
			for u := 1; u <= 3; u++ {
				loss, losses := r.window(u)
				sums = append(sums, loss)
				if u == 1 {
					for k := range losses {
						r.near(fmt.Sprintf("token losses of micro-batch %d", k), losses[k], masked(flat(f.Float64.TokenLosses[k]), flat(f.Window.M[k])), limit)
					}
				}
				norm, clip := r.update(u)
				norms, factors = append(norms, norm), append(factors, clip)
				if u == 1 {
					r.gradients(f.Float64.Grads, limit)
					r.parameters(f.Updates.Params1, limit)
				}
			}
			r.parameters(f.Updates.Params3, limit)
			r.near("losses", sums, f.Updates.Losses, limit)
			r.near("norms", norms, f.Updates.Norms, limit)
			r.near("clip factors", factors, f.Updates.Factors, limit)
		})
	}
}

// masked puts 0 where nothing is trained: the engines do not compute those losses.
func masked(xs []float64, m []float32) []float64 {
	ys := slices.Clone(xs)
	for i := range ys {
		if m[i] == 0 {
			ys[i] = 0
		}
	}
	return ys
}

func (r *run) gradients(want map[string][]float64, limit float64) {
	r.t.Helper()
	for _, p := range r.p.Run.Params {
		r.near("gradient of "+p.Name, r.read(p.Grad), want[p.Name], limit)
	}
}

func (r *run) parameters(want map[string][]float64, limit float64) {
	r.t.Helper()
	for _, p := range r.p.Run.Params {
		r.near("updated "+p.Name, r.read(p.Buffer), want[p.Name], limit)
	}
}

// TestTorchFloat32: losses and gradients of the CPU engine agree with PyTorch's
// float32 to 1e-5.
func TestTorchFloat32(t *testing.T) {
	const limit = 1e-5
	for _, f := range fixtures(t) {
		t.Run(f.Name, func(t *testing.T) {
			r := start(t, f, cpu.Engine{})
			loss, _ := r.window(1)
			r.near("loss", []float64{loss}, []float64{f.Float32.Loss}, limit)
			norm, _ := r.update(1)
			r.near("norm", []float64{norm}, []float64{f.Float32.Norm}, limit)
			r.gradients(f.Float32.Grads, limit)
		})
	}
}
