package bench

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/measure"
)

// look is what the clock of the tests moves by at each look, so that a command
// takes it exactly; it is as much as the machine is measured in.
const look = 10_000_000

func clock() func() int64 {
	var n atomic.Int64
	return func() int64 { return n.Add(look) }
}

// trains is a small plan whose loss counts plain text.
func trains(t *testing.T) *plan.Plan {
	t.Helper()
	p := plantest.GPT(plantest.Small())
	p.Run.Loss.Response = true
	if err := plan.Seal(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRun(t *testing.T) {
	p := trains(t)
	before := runtime.NumGoroutine()
	r, err := Run(t.Context(), Options{Plan: p, Workers: 2, Updates: 3, Warmup: 1, Memory: 4 << 20, Now: clock(),
		Others: func() int64 { return 0 }, Peak: func() int64 { return 7 }})
	if err != nil {
		t.Fatal(err)
	}
	k := int64(p.Run.Window.MicroBatches)
	calls, flops, beside := map[string]int64{}, int64(0), int64(0)
	for s, runs := range map[ir.Section]int64{ir.Micro: k, ir.Update: 1} {
		for i := range p.Sections[s].Commands {
			c := &p.Sections[s].Commands[i]
			if c.Kind == plan.Launch || c.Kind == plan.Copy {
				calls[p.Sections[s].Name+" "+c.Op+" "+c.Stream.String()] += runs
				flops += runs * measure.WorkOf(p, c).FLOPs
				if c.Stream != plan.Compute {
					beside += 2 * runs * look // these look at the clock at any moment
				}
			}
		}
	}
	got, whole := map[string]int64{}, int64(0)
	for _, o := range r.Ops {
		got[o.Section+" "+o.Op+" "+o.Stream] = o.Calls
		if o.Stream == plan.Compute.String() {
			whole += o.Nanos
			if o.Nanos < o.Calls*look {
				t.Errorf("%s took %d ns in %d calls", o.Op, o.Nanos, o.Calls)
			}
		}
		if o.FLOPs > 0 != (o.FLOPS > 0) || o.FLOPS > 0 != (o.Fraction > 0) {
			t.Errorf("%s: %d FLOP, %g FLOP/s, fraction %g", o.Op, o.FLOPs, o.FLOPS, o.Fraction)
		}
	}
	if d := cmp.Diff(calls, got); d != "" {
		t.Errorf("calls, -plan +report:\n%s", d)
	}
	w := p.Run.Window
	if r.Tokens != w.MicroBatches*w.BatchSize*w.SeqLen || r.FLOPs != flops || max(r.Outside-(r.Nanos-whole), r.Nanos-whole-r.Outside) > beside || r.Outside <= 0 {
		t.Errorf("%d tokens, %d FLOP of %d, %d ns outside %d of %d", r.Tokens, r.FLOPs, flops, r.Outside, whole, r.Nanos)
	}
	if want := math.Log(float64(p.Run.Model.Vocab)); !(math.Abs(r.Loss-want) < 1) {
		t.Errorf("loss %g on random tokens, want about %g", r.Loss, want)
	}
	if r.Updates != 3 || r.Clean != 3 || r.Counted != 3 || r.Others != 0 || r.PeakRSS != 7 || r.Allocated[ir.Device] != p.Arenas[ir.Device].Bytes || !(r.Machine.Bandwidth > 0) {
		t.Errorf("%+v", r)
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

// TestApart: updates are timed by themselves, commands in others, and the machine
// is the one that is handed in.
func TestApart(t *testing.T) {
	p, observed := trains(t), 0
	e := watched{cpu.Engine{}, &observed}
	r, err := Run(t.Context(), Options{Plan: p, Engine: e, Workers: 1, Updates: 5, Warmup: 1, Now: clock(), Apart: true,
		Device: func() (Machine, error) { return Machine{Name: "device", ISA: "x", Workers: 9, FLOPS: 1e9}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if observed != 1 || !r.Apart || r.Machine.Name != "device" || r.Machine.Workers != 9 || r.Counted != 5 {
		t.Errorf("%d sessions observed, %+v", observed, r)
	}
	if r.Nanos != look || r.Outside != 0 {
		t.Errorf("an update takes %d, outside %d: it was observed", r.Nanos, r.Outside)
	}
	for _, o := range r.Ops {
		if o.Nanos < o.Calls*look || o.FLOPs > 0 && !(o.Fraction > 0) {
			t.Errorf("%+v", o)
		}
	}
	if len(r.Ops) == 0 || r.FLOPs == 0 || r.Rate == 0 {
		t.Errorf("%+v", r)
	}
}

// watched counts the sessions that are opened with an observer.
type watched struct {
	exec.Engine
	n *int
}

func (w watched) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	if o.Observer != nil {
		*w.n++
	}
	return w.Engine.Open(p, o)
}

// TestRunRefuses what cannot be measured.
func TestRunRefuses(t *testing.T) {
	p, other := trains(t), trains(t)
	other.Target = "cuda:sm_80"
	row := loss.Row{IDs: []int32{1}, Docs: []int32{0}, Roles: []loss.Role{loss.Text}}
	for name, o := range map[string]Options{
		"no updates":     {Plan: p, Now: clock()},
		"too many -j":    {Plan: p, Now: clock(), Updates: 1, Workers: p.Workers + 1},
		"no such ISA":    {Plan: p, Now: clock(), Updates: 1, ISA: "mmx"},
		"another target": {Plan: other, Now: clock(), Updates: 1},
		"short rows":     {Plan: p, Now: clock(), Updates: 1, Windows: [][]loss.Row{{row}}},
	} {
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCleanUpdates: disturbed updates do not count while enough are left.
func TestCleanUpdates(t *testing.T) {
	p := &plan.Plan{Sections: make([]plan.Section, ir.NumSections)}
	p.Sections[ir.Micro] = plan.Section{Name: "micro", Commands: []plan.Command{{Kind: plan.Record}}}
	const s = 1_000_000_000
	run := func(known bool, samples ...sample) *Report {
		r := &Report{}
		r.Machine.Workers = 2
		all := newTimes(p, len(samples))
		all.all[ir.Micro][0] = make([]int64, len(samples))
		r.summarise(all, samples, known)
		return r
	}
	r := run(true, sample{1 * s, 0}, sample{9 * s, 5 * s}, sample{3 * s, s / 100}, sample{2 * s, 0}, sample{8 * s, 8 * s})
	if r.Updates != 5 || r.Clean != 3 || r.Counted != 3 || r.Nanos != 2*s || r.Fastest != s || r.Slowest != 3*s {
		t.Errorf("%+v", r)
	}
	r = run(true, sample{1 * s, 0}, sample{9 * s, 5 * s}, sample{3 * s, 3 * s})
	if r.Updates != 3 || r.Clean != 1 || r.Counted != 3 || r.Nanos != 3*s || r.Slowest != 9*s || r.Others < 0.3 {
		t.Errorf("%+v", r)
	}
	if r = run(false, sample{1 * s, 0}); r.Others != -1 || r.Clean != 1 {
		t.Errorf("%+v", r)
	}
}

var _ exec.Observer = (*measure.Collector)(nil)
