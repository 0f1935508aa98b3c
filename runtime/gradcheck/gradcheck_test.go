package gradcheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
)

// Buffers of the small plan. Its token loss is, with x the id and y the target,
//
//	ℓ = ½·x·Σ quad² + y·Σ_k sin(table_k) + x·Σ_k cos(k·table_k)
//
// and the last term's gradient of table reaches it through compact, as the
// embedding's of a shared table does. Nothing depends on idle.
const (
	bControl = iota
	bIDs
	bTargets
	bWeight
	bLoss
	bQuad
	bTable
	bIdle
	bQuadGrad
	bTableGrad
	bIdleGrad
	bMoment
	bCompact
	bRowIDs
	numBuffers
)

const sizeQuad, sizeTable, rows = 5, 60, 4

func smallPlan() *plan.Plan {
	p := &plan.Plan{Buffers: make([]plan.Buffer, numBuffers), Sections: make([]plan.Section, ir.NumSections)}
	for i, n := range []int{ir.ControlLen, rows, rows, rows, rows, sizeQuad, sizeTable, 3, sizeQuad, sizeTable, 3, sizeQuad, sizeTable, 1} {
		p.Buffers[i] = plan.Buffer{Name: fmt.Sprintf("buffer%d", i), DType: "f32", Shape: []int{n}}
	}
	p.Sections[ir.Micro].Commands = []plan.Command{{Kind: plan.Launch, Op: "head.loss.grad"}}
	p.Sections[ir.Update].Commands = []plan.Command{{Kind: plan.Launch, Op: "embed.add"}}
	p.Run.Params = []plan.Param{
		{Name: "quad", Shape: []int{sizeQuad}, Buffer: bQuad, Grad: bQuadGrad, State: []int{bMoment}},
		{Name: "table", Shape: []int{sizeTable / 4, 4}, Buffer: bTable, Grad: bTableGrad},
		{Name: "idle", Shape: []int{3}, Buffer: bIdle, Grad: bIdleGrad},
	}
	p.Run.Inputs = plan.Inputs{Control: bControl, IDs: bIDs, Targets: bTargets, Weight: bWeight, Lo: -1, Positions: -1, Row: -1, RowIDs: bRowIDs, TokenLoss: bLoss, EvalLoss: -1, Last: -1, Logits: -1}
	p.Run.Window.BatchSize = 2
	return p
}

// fake computes the small plan; wrong may spoil the buffers after a section.
type fake struct {
	mem   [numBuffers][]float64
	wrong func(f *fake, s ir.Section)
	fail  ir.Section // section that ends in an error
	log   []string
}

func newFake(p *plan.Plan) *fake {
	f := &fake{fail: ir.NumSections}
	for i := range f.mem {
		f.mem[i] = make([]float64, elems(p, i))
		for k := range f.mem[i] {
			f.mem[i][k] = math.Sin(float64(i*100+k)) * 0.3
		}
	}
	return f
}

func (f *fake) Write(buffer int, x any) error {
	switch x := x.(type) {
	case []float64:
		copy(f.mem[buffer], x)
	case []float32:
		for i, v := range x {
			f.mem[buffer][i] = float64(v)
		}
	case []int32:
		for i, v := range x {
			f.mem[buffer][i] = float64(v)
		}
	}
	return nil
}

func (f *fake) Read(buffer int, x any) error {
	copy(x.([]float64), f.mem[buffer])
	return nil
}

var errFake = errors.New("the device is gone")

func (f *fake) Run(ctx context.Context, s ir.Section) error {
	if s == f.fail {
		return errFake
	}
	ctl := f.mem[bControl]
	f.log = append(f.log, fmt.Sprintf("%v acc=%v seq0=%v lr=%v", s, ctl[plan.CtlAcc], ctl[plan.CtlSeq0], ctl[plan.CtlLR]))
	if s == ir.Update {
		for k, g := range f.mem[bCompact] {
			f.mem[bTableGrad][k] += g
		}
		f.mem[bMoment][0] += 1
		f.mem[bQuad][0] += 1 // an engine that updates although the rate is 0
	} else {
		f.micro()
	}
	if f.wrong != nil {
		f.wrong(f, s)
	}
	return ctx.Err()
}

func (f *fake) micro() {
	quad, table, ctl := f.mem[bQuad], f.mem[bTable], f.mem[bControl]
	if ctl[plan.CtlAcc] == 0 {
		for _, b := range []int{bQuadGrad, bTableGrad, bIdleGrad, bCompact} {
			clear(f.mem[b])
		}
	}
	for r := range rows {
		x, y, up := f.mem[bIDs][r], f.mem[bTargets][r], ctl[plan.CtlC]*f.mem[bWeight][r]
		l := 0.0
		for k, q := range quad {
			l += x * q * q / 2
			f.mem[bQuadGrad][k] += up * x * q
		}
		for k, v := range table {
			l += y*math.Sin(v) + x*math.Cos(float64(k)*v)
			f.mem[bTableGrad][k] += up * y * math.Cos(v)
			f.mem[bCompact][k] -= up * x * float64(k) * math.Sin(float64(k)*v)
		}
		f.mem[bLoss][r] = l
	}
}

// inputs are three micro-batches, the second without a trained position.
func inputs() Inputs {
	in := Inputs{RowIDs: []int32{0}}
	for k := range 3 {
		b := data.Batch{IDs: []int32{1, 2, 3, int32(k)}, Targets: []int32{2, 0, int32(k), 5}, Weight: []float32{1, 0.5, 0, 1}, Trained: 3}
		if k == 1 {
			b.Weight, b.Trained = make([]float32, rows), 0
		}
		in.Batches = append(in.Batches, b)
	}
	return in
}

func run(t *testing.T, f *fake, o Options) Report {
	t.Helper()
	o.Inputs = inputs()
	r, err := Run(t.Context(), smallPlan(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The cosines of k·v turn up to 60 times as fast as a tensor of their size is
// expected to, so the step is smaller than the default.
const step = 1e-3

func TestRightGradient(t *testing.T) {
	p := smallPlan()
	f := newFake(p)
	before := newFake(p)
	var progress []int
	r := run(t, f, Options{Step: step, Progress: func(done, total int) { progress = append(progress, done, total) }})
	if failed := r.Failed(); len(failed) > 0 {
		t.Errorf("failed: %+v", failed)
	}
	var got []string
	checked := 0
	for _, x := range r.Tensors {
		got = append(got, fmt.Sprint(x.Name, x.Shape, x.Checked, x.NoGradient))
		checked += x.Checked
		if x.Name != "idle" && (x.Rel == 0 || x.Rel > 1e-7) {
			t.Errorf("%s: error %g, want a small one that is not 0", x.Name, x.Rel)
		}
	}
	if d := cmp.Diff([]string{"quad[5] 5 false", "table[15 4] 24 false", "idle[3] 3 true"}, got); d != "" {
		t.Errorf("tensors (-want +got)\n%s", d)
	}
	if n := r.NoGradient(); len(n) != 1 || n[0].Name != "idle" {
		t.Errorf("without gradient: %+v", n)
	}
	for _, b := range []int{bQuad, bTable, bIdle, bMoment} {
		if !slices.Equal(f.mem[b], before.mem[b]) {
			t.Errorf("buffer %d is not as it was found", b)
		}
	}
	if want := 2 * (1 + 4*checked); r.Runs != want {
		t.Errorf("%d runs of the micro section, want %d", r.Runs, want)
	}
	if n := len(progress); n != 2*checked || progress[n-2] != checked || progress[n-1] != checked {
		t.Errorf("progress %v of %d elements", progress, checked)
	}
	first := []string{"micro acc=0 seq0=0 lr=0", "micro acc=1 seq0=4 lr=0", "update acc=0 seq0=0 lr=0", "micro acc=0 seq0=0 lr=0"}
	if d := cmp.Diff(first, f.log[:4]); d != "" {
		t.Errorf("sections (-want +got)\n%s", d)
	}
}

// Each case spoils the computation in a way that must be found, and says where.
func TestWrongGradient(t *testing.T) {
	onMicro := func(spoil func(f *fake)) func(*fake, ir.Section) {
		return func(f *fake, s ir.Section) {
			if s == ir.Micro {
				spoil(f)
			}
		}
	}
	for _, c := range []struct {
		name  string
		wrong func(f *fake, s ir.Section)
		want  []string
	}{
		{"factor", onMicro(func(f *fake) {
			for k := range f.mem[bQuadGrad] {
				f.mem[bQuadGrad][k] *= 1 + 1e-5
			}
		}), []string{"quad"}},
		{"one element", onMicro(func(f *fake) { f.mem[bQuadGrad][3] += 1e-5 }), []string{"quad"}},
		{"sign", onMicro(func(f *fake) {
			for k := range f.mem[bCompact] {
				f.mem[bCompact][k] *= -1
			}
		}), []string{"table"}},
		{"stores instead of adding", onMicro(func(f *fake) { f.mem[bControl][plan.CtlAcc] = 0; f.micro() }), []string{"quad", "table"}},
		{"the shared table's part is not added", func(f *fake, s ir.Section) {
			if s == ir.Update {
				for k, g := range f.mem[bCompact] {
					f.mem[bTableGrad][k] -= g
				}
			}
		}, []string{"table"}},
		{"cut off", onMicro(func(f *fake) { clear(f.mem[bQuadGrad]) }), []string{"quad"}},
		{"gradient of nothing", onMicro(func(f *fake) { f.mem[bIdleGrad][1] = 1e-12 }), []string{"idle"}},
		{"not a number", onMicro(func(f *fake) { f.mem[bTableGrad][7] = math.NaN() }), []string{"table"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(smallPlan())
			f.wrong = c.wrong
			r := run(t, f, Options{Step: step, Samples: 60})
			var got []string
			for _, x := range r.Failed() {
				got = append(got, x.Name)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("failed (-want +got)\n%s", d)
			}
		})
	}
}

func TestWorstElement(t *testing.T) {
	f := newFake(smallPlan())
	f.wrong = func(f *fake, s ir.Section) { f.mem[bQuadGrad][3] = 7 }
	q := run(t, f, Options{Step: step}).Tensors[0]
	// Σ weight·id over N = 5 is (1·1+2·½+0·1)+(1·1+2·½+2·1) = 6.
	want := float64(float32(1.0/5)) * 6 * newFake(smallPlan()).mem[bQuad][3]
	if q.WorstIndex != 3 || q.Analytic != 7 || math.Abs(q.Numeric-want) > 1e-9 {
		t.Errorf("worst element %d: analytic %g, numeric %g, want 3, 7 and %g", q.WorstIndex, q.Analytic, q.Numeric, want)
	}
	if q.Rel < 0.9 || q.Worst < 0.9 {
		t.Errorf("errors %g and %g for a gradient that is wrong altogether", q.Rel, q.Worst)
	}
}

func TestJitter(t *testing.T) {
	f := newFake(smallPlan())
	clear(f.mem[bQuad]) // its gradient is 0 at this point, which would hide a mistake
	f.wrong = func(f *fake, s ir.Section) {
		for k := range f.mem[bQuadGrad] {
			f.mem[bQuadGrad][k] *= 2
		}
	}
	if r := run(t, f, Options{Step: step}); len(r.Failed()) != 0 || !r.Tensors[0].NoGradient {
		t.Errorf("at zero: %+v", r.Tensors[0])
	}
	if r := run(t, f, Options{Step: step, Jitter: 0.1, Seed: 3}); len(r.Failed()) != 1 || r.Tensors[0].NoGradient {
		t.Errorf("with jitter: %+v", r.Tensors[0])
	}
	if f.mem[bQuad][0] != 0 {
		t.Error("the jitter stays")
	}
}

func TestPick(t *testing.T) {
	grad := make([]float64, 1000)
	for i := range 30 {
		grad[i*7] = 0.1
	}
	grad[500] = -9
	got := pick(grad, 20, 1, 2)
	live := 0
	for _, i := range got {
		if grad[i] != 0 {
			live++
		}
	}
	if len(got) != 20 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 20 || !slices.Contains(got, 500) || live < 10 || live == 20 {
		t.Errorf("picked %v, %d with a gradient", got, live)
	}
	if !slices.Equal(got, pick(grad, 20, 1, 2)) || slices.Equal(got, pick(grad, 20, 2, 2)) {
		t.Error("the choice is not a function of the seed")
	}
	if all := pick(grad[:8], 8, 1, 2); !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("of eight, %v", all)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		plan       func(p *plan.Plan)
		inputs     func(in *Inputs)
		session    func(f *fake)
	}{
		{"sampling plan", "not compiled for training", func(p *plan.Plan) { p.Run.Inputs.TokenLoss = -1 }, nil, nil},
		{"no gradient buffer", "parameter table has no gradient buffer", func(p *plan.Plan) { p.Run.Params[1].Grad = -1 }, nil, nil},
		{"no inputs", "no position of the inputs is trained", nil, func(in *Inputs) { in.Batches = nil }, nil},
		{"nothing trained", "no position of the inputs is trained", nil, func(in *Inputs) { in.Batches = in.Batches[1:2] }, nil},
		{"other shape", "micro-batch 0 has 3 weights, the plan 4 token losses", nil, func(in *Inputs) { in.Batches[0].Weight = in.Batches[0].Weight[:3] }, nil},
		{"micro", "the device is gone", nil, nil, func(f *fake) { f.fail = ir.Micro }},
		{"update", "the device is gone", nil, nil, func(f *fake) { f.fail = ir.Update }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, in := smallPlan(), inputs()
			f := newFake(p)
			if c.plan != nil {
				c.plan(p)
			}
			if c.inputs != nil {
				c.inputs(&in)
			}
			if c.session != nil {
				c.session(f)
			}
			_, err := Run(t.Context(), p, f, Options{Inputs: in})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if !slices.Equal(f.mem[bQuad], newFake(p).mem[bQuad]) {
				t.Error("parameters are not as they were found")
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake(smallPlan())
	_, err := Run(ctx, smallPlan(), f, Options{Inputs: inputs(), Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || !slices.Equal(f.mem[bQuad], newFake(smallPlan()).mem[bQuad]) {
		t.Errorf("error %v, or parameters are not as they were found", err)
	}
}
