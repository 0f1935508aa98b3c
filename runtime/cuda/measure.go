//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
	kernels "github.com/gradcue/gradcue/kernels/cuda"
)

const (
	measureRuns   = 5   // of which the best counts
	measureCopies = 4   // queued at once, so that what a call costs does not count
	measureLaunch = 256 // queued at once
)

// Measure measures the first device: copies between arrays of so many bytes, and
// launches. now is a clock in monotonic nanoseconds. The peak is for the
// products of a plan (precision.products). Nothing else may use the device.
func Measure(library, products string, bytes int64, now func() int64) (r Rates, err error) {
	info, err := Probe(library)
	if err != nil {
		return r, err
	}
	modules, err := kernels.Modules()
	if err != nil {
		return r, err
	}
	t := newThread()
	defer t.end()
	r.Device = info.Devices[0]
	err = t.do(func() error {
		g, f := &gpu{}, newFunctions(modules)
		err := g.open(arch(BaseTarget))
		if err == nil {
			err = g.prepare(0, bytes)
		}
		if err == nil {
			err = r.measure(g, f, bytes, now)
		}
		// What is given back after an error may fail for the same reason.
		return first([]error{err, f.unload(), g.close()})
	})
	if err != nil {
		return r, fmt.Errorf("measure the device: %w", err)
	}
	clock, many, err := clocks()
	r.Multiprocessors, r.FLOPS = many, peak(&r.Device, products, many, clock)
	return r, err
}

// clocks is the highest clock in Hz and the number of multiprocessors.
func clocks() (clock float64, many int, err error) {
	dev, err := cu.GetDevice(0)
	if err != nil {
		return 0, 0, err
	}
	kHz, err := dev.Attribute(cu.ClockRate)
	if err != nil {
		return 0, 0, err
	}
	many, err = dev.Attribute(cu.MultiprocessorCount)
	return 1000 * float64(kHz), many, err
}

// measure fills in the rates of copies and launches.
func (r *Rates) measure(g *gpu, f *functions, bytes int64, now func() int64) error {
	a, err := g.allocate(2 * bytes)
	if err != nil {
		return err
	}
	// The first copy back wants memory that something has written.
	in, out := g.inStep(plan.Compute, a, g.host), g.outStep(plan.Compute, g.host, a)
	empty := along("add_f32", 0, 32, uint64(0), uint64(0), uint64(0), 0)
	h, err := f.find(&empty)
	if err != nil {
		return err
	}
	for _, m := range []struct {
		to    *float64
		n     int
		step  step
		bytes float64
	}{
		{&r.H2D, measureCopies, in, float64(bytes)},
		{&r.D2H, measureCopies, out, float64(bytes)},
		{&r.Bandwidth, measureCopies, g.moveStep(plan.Compute, a+uint64(bytes), a, bytes), 2 * float64(bytes)},
		{&r.Launch, measureLaunch, g.launchStep(plan.Compute, h, &empty), 0},
	} {
		nanos, err := g.best(m.step, m.n, now)
		if err != nil {
			return err
		}
		if *m.to = nanos; m.bytes > 0 {
			*m.to = m.bytes / nanos * 1e9
		}
	}
	return nil
}

// best is the shortest time of one of n equal steps in a row, in nanoseconds.
func (g *gpu) best(one step, n int, now func() int64) (nanos float64, err error) {
	list := make([]step, n)
	for i := range list {
		list[i] = one
	}
	s := fix(list)
	defer s.free()
	for run := range measureRuns {
		if err := g.synchronize(); err != nil {
			return 0, err
		}
		began := now()
		if _, err := s.queue(0, n); err != nil {
			return 0, err
		}
		if err := g.synchronize(); err != nil {
			return 0, err
		}
		took := float64(max(1, now()-began)) / float64(n)
		if run == 0 || took < nanos {
			nanos = took
		}
	}
	return nanos, nil
}
