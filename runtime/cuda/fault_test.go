//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	process "os/exec"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
)

// fault is a planted mistake and what the drivers say of it. plain is empty where
// the plain driver need not notice.
type fault struct {
	do           func(*rig) error
	plain, check string
}

// launchOver launches a faulty kernel of one block over fresh memory.
func launchOver(kernel string, grid, threads int) func(*rig) error {
	return func(r *rig) error {
		out, err := r.floats(threads)
		if err != nil {
			return err
		}
		return r.launch(Launch{Kernel: kernel, Grid: [3]uint32{uint32(grid)}, Block: [3]uint32{uint32(threads)}, Params: slots(out)})
	}
}

func faults() map[string]fault {
	return map[string]fault{
		"no barrier":        {func(r *rig) error { return blockSum(r, "fault_no_barrier") }, "", "race of a read|read of memory never written|race of a write"},
		"overwritten tile":  {func(r *rig) error { return product33(r, "fault_overwritten_tile") }, "", "race of a write|race of a read"},
		"past the end":      {func(r *rig) error { return product33(r, "fault_past_the_end") }, "", "read past the end|read outside of memory"},
		"divergent barrier": {launchOver("fault_divergent_barrier", 1, 64), "barrier divergence: 32 threads have ended while others wait at fault.cu:6", "barrier divergence"},
		"divergent warp":    {launchOver("fault_divergent_warp", 1, 32), "waits for ever|warp divergence", "waits for ever|warp divergence"},
		"address":           {launchOver("fault_address", 1, 32), "illegal address", "write outside of memory"},
		"blocks":            {launchOver("fault_blocks", 2, 32), "", "race of a write"},
		"unwritten": {func(r *rig) error {
			a, err := r.floats(64)
			if err != nil {
				return err
			}
			return r.launch(along("sim_vecadd", 64, 32, a, a, a, 64))
		}, "", "read of memory never written"},
		"missing event":            {func(r *rig) error { return sideStream(r, "event") }, "", "copy out of memory never written|copy out of device memory + 0 is not ordered after the write|not ordered after the read"},
		"one of two readers":       {func(r *rig) error { return twoReaders(r, plan.Out) }, "", "not ordered after the read|not ordered after the write|never written"},
		"the other of two readers": {func(r *rig) error { return twoReaders(r, plan.In) }, "", "not ordered after the read|not ordered after the write|never written"},
		"not waited for a graph":   {besideGraph, "", "not ordered after the read|not ordered after the write|never written"},
		"library, no event":        {libraryProduct(true), "", "not ordered after the write|not ordered after the read"},
		"library, unwritten":       {libraryProduct(false), "", "in a library: copy out of memory never written"},
		"early reuse":              {func(r *rig) error { return sideStream(r, "reuse") }, "", "not ordered after the read|not ordered after the write"},
	}
}

// twoReaders copies a result out on both copy streams and computes into the same
// memory again when one of them has ended.
func twoReaders(r *rig, waited plan.Stream) error {
	const n = 500
	a, errA := r.floats(n, ramp(n, 17)...)
	c, errC := r.floats(n)
	if err := errors.Join(errA, errC); err != nil {
		return err
	}
	add := func() error { return r.launch(along("sim_vecadd", n, 128, c, a, a, n)) }
	return first([]error{add(), r.after(plan.Out, plan.Compute, 0), r.after(plan.In, plan.Compute, 0),
		r.do(r.gpu.outStep(plan.Out, r.gpu.host[:4*n], c)), r.do(r.gpu.outStep(plan.In, r.gpu.host[8*n:12*n], c)),
		r.after(plan.Compute, waited, 1), add(), r.gpu.synchronize()})
}

// besideGraph launches a graph of an addition twice, and on another stream
// computes into what the graph reads without waiting for it.
func besideGraph(r *rig) error {
	const n = 500
	a, errA := r.floats(n, ramp(n, 17)...)
	c, errC := r.floats(n)
	if err := errors.Join(errA, errC); err != nil {
		return err
	}
	add := func(st plan.Stream, to, from uint64) error {
		l := along("sim_vecadd", n, 128, to, from, from, n)
		f, err := r.functions.find(&l)
		if err != nil {
			return err
		}
		return r.do(r.gpu.launchStep(st, f, &l))
	}
	if err := add(plan.Compute, c, a); err != nil {
		return err
	}
	g, err := r.gpu.captured(func() error { return add(plan.Compute, c, a) })
	if err != nil {
		return err
	}
	return first([]error{r.gpu.launchGraph(&g), r.gpu.launchGraph(&g), r.after(plan.Out, plan.In, 0), add(plan.Out, a, c), r.gpu.synchronize()})
}

// commit makes a mistake and returns what came of it: the program that TestFaults starts.
func commit(name string) error {
	if wait, ok := strings.CutPrefix(name, "wait "); ok {
		return withoutWait(driver(), wait)
	}
	if how, ok := strings.CutPrefix(name, "bits "); ok {
		return errors.New(trainedBits(how == "of graphs"))
	}
	var how string
	var n int
	if _, err := fmt.Sscanf(name, "cost %s %d", &how, &n); err == nil {
		return errors.New(cost(how == "graph", n))
	}
	switch name {
	case "surroundings":
		return errors.New(surroundings())
	case "lost":
		return errors.New(lost())
	case "base":
		return errors.New(base())
	}
	if arena, ok := strings.CutPrefix(name, "leaves its buffer "); ok {
		return leavesItsBuffer(arena == "split")
	}
	for range 3 { // streams of sessions that have ended leave nothing behind
		if err := onRig(driver(), vecadd); err != nil {
			return err
		}
	}
	return onRig(driver(), faults()[name].do)
}

// leavesItsBuffer runs an addition that goes on behind the end of its operands.
func leavesItsBuffer(split bool) error {
	p, args, _ := plantest.Single(plantest.Case{Op: ir.OpAdd, Args: []ir.Type{ir.Of(ir.F32, 64), ir.Of(ir.F32, 64)}}, 1)
	longer := bindings{ir.OpAdd: func(o *operands) []Launch {
		return []Launch{along("add_f32", 32, 32, o.addr("y"), o.addr("a"), o.addr("b"), 128)}
	}}
	s, err := open(forCUDA(p), exec.Options{}, Engine{Library: driver(), Split: split}, mustModules(), &longer)
	if err != nil {
		return err
	}
	x := make([]float32, 64)
	return first([]error{s.Write(args[0], x), s.Write(args[1], x), s.Run(context.Background(), ir.Micro)})
}

// TestSplit: with an allocation for each buffer the checking driver finds a
// launch that leaves its buffer.
func TestSplit(t *testing.T) {
	if got := child(t, "leaves its buffer split", checkDriver, ""); !strings.Contains(got, "past the end") {
		t.Errorf("the checking driver says %q", got)
	}
}

// child runs a mistake in a process of its own.
func child(t testing.TB, name, library, settings string) string {
	t.Helper()
	c := process.Command(os.Args[0])
	c.Env = append(os.Environ(), "GRADCUE_FAULT="+name, "GRADCUE_TEST_LIBCUDA="+library, "GRADCUE_SIM="+settings)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s", name, settings, err, out)
	}
	return string(out)
}

// says reports whether one of the alternatives stands in the text.
func says(text, alternatives string) bool {
	for _, a := range strings.Split(alternatives, "|") {
		if strings.Contains(text, a) {
			return true
		}
	}
	return false
}

// TestFaults: the checking driver names every planted mistake in every schedule
// and with random delays, the plain one those that the executor cannot miss.
func TestFaults(t *testing.T) {
	for name, f := range faults() {
		for i, order := range []string{"forward", "reverse", "random"} {
			settings := fmt.Sprintf("order=%s,seed=%d,delay=%d", order, i+1, 200*i)
			if got := child(t, name, checkDriver, settings); !says(got, f.check) {
				t.Errorf("%s, %s: the checking driver says %q, want %s", name, settings, got, f.check)
			}
			if f.plain == "" {
				continue
			}
			if got := child(t, name, plainDriver, settings); !says(got, f.plain) {
				t.Errorf("%s, %s: the plain driver says %q, want %s", name, settings, got, f.plain)
			}
		}
	}
}
