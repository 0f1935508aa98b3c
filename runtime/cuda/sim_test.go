//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// ramp is n values that are sums of few bits, so that sums of them are exact.
func ramp(n, period int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%period) - float32(period/2)
	}
	return x
}

// differs is the error for the first value that is not the wanted one.
func differs(what string, got []float32, want func(i int) float32) error {
	for i, x := range got {
		if x != want(i) {
			return fmt.Errorf("%s[%d] = %v, want %v", what, i, x, want(i))
		}
	}
	return nil
}

// vecadd adds on blocks of which the last is not full.
func vecadd(r *rig) error {
	const n = 1000
	a, errA := r.floats(n, ramp(n, 17)...)
	b, errB := r.floats(n, ramp(n, 5)...)
	c, errC := r.floats(n)
	if err := errors.Join(errA, errB, errC); err != nil {
		return err
	}
	if err := r.launch(along("sim_vecadd", n, 256, c, a, b, n)); err != nil {
		return err
	}
	got, err := r.read(c, n)
	if err != nil {
		return err
	}
	x, y := ramp(n, 17), ramp(n, 5)
	return differs("c", got, func(i int) float32 { return x[i] + y[i] })
}

// blockSum sums with a kernel that shuffles, shares and waits.
func blockSum(r *rig, kernel string) error {
	const n, grid = 5000, 4
	x, errX := r.floats(n, ramp(n, 31)...)
	out, errOut := r.floats(grid)
	if err := errors.Join(errX, errOut); err != nil {
		return err
	}
	if err := r.launch(Launch{Kernel: kernel, Grid: [3]uint32{grid}, Block: [3]uint32{256}, Shared: 4 * 8, Params: slots(out, x, n)}); err != nil {
		return err
	}
	got, err := r.read(out, grid)
	if err != nil {
		return err
	}
	want, sum := 0.0, 0.0
	for _, v := range ramp(n, 31) {
		want += float64(v)
	}
	for _, v := range got {
		sum += float64(v)
	}
	if sum != want {
		return fmt.Errorf("the sum is %v, want %v", sum, want)
	}
	return nil
}

// product multiplies matrices whose sizes are no multiples of the tile.
func product33(r *rig, kernel string) error {
	const m, n, k = 33, 35, 37
	a, errA := r.floats(m*k, ramp(m*k, 7)...)
	b, errB := r.floats(k*n, ramp(k*n, 11)...)
	c, errC := r.floats(m * n)
	if err := errors.Join(errA, errB, errC); err != nil {
		return err
	}
	if err := r.launch(Launch{Kernel: kernel, Grid: [3]uint32{3, 3}, Block: [3]uint32{16, 16}, Shared: 2 * 16 * 16 * 4, Params: slots(c, a, b, m, n, k)}); err != nil {
		return err
	}
	got, err := r.read(c, m*n)
	if err != nil {
		return err
	}
	x, y := ramp(m*k, 7), ramp(k*n, 11)
	return differs("c", got, func(i int) float32 {
		s := float32(0)
		for l := range k {
			s += x[i/n*k+l] * y[l*n+i%n]
		}
		return s
	})
}

// sideStream computes, copies the result out on another stream, and computes into
// the same memory again. Without one of its two waits it is a mistake.
func sideStream(r *rig, without string) error {
	const n = 2000
	a, errA := r.floats(n, ramp(n, 17)...)
	c, errC := r.floats(n)
	if err := errors.Join(errA, errC); err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"", func() error { return r.launch(along("sim_vecadd", n, 256, c, a, a, n)) }},
		{"event", func() error { return r.after(plan.Out, plan.Compute, 0) }},
		{"", func() error { return r.copyOut(c, n) }},
		{"reuse", func() error { return r.after(plan.Compute, plan.Out, 1) }},
		{"", func() error { return r.launch(along("sim_vecadd", n, 256, c, c, a, n)) }},
		{"", r.gpu.synchronize},
	}
	for _, s := range steps {
		if s.name != "" && s.name == without {
			continue
		}
		if err := s.do(); err != nil {
			return err
		}
	}
	x := ramp(n, 17)
	return differs("copy", elements[float32](r.gpu.host[:4*n]), func(i int) float32 { return 2 * x[i] })
}

// TestDriver runs the kernels of the simulator's tests, over gorgonia.org/cu and
// the launch loop, on the driver under test.
func TestDriver(t *testing.T) {
	for name, f := range map[string]func(*rig) error{
		"vecadd":     vecadd,
		"blocksum":   func(r *rig) error { return blockSum(r, "sim_blocksum") },
		"product":    func(r *rig) error { return product33(r, "sim_product") },
		"sidestream": func(r *rig) error { return sideStream(r, "") },
	} {
		if err := onRig(driver(), f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefused: what the driver must not accept.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*rig) error
		want string
	}{
		"too much memory": {func(r *rig) error { _, err := r.floats(1 << 40); return err }, "needs 4.00 TiB of device memory"},
		"no kernel":       {func(r *rig) error { return r.launch(Launch{Kernel: "nobody"}) }, "no kernel nobody"},
		"parameters":      {func(r *rig) error { return r.launch(Launch{Kernel: "sim_vecadd", Params: slots(1, 2)}) }, "has 4 parameters, the launch 2"},
		"threads":         {func(r *rig) error { return r.launch(along("sim_vecadd", 1, 1024, 0, 0, 0, 0)) }, "cuLaunchKernel"},
		"shared memory": {func(r *rig) error {
			return r.launch(Launch{Kernel: "sim_vecadd", Shared: 1 << 20, Params: slots(0, 0, 0, 0)})
		}, "needs 1048576 bytes of shared memory"},
	} {
		err := onRig(driver(), c.do)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", name, err, c.want)
		}
	}
}

// TestContextOfAThread: a call from another operating-system thread is refused.
func TestContextOfAThread(t *testing.T) {
	err := onRig(driver(), func(*rig) error {
		other := newThread()
		defer other.end()
		return other.do(func() error {
			if _, err := cu.MemAlloc(16); !errors.Is(err, cu.InvalidContext) {
				return fmt.Errorf("an allocation on a thread without context: %v", err)
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestProbe(t *testing.T) {
	info, err := Probe(driver())
	if err != nil || len(info.Devices) == 0 || info.Devices[0].Major < 8 || info.Devices[0].Bytes <= 0 || info.Version < 11000 {
		t.Errorf("Probe() = %+v, %v", info, err)
	}
}

// TestPieces: a buffer longer than the pinned memory goes through it in pieces.
func TestPieces(t *testing.T) {
	const n = bounceBytes/4*2 + 77
	err := onRig(driver(), func(r *rig) error {
		want := make([]float32, n)
		for i := range want {
			want[i] = math.Float32frombits(uint32(i) * 2654435761 >> 9)
		}
		at, err := r.floats(n, want...)
		if err != nil {
			return err
		}
		got, err := r.read(at, n)
		if err != nil {
			return err
		}
		return differs("x", got, func(i int) float32 { return want[i] })
	})
	if err != nil {
		t.Error(err)
	}
}
