package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/measure"
	"github.com/gradcue/gradcue/runtime/train"
)

// Options of Run. Plan, Updates and Now are what it needs.
type Options struct {
	Plan    *plan.Plan
	Workers int    // as in exec.Options
	ISA     string // as in exec.Options
	Updates int    // that are timed, at least 1
	Warmup  int    // that are made before
	// Windows are the texts of the updates, over and over; nil makes random tokens.
	Windows [][]loss.Row
	Memory  int64 // bytes of each array of the memory measurement, 0 = none

	Now    func() int64 // monotonic nanoseconds
	Others func() int64 // processor nanoseconds that other processes took so far; nil or -1: not known
	Peak   func() int64 // bytes of memory that this process took at most so far; nil or 0: not known
}

// sample is what one update took.
type sample struct{ nanos, others int64 }

// Run measures. What does not let it begin is an error as in package train.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Updates < 1 || o.Warmup < 0 {
		return nil, fmt.Errorf("%d updates after %d: want at least 1 after 0 or more", o.Updates, o.Warmup)
	}
	workers := o.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), o.Plan.Workers)
	}
	before, err := cpu.Measure(workers, o.ISA, 0, o.Now)
	if err != nil {
		return nil, train.CannotOpen(err)
	}
	r := &Report{Version: Version, Name: o.Plan.Name, Model: o.Plan.Run.Model, Window: o.Plan.Run.Window, Machine: before}
	if err := r.updates(ctx, o, workers); err != nil {
		return nil, err
	}
	after, err := cpu.Measure(workers, o.ISA, o.Memory, o.Now)
	if err != nil {
		return nil, err
	}
	r.Machine.FLOPS, r.Machine.Bandwidth = max(before.FLOPS, after.FLOPS), after.Bandwidth
	r.rates()
	return r, nil
}

// updates opens the plan, makes the updates and fills in what they took.
func (r *Report) updates(ctx context.Context, o Options, workers int) (err error) {
	times := measure.New(o.Plan, o.Now)
	sess, err := cpu.Engine{}.Open(o.Plan, exec.Options{Workers: workers, ISA: o.ISA, Observer: times})
	if err != nil {
		return train.CannotOpen(err)
	}
	defer func() { err = errors.Join(err, sess.Close()) }()
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
	t := newTimes(o.Plan, o.Updates)
	samples := make([]sample, 0, o.Updates)
	var began, ended runtime.MemStats
	for range o.Updates {
		times.Reset()
		busy := r.others(o)
		runtime.ReadMemStats(&began)
		start := o.Now()
		if err := s.update(ctx); err != nil {
			return err
		}
		took := o.Now() - start
		runtime.ReadMemStats(&ended)
		samples = append(samples, sample{took, r.others(o) - busy})
		r.Allocations += float64(ended.Mallocs-began.Mallocs) / float64(o.Updates)
		r.Collections += int(ended.NumGC - began.NumGC)
		t.take(times)
	}
	r.Tokens, r.Loss, r.Allocated = s.tokens, s.loss, sess.Allocated()
	if o.Peak != nil {
		r.PeakRSS = o.Peak()
	}
	r.summarise(t, samples, o.Others != nil)
	return nil
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
	for s := range t.all {
		for i := range t.all[s] {
			runs, nanos := c.Sum(ir.Section(s), i)
			t.run[s][i] = runs
			t.all[s][i] = append(t.all[s][i], nanos)
		}
	}
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
