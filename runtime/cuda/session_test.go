//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
)

// small is a GPT plan for the engine, with slots for offloading or without.
func small(slots int) *plan.Plan {
	c := plantest.Small()
	c.Layers, c.Slots = 3, min(slots, 1)
	return forCUDA(plantest.GPT(c))
}

func forCUDA(p *plan.Plan) *plan.Plan {
	p.Target = Target
	if err := plan.Seal(p); err != nil {
		panic(err)
	}
	return p
}

// values of a buffer of n elements: the same each time.
func values(r *rand.Rand, n int, center float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = center + float32(r.IntN(401)-200)/1000
	}
	return x
}

// trained writes parameters and inputs, runs a window of two micro-batches, the
// update and eval, and returns everything that was computed.
func trained(s exec.Session, p *plan.Plan) (map[string][]float32, error) {
	r := rand.New(rand.NewPCG(5, 6))
	in, rows, vocab := p.Run.Inputs, p.Run.Window.BatchSize*p.Run.Window.SeqLen, p.Run.Model.Vocab
	var errs []error
	put := func(b int, data any) { errs = append(errs, s.Write(b, data)) }
	size := func(b int) int { return int(p.Buffers[b].Bytes / 4) }
	get := func(b int) []float32 {
		x := make([]float32, size(b))
		errs = append(errs, s.Read(b, x))
		return x
	}
	ids := func(n, below int) []int32 {
		x := make([]int32, n)
		for i := range x {
			x[i] = r.Int32N(int32(below))
		}
		return x
	}
	for _, q := range p.Run.Params {
		center := float32(0)
		if q.Init == "ones" {
			center = 1
		}
		put(q.Buffer, values(r, size(q.Buffer), center))
		for _, m := range q.State {
			put(m, make([]float32, size(m)))
		}
	}
	out := map[string][]float32{}
	for k := range 2 {
		ctl := make([]float64, ir.ControlLen)
		ctl[plan.CtlC], ctl[plan.CtlAcc], ctl[plan.CtlScale], ctl[plan.CtlU] = 1.0/float64(rows), float64(k), 1, 1
		ctl[plan.CtlLR], ctl[plan.CtlBC1], ctl[plan.CtlBC2] = 1e-3, 0.1, 1e-3
		put(in.Control, ctl)
		put(in.IDs, ids(rows, vocab))
		put(in.Targets, ids(rows, vocab))
		put(in.Weight, slices.Repeat([]float32{1}, rows))
		errs = append(errs, s.Run(context.Background(), ir.Micro))
		out[fmt.Sprintf("loss %d", k)] = get(in.TokenLoss)
	}
	for _, q := range p.Run.Params {
		out["grad "+q.Name] = get(q.Grad)
	}
	put(in.Last, ids(p.Run.Window.BatchSize, p.Run.Window.SeqLen))
	errs = append(errs, s.Run(context.Background(), ir.Update), s.Run(context.Background(), ir.Eval), s.Run(context.Background(), ir.Logits))
	for _, q := range p.Run.Params {
		for i, m := range q.State {
			out[fmt.Sprintf("state %d %s", i, q.Name)] = get(m)
		}
	}
	out["eval"], out["logits"] = get(in.EvalLoss), get(in.Logits)
	return out, first(errs)
}

func mustTrain(t *testing.T, e exec.Engine, p *plan.Plan, o exec.Options) map[string][]float32 {
	t.Helper()
	s, err := e.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := trained(s, p)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return out
}

// spread is the greatest difference, relative where values are above 1.
func spread(a, b []float32) (worst float64) {
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		if d != d {
			return 1e9
		}
		worst = max(worst, max(d, -d)/max(1, float64(max(b[i], -b[i]))))
	}
	return worst
}

// TestSession: a window agrees with the engine cpu; offloading and an allocation
// for each buffer change no bit; the arenas are the plan's, to the byte.
func TestSession(t *testing.T) {
	e := Engine{Library: driver()}
	keep, offload := small(0), small(2)
	got := mustTrain(t, e, keep, exec.Options{})
	onCPU := small(0)
	onCPU.Target = "cpu"
	if err := plan.Seal(onCPU); err != nil {
		t.Fatal(err)
	}
	for name, want := range mustTrain(t, cpu.Engine{}, onCPU, exec.Options{}) {
		if a := spread(got[name], want); !(a <= 1e-5) {
			t.Errorf("%s differs from cpu by %.3g", name, a)
		}
	}
	if d := cmp.Diff(got, mustTrain(t, e, offload, exec.Options{})); d != "" {
		t.Errorf("offloading changes bits: %s", d)
	}
	if d := cmp.Diff(got, mustTrain(t, Engine{Library: driver(), Split: true}, offload, exec.Options{})); d != "" {
		t.Errorf("an allocation for each buffer changes bits: %s", d)
	}
	s, err := e.Open(offload, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := s.Allocated()
	for tier, a := range offload.Arenas {
		if n[tier] != a.Bytes || a.Bytes == 0 {
			t.Errorf("%s: allocated %d, planned %d", a.Tier, n[tier], a.Bytes)
		}
	}
}

type observer struct {
	now  int64
	seen []int
}

func (o *observer) Now() int64 { o.now++; return o.now }
func (o *observer) Observe(sec ir.Section, i int, _ *plan.Command, start, end int64) {
	if sec == ir.Eval && end > start {
		o.seen = append(o.seen, i)
	}
}

// TestObserver: each launch and copy is observed, and nothing is computed otherwise.
func TestObserver(t *testing.T) {
	p, o := small(2), &observer{}
	got := mustTrain(t, Engine{Library: driver()}, p, exec.Options{Observer: o})
	if d := cmp.Diff(mustTrain(t, Engine{Library: driver()}, p, exec.Options{}), got); d != "" {
		t.Errorf("observing changes bits: %s", d)
	}
	var want []int
	for i, c := range p.Sections[ir.Eval].Commands {
		if c.Kind == plan.Launch || c.Kind == plan.Copy {
			want = append(want, i)
		}
	}
	if d := cmp.Diff(want, o.seen); d != "" {
		t.Errorf("commands observed (-want +got):\n%s", d)
	}
}

// TestSessionRefuses: plans, data and calls that it cannot take.
func TestSessionRefuses(t *testing.T) {
	e := Engine{Library: driver()}
	other := small(0)
	other.Target = "cpu"
	if err := plan.Seal(other); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(other, exec.Options{}); err == nil || !strings.Contains(err.Error(), "target cpu") {
		t.Errorf("a plan for cpu: %v", err)
	}
	p := small(0)
	s, err := e.Open(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(p.Run.Inputs.IDs, []float32{1}); err == nil {
		t.Error("data of another type is taken")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ended, ir.Micro); !errors.Is(err, context.Canceled) {
		t.Errorf("a run with an ended context: %v", err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if err := s.Run(t.Context(), ir.Micro); !errors.Is(err, exec.ErrClosed) {
		t.Errorf("a run after Close: %v", err)
	}
}

// TestHalfStorage: 16-bit buffers are rounded by Write and widened by Read.
func TestHalfStorage(t *testing.T) {
	for _, d := range []ir.DType{ir.BF16, ir.F16} {
		p, args, results := plantest.Single(plantest.Case{Op: ir.OpAdd, Args: []ir.Type{ir.Of(d, 3, 5), ir.Of(d, 3, 5)}}, 1)
		s, err := Engine{Library: driver()}.Open(forCUDA(p), exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, got := make([]float32, 15), make([]float32, 15)
		for i := range x {
			x[i] = float32(i) / 4 // exact in both types, and so is the sum
		}
		err = errors.Join(s.Write(args[0], x), s.Write(args[1], x), s.Run(t.Context(), ir.Micro), s.Read(results[0], got), s.Close())
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if got[i] != 2*x[i] {
				t.Errorf("%s: %v + itself = %v", d, x[i], got[i])
			}
		}
	}
}

// waits are the places of the waits in a bound section.
func (s *steps) waits() (list []int) {
	for i := range s.array {
		if s.call(i) == "cuStreamWaitEvent" {
			list = append(list, i)
		}
	}
	return list
}

// withoutWait trains on an offloading plan with one wait of micro left out.
func withoutWait(library, n string) error {
	n, off := strings.CutSuffix(n, " without graphs")
	k, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	p := small(2)
	s, err := open(p, exec.Options{}, Engine{Library: library, NoGraphs: off}, mustModules(), &table)
	if err != nil {
		return err
	}
	micro := s.sections[ir.Micro]
	i := micro.waits()[k]
	micro.array, micro.command = slices.Delete(micro.array, i, i+1), slices.Delete(micro.command, i, i+1)
	_, err = trained(s, p)
	return err
}

// TestEveryWaitIsNeeded leaves out one wait of an offloading plan after the
// other: the checking driver names each, whatever the timing, in graphs and without.
func TestEveryWaitIsNeeded(t *testing.T) {
	s, err := open(small(2), exec.Options{}, Engine{Library: driver()}, mustModules(), &table)
	if err != nil {
		t.Fatal(err)
	}
	n := len(s.sections[ir.Micro].waits())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatal("the plan has no wait")
	}
	for k := range n {
		for _, how := range []string{"", " without graphs"} {
			if got := child(t, fmt.Sprintf("wait %d%s", k, how), checkDriver, fmt.Sprintf("seed=%d,delay=50", k)); !says(got, "not ordered|never written") {
				t.Errorf("without wait %d of %d%s: %s", k, n, how, got)
			}
		}
	}
}
