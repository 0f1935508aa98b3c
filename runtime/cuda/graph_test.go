//go:build cuda

package cuda

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// trainedBits trains on an offloading plan and is a hash of all that was computed, or
// what went wrong.
func trainedBits(graphs bool) string {
	p := small(2)
	s, err := open(p, exec.Options{}, Engine{Library: driver(), NoGraphs: !graphs}, mustModules(), &table)
	if err != nil {
		return err.Error()
	}
	out, err := trained(s, p)
	for _, sec := range []ir.Section{ir.Micro, ir.Update, ir.Eval, ir.Logits} {
		if made := s.graphs[sec].exec != nil; err == nil && made != graphs {
			err = fmt.Errorf("%s: is a graph: %v, want %v (%s)", sec, made, graphs, s.queuedSections())
		}
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err.Error()
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(out)) {
		fmt.Fprintf(h, "%s %x\n", name, out[name])
	}
	return fmt.Sprintf("sha256 %x", h.Sum(nil))
}

// TestGraphs: sections that run as graphs compute the same bits as without, on the
// driver under test.
func TestGraphs(t *testing.T) {
	want := trainedBits(false)
	if got := trainedBits(true); got != want || !strings.HasPrefix(want, "sha256 ") {
		t.Errorf("as graphs: %s, without: %s", got, want)
	}
}

// TestGraphSchedules: sections that run as graphs compute the same bits as without, in
// every schedule, with random delays, and the checking driver has nothing to say.
func TestGraphSchedules(t *testing.T) {
	want := child(t, "bits without", plainDriver, "")
	if !strings.HasPrefix(want, "sha256 ") {
		t.Fatal(want)
	}
	for i, order := range []string{"forward", "reverse", "random"} {
		for _, library := range []string{plainDriver, checkDriver} {
			settings := fmt.Sprintf("order=%s,seed=%d,delay=%d", order, 7+i, 100*i)
			for _, how := range []string{"bits of graphs", "bits without"} {
				if got := child(t, how, library, settings); got != want {
					t.Errorf("%s, %s, %s: %s, want %s", how, library, settings, got, want)
				}
			}
		}
	}
}

// TestGraphOff: where the driver cannot capture, commands are queued.
func TestGraphOff(t *testing.T) {
	want := child(t, "bits of graphs", plainDriver, "")
	if got := child(t, "bits without", plainDriver, "graphs=0"); got != want {
		t.Errorf("without graphs in the engine: %s, want %s", got, want)
	}
	// Nothing is loaded before it is launched: the first run of each section is
	// queued, and update, eval and logits have no second one.
	if got := child(t, "bits of graphs", plainDriver, "lazy=2"); !strings.Contains(got, "update: is a graph: false") {
		t.Errorf("a driver that loads kernels late: %s", got)
	}
	if got := child(t, "bits of graphs", plainDriver, "graphs=0"); !strings.Contains(got, "micro: is a graph: false") {
		t.Errorf("a driver without graphs: %s", got)
	}
}

// TestCaptureMisuse: what a capture does not allow.
func TestCaptureMisuse(t *testing.T) {
	begin := func(r *rig) error { return r.gpu.beginCapture(plan.Compute) }
	end := func(r *rig) error { _, err := r.gpu.endCapture(plan.Compute); return err }
	fork := func(r *rig) error { return r.after(plan.Out, plan.Compute, 0) }
	alloc := func(r *rig) error { _, err := r.gpu.allocate(64); return err }
	set := func(r *rig) error {
		at, err := r.floats(16, make([]float32, 16)...)
		return errors.Join(err, r.copyOut(at, 16))
	}
	for name, c := range map[string]struct {
		do   []func(*rig) error
		want string
	}{
		"not joined":            {[]func(*rig) error{begin, fork, end}, "CUDA error 904"},
		"nothing begun":         {[]func(*rig) error{end}, "CUDA error 401"},
		"begun twice":           {[]func(*rig) error{begin, begin}, "CUDA error 401"},
		"memory":                {[]func(*rig) error{begin, alloc}, "allocate 64 bytes"},
		"invalid after memory":  {[]func(*rig) error{begin, ignored(alloc), end}, "CUDA error 901"},
		"invalid for its steps": {[]func(*rig) error{begin, ignored(alloc), fork}, "CUDA error 901"},
		"a wait for the host":   {[]func(*rig) error{begin, func(r *rig) error { return r.gpu.synchronize() }}, "CUDA error 900"},
		"other stream's end":    {[]func(*rig) error{begin, fork, func(r *rig) error { _, err := r.gpu.endCapture(plan.Out); return err }}, "CUDA error 903"},
		"event from outside": {[]func(*rig) error{
			func(r *rig) error { return r.do(r.gpu.recordStep(plan.Out, 1)) }, begin,
			func(r *rig) error { return r.do(r.gpu.waitStep(plan.Compute, 1)) }}, "CUDA error 905"},
		"event of a capture": {[]func(*rig) error{begin, func(r *rig) error { return r.do(r.gpu.recordStep(plan.Compute, 1)) }, end,
			func(r *rig) error { return r.do(r.gpu.waitStep(plan.Out, 1)) }}, "CUDA error 907"},
		"two captures": {[]func(*rig) error{begin, func(r *rig) error { return r.gpu.beginCapture(plan.Out) }, fork}, "CUDA error 902"},
		"not stopped":  {[]func(*rig) error{set, begin, end}, ""},
	} {
		err := onRig(driver(), func(r *rig) error {
			for _, do := range c.do {
				if err := do(r); err != nil {
					_, _ = r.gpu.endCapture(plan.Compute) // the stream goes on after it
					_, _ = r.gpu.endCapture(plan.Out)
					return err
				}
			}
			return nil
		})
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// ignored does something and forgets its error.
func ignored(f func(*rig) error) func(*rig) error {
	return func(r *rig) error { _ = f(r); return nil }
}

// TestCaptureRunsNothing: a captured launch runs when its graph is launched, and
// each time.
func TestCaptureRunsNothing(t *testing.T) {
	err := onRig(driver(), func(r *rig) error {
		const n = 64
		a, errA := r.floats(n, ramp(n, 17)...)
		c, errC := r.floats(n, make([]float32, n)...)
		if err := errors.Join(errA, errC); err != nil {
			return err
		}
		add := func() error { return r.launch(along("sim_vecadd", n, 32, c, c, a, n)) }
		if err := add(); err != nil { // loads the module, which a capture does not allow
			return err
		}
		g, err := r.gpu.captured(add)
		if err != nil {
			return err
		}
		for k := range 3 {
			got, err := r.read(c, n)
			if err != nil {
				return err
			}
			x := ramp(n, 17)
			if err := differs("c", got, func(i int) float32 { return float32(k+1) * x[i] }); err != nil {
				return fmt.Errorf("after %d launches of the graph: %w", k, err)
			}
			if err := r.gpu.launchGraph(&g); err != nil {
				return err
			}
		}
		return g.free()
	})
	if err != nil {
		t.Error(err)
	}
}
