//go:build cuda

package cuda

/*
#include "cublaslt.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// madeUp is an address for a buffer that has none yet; trials find the buffer
// in it again.
func madeUp(buffer int) uint64 { return uint64(buffer+1) << madeUpShift }

// madeUpShift leaves room for the length of any buffer, and is above any size
// that is a parameter of a launch.
const madeUpShift = 42

// trial is memory in which one product can be made before the arenas are there:
// for each buffer of its launch as much as the plan gives it.
type trial struct {
	s      *session
	at     map[uint64]uint64 // made-up address of a buffer → real one
	memory []cu.DevicePtr
}

// newTrial gets the memory and fills it with 0x3c3c…, which is a small number in
// each type. A gradient then continues, and there is nothing unwritten to read.
func (s *session) newTrial(w *wanted) (*trial, error) {
	t := &trial{s: s, at: map[uint64]uint64{}}
	for _, a := range append([]uint64{w.a.at, w.b.at, w.d.at, w.bias, w.ctl}, w.launch.Params...) {
		base := a >> madeUpShift << madeUpShift
		b := int(a>>madeUpShift) - 1
		if b < 0 || b >= len(s.p.Buffers) || t.at[base] != 0 {
			continue
		}
		n := s.p.Buffers[b].Bytes
		p, err := t.get(n)
		if err == nil {
			const pattern = 0x3c
			err = failed("cuMemsetD8Async", C.cuMemsetD8Async(C.CUdeviceptr(p), pattern, C.size_t(n), s.gpu.stream(plan.Compute)))
		}
		if err != nil {
			return nil, first([]error{err, t.end()})
		}
		t.at[base] = p
	}
	return t, nil
}

func (t *trial) get(n int64) (uint64, error) {
	p, err := cu.MemAlloc(n)
	if err != nil {
		return 0, told(fmt.Sprintf("allocate %d bytes to try kernels in", n), err)
	}
	t.memory = append(t.memory, p)
	return uint64(p), nil
}

// room gives a product of the library its workspace.
func (t *trial) room(m *C.gradcue_matmul, n int64) error {
	if n == 0 {
		return nil
	}
	p, err := t.get(n)
	m.workspace, m.workspace_bytes = C.CUdeviceptr(p), C.size_t(n)
	return err
}

// real is the address that a made-up one stands for; other values are themselves.
func (t *trial) real(a uint64) uint64 {
	base := a >> madeUpShift << madeUpShift
	if to, ok := t.at[base]; ok {
		return to + a - base
	}
	return a
}

func (t *trial) end() error {
	errs := []error{t.s.gpu.synchronize()}
	for _, p := range t.memory {
		errs = append(errs, told("give device memory back", cu.MemFree(p)))
	}
	return first(errs)
}

// own is the launch of our kernel.
func (t *trial) own(l Launch) ([]step, error) {
	l = l.moved(t.real)
	f, err := t.s.functions.find(&l)
	if err != nil {
		return nil, err
	}
	return []step{t.s.gpu.launchStep(plan.Compute, f, &l)}, nil
}

// library is the same as the library makes it, with the launches around it. The
// algorithm is read from m when the steps are queued.
func (t *trial) library(w *wanted) (list []step, m *C.gradcue_matmul, err error) {
	p := w.moved(t.real)
	if m, err = t.s.library.make(p); err != nil {
		return nil, nil, err
	}
	list, err = t.s.around(p, t.s.gpu.matmulStep(plan.Compute, m))
	if err != nil {
		freeMatmul(m)
	}
	return list, m, err
}

// tried is the algorithm of an earlier choice, after it has made the product once:
// what cannot be had any more shows now and not in the middle of an update.
func (s *session) tried(w *wanted, c Choice) (a algorithm, err error) {
	t, err := s.newTrial(w)
	if err != nil {
		return a, err
	}
	defer func() { err = first([]error{err, t.end()}) }()
	list, m, err := t.library(w)
	if err != nil {
		return a, err
	}
	defer freeMatmul(m)
	if a, err = s.library.check(m, c.Algorithm); err != nil {
		return a, err
	}
	m.algo = a.algo
	if err := t.room(m, a.workspace); err != nil {
		return a, err
	}
	return a, s.gpu.once(list)
}

// measured times our kernel and some algorithms of the library on one product. It
// answers the fastest algorithm where that is faster than our kernel, else nil,
// and the microseconds of our kernel and of the fastest algorithm. Where there is
// no memory to measure in it is our kernel.
func (s *session) measured(w *wanted) (best *algorithm, micros []int, err error) {
	t, err := s.newTrial(w)
	if code(err) == C.CUDA_ERROR_OUT_OF_MEMORY {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = first([]error{err, t.end()}) }()
	own, err := t.own(w.launch)
	if err != nil {
		return nil, nil, err
	}
	theirs, m, err := t.library(w)
	if errors.As(err, new(*statusError)) {
		return nil, nil, nil // it does not make such products
	}
	if err != nil {
		return nil, nil, err
	}
	defer freeMatmul(m)
	list, space := s.library.search(m), int64(0)
	for _, a := range list {
		space = max(space, a.workspace)
	}
	if len(list) == 0 {
		return nil, nil, nil
	}
	if err := t.room(m, space); code(err) == C.CUDA_ERROR_OUT_OF_MEMORY {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	us, err := s.gpu.race(len(list)+1, func(i int) []step {
		if i == 0 {
			return own
		}
		m.algo = list[i-1].algo
		return theirs
	})
	if err != nil {
		return nil, nil, err
	}
	low := 0
	for i := range us {
		if i > 0 && (low == 0 || us[i] < us[low]) {
			low = i
		}
	}
	micros = []int{int(math.Round(us[0]))}
	if low > 0 && !math.IsInf(us[low], 1) {
		micros = append(micros, int(math.Round(us[low])))
	}
	if low > 0 && us[low] < worth*us[0] {
		best = &list[low-1]
	}
	return best, micros, nil
}

// worth is the share of our kernel's time that an algorithm of the library must
// stay below to be taken: the rest is what a measurement may be off.
const worth = 0.97
