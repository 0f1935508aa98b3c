package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/measure"
	"github.com/gradcue/gradcue/runtime/train"
)

// Options of Run. Plan, Updates and Now are what it needs.
type Options struct {
	Plan    *plan.Plan
	Engine  exec.Engine // nil = cpu
	Workers int         // as in exec.Options
	ISA     string      // as in exec.Options
	Updates int         // that are timed, at least 1
	Warmup  int         // that are made before
	// Windows are the texts of the updates, over and over; nil makes random tokens.
	Windows [][]loss.Row
	Memory  int64 // bytes of each array of the memory measurement of the processors, 0 = none

	// Device measures what the updates are held against, after them; nil measures the
	// processors, before and after.
	Device func() (Machine, error)
	// Apart times the commands in a few updates of their own, for an engine that
	// waits for each command that is observed.
	Apart bool

	Now    func() int64 // monotonic nanoseconds
	Others func() int64 // processor nanoseconds that other processes took so far; nil or -1: not known
	Peak   func() int64 // bytes of memory that this process took at most so far; nil or 0: not known
}

// apart is the updates that single commands are timed in, at most, after one that
// is not counted.
const apart = 3

// sample is what one update took.
type sample struct{ nanos, others int64 }

// Run measures. What does not let it begin is an error as in package train.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Updates < 1 || o.Warmup < 0 {
		return nil, fmt.Errorf("%d updates after %d: want at least 1 after 0 or more", o.Updates, o.Warmup)
	}
	if o.Engine == nil {
		o.Engine = cpu.Engine{}
	}
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), o.Plan.Workers)
	}
	r := &Report{Version: Version, Name: o.Plan.Name, Model: o.Plan.Run.Model, Window: o.Plan.Run.Window, Apart: o.Apart}
	if err := r.measured(ctx, o); err != nil {
		return nil, err
	}
	r.rates()
	return r, nil
}

// measured makes the updates and measures the machine around them.
func (r *Report) measured(ctx context.Context, o Options) (err error) {
	if o.Device != nil {
		r.Machine.Workers = o.Workers // of the host
		if err := r.updates(ctx, o); err != nil {
			return err
		}
		r.Machine, err = o.Device()
		return err
	}
	before, err := cpu.Measure(o.Workers, o.ISA, 0, o.Now)
	if err != nil {
		return train.CannotOpen(err)
	}
	r.Machine = processors(before)
	if err := r.updates(ctx, o); err != nil {
		return err
	}
	after, err := cpu.Measure(o.Workers, o.ISA, o.Memory, o.Now)
	r.Machine.FLOPS, r.Machine.Bandwidth = max(before.FLOPS, after.FLOPS), after.Bandwidth
	if r.isa != "" {
		r.Machine.ISA = r.isa
	}
	if r.Machine.ISA == kernel.AVX512BF16.String() {
		r.Machine.FLOPS, r.Machine.Pairs = max(before.Pairs, after.Pairs), true
	}
	return err
}

// updates makes the updates and fills in what they took.
func (r *Report) updates(ctx context.Context, o Options) error {
	t := newTimes(o.Plan, o.Updates)
	times := measure.New(o.Plan, o.Now)
	samples := make([]sample, 0, o.Updates)
	whole := func(s *step) error {
		took, err := r.update(ctx, o, s)
		samples = append(samples, took)
		return err
	}
	each := func(s *step) error {
		times.Reset()
		err := s.update(ctx)
		t.take(times)
		return err
	}
	both := func(s *step) error {
		times.Reset()
		err := whole(s)
		t.take(times)
		return err
	}
	var err error
	if !o.Apart {
		err = r.session(ctx, o, times, both)
	} else if err = r.session(ctx, o, nil, whole); err == nil {
		few := o
		few.Warmup, few.Updates = min(1, o.Warmup), min(apart, o.Updates)
		err = r.session(ctx, few, times, each)
	}
	if err != nil {
		return err
	}
	r.summarise(t, samples, o.Others != nil)
	return nil
}

// session opens the plan, warms up and calls update for every one that is timed.
func (r *Report) session(ctx context.Context, o Options, obs exec.Observer, update func(*step) error) (err error) {
	sess, err := o.Engine.Open(o.Plan, exec.Options{Workers: o.Workers, ISA: o.ISA, Observer: obs, Choices: r.kernels})
	if err != nil {
		return train.CannotOpen(err)
	}
	defer func() { err = errors.Join(err, sess.Close()) }()
	if c, ok := sess.(exec.Chooser); ok {
		if r.kernels, err = c.Choices(); err != nil {
			return err
		}
		r.Kernels = c.Chosen()
	}
	if v, ok := sess.(exec.Vectored); ok {
		r.isa = v.ISA()
	}
	if err := train.Initialise(sess, o.Plan); err != nil {
		return err
	}
	s, err := newStep(sess, o.Plan, o.Windows)
	if err != nil {
		return err
	}
	runtime.GC() // what was needed to begin is not part of an update
	for range o.Warmup {
		if err := s.update(ctx); err != nil {
			return err
		}
	}
	for range o.Updates {
		if err := update(s); err != nil {
			return err
		}
	}
	r.Tokens, r.Loss, r.Allocated = s.tokens, s.loss, sess.Allocated()
	if o.Peak != nil {
		r.PeakRSS = o.Peak()
	}
	return nil
}

// update makes one update and counts what it took.
func (r *Report) update(ctx context.Context, o Options, s *step) (sample, error) {
	var began, ended runtime.MemStats
	busy := r.others(o)
	runtime.ReadMemStats(&began)
	start := o.Now()
	if err := s.update(ctx); err != nil {
		return sample{}, err
	}
	took := o.Now() - start
	runtime.ReadMemStats(&ended)
	r.Allocations += float64(ended.Mallocs-began.Mallocs) / float64(o.Updates)
	r.Collections += int(ended.NumGC - began.NumGC)
	return sample{took, r.others(o) - busy}, nil
}

// others is the processor time of other processes so far, 0 when it is not known.
func (r *Report) others(o Options) int64 {
	if o.Others == nil {
		return 0
	}
	return max(0, o.Others())
}

// times are the nanoseconds of each command in each update.
type times struct {
	p   *plan.Plan
	n   int                       // updates
	all [ir.NumSections][][]int64 // [section][command][update]
	run [ir.NumSections][]int64   // runs of a command in the last update
}

func newTimes(p *plan.Plan, updates int) *times {
	t := &times{p: p}
	for s := range p.Sections {
		t.run[s] = make([]int64, len(p.Sections[s].Commands))
		t.all[s] = make([][]int64, len(p.Sections[s].Commands))
		for i := range t.all[s] {
			t.all[s][i] = make([]int64, 0, updates)
		}
	}
	return t
}

func (t *times) take(c *measure.Collector) {
	t.n++
	for s := range t.all {
		for i := range t.all[s] {
			runs, nanos := c.Sum(ir.Section(s), i)
			t.run[s][i] = runs
			t.all[s][i] = append(t.all[s][i], nanos)
		}
	}
}

// typical is how long the commands of the compute stream take in an update, by
// their medians.
func (t *times) typical() (nanos int64) {
	for s := range t.all {
		for i := range t.all[s] {
			if t.p.Sections[s].Commands[i].Stream == plan.Compute {
				nanos += median(t.all[s][i])
			}
		}
	}
	return nanos
}

// compute is how long the commands of the compute stream took in an update.
func (t *times) compute(update int) (nanos int64) {
	for s := range t.all {
		for i := range t.all[s] {
			if t.p.Sections[s].Commands[i].Stream == plan.Compute {
				nanos += t.all[s][i][update]
			}
		}
	}
	return nanos
}
