//go:build cuda

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	kernels "github.com/gradcue/gradcue/kernels/cuda"
)

// rig is a device with the kernels of the simulator's own tests.
type rig struct {
	gpu       gpu
	functions *functions
}

// testModules are the kernels in kernels/cuda/sim/testdata.
func testModules() (list []kernels.Module, err error) {
	files, err := filepath.Glob("../../kernels/cuda/sim/testdata/*.ptx")
	for _, file := range files {
		text, e := os.ReadFile(file)
		err = errors.Join(err, e)
		list = append(list, kernels.Module{Name: strings.TrimSuffix(filepath.Base(file), ".ptx"), PTX: string(text)})
	}
	return list, err
}

// onRig runs f on the thread of a device.
func onRig(library string, f func(*rig) error) error {
	if err := bind(library); err != nil {
		return err
	}
	modules, err := testModules()
	if err != nil {
		return err
	}
	t := newThread()
	defer t.end()
	return t.do(func() error {
		r := &rig{functions: newFunctions(modules)}
		if err := errors.Join(r.gpu.open(80), r.gpu.prepare(2, 1<<16)); err != nil {
			return err
		}
		if err := errors.Join(f(r), r.gpu.synchronize()); err != nil {
			return err // nothing can be given back after an error of the device
		}
		return errors.Join(r.functions.unload(), r.gpu.close())
	})
}

// floats allocates n floats and fills in the values that there are.
func (r *rig) floats(n int, values ...float32) (uint64, error) {
	at, err := r.gpu.allocate(4 * int64(n))
	if err != nil || len(values) == 0 {
		return at, err
	}
	return at, r.gpu.store(at, 4*int64(len(values)), func(piece []byte, from int64) { encode(piece, values, from, "f32") })
}

// read is n floats at an address.
func (r *rig) read(at uint64, n int) ([]float32, error) {
	out := make([]float32, n)
	return out, r.gpu.load(at, 4*int64(n), func(piece []byte, from int64) { decode(out, piece, from, "f32") })
}

// launch queues a kernel on the compute stream.
func (r *rig) launch(l Launch) error {
	f, err := r.functions.find(&l)
	if err != nil {
		return err
	}
	return r.do(r.gpu.launchStep(plan.Compute, f, &l))
}

// do queues steps and waits for nothing.
func (r *rig) do(list ...step) error {
	s := fix(list)
	defer s.free()
	_, err := s.queue(0, len(list))
	return err
}

// after lets a stream wait for what another has been given so far.
func (r *rig) after(later, earlier plan.Stream, event int) error {
	return r.do(r.gpu.recordStep(earlier, event), r.gpu.waitStep(later, event))
}

// copyOut copies n floats to the start of the host arena on the stream out.
func (r *rig) copyOut(from uint64, n int) error {
	return r.do(r.gpu.outStep(plan.Out, r.gpu.host[:4*n], from))
}
