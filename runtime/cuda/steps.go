//go:build cuda

package cuda

/*
#include <stdlib.h>
#include "launch.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// steps are the commands of a section, bound: an array in C memory that one call
// queues. A command may be several steps.
type steps struct {
	array   []C.gradcue_step // C memory
	command []int            // of each step
	params  unsafe.Pointer   // C memory: pointers to the values, then the values
}

// step is one step before its memory is fixed.
type step struct {
	command int
	s       C.gradcue_step
	params  []uint64
}

// fix lays the steps out in C memory, which Go pointers must not lead into.
func fix(list []step) *steps {
	n := 0
	for i := range list {
		n += len(list[i].params)
	}
	s := &steps{command: make([]int, len(list))}
	if len(list) == 0 {
		return s
	}
	s.array = unsafe.Slice((*C.gradcue_step)(C.calloc(C.size_t(len(list)), C.sizeof_gradcue_step)), len(list))
	s.params = C.calloc(C.size_t(2*n+1), 8)
	pointers := unsafe.Slice((*unsafe.Pointer)(s.params), n)
	values := unsafe.Slice((*uint64)(unsafe.Add(s.params, 8*n)), n)
	at := 0
	for i := range list {
		s.array[i], s.command[i] = list[i].s, list[i].command
		if len(list[i].params) > 0 {
			s.array[i].params = &pointers[at]
		}
		for _, v := range list[i].params {
			values[at] = v
			pointers[at] = unsafe.Pointer(&values[at])
			at++
		}
	}
	return s
}

// free gives the C memory back.
func (s *steps) free() {
	if s == nil || s.array == nil {
		return
	}
	C.free(unsafe.Pointer(unsafe.SliceData(s.array)))
	C.free(s.params)
	*s = steps{}
}

// queue gives steps lo to hi to the driver; the error is of the command returned.
func (s *steps) queue(lo, hi int) (command int, err error) {
	if lo == hi {
		return 0, nil
	}
	var at C.int
	r := C.gradcue_run(&s.array[lo], C.int(hi-lo), &at)
	if r == C.CUDA_SUCCESS {
		return 0, nil
	}
	i := lo + int(at)
	return s.command[i], failed(s.call(i), r)
}

// call names the driver function of a step.
func (s *steps) call(i int) string {
	switch s.array[i].kind {
	case C.GRADCUE_LAUNCH:
		return "cuLaunchKernel"
	case C.GRADCUE_OUT:
		return "cuMemcpyDtoHAsync"
	case C.GRADCUE_IN:
		return "cuMemcpyHtoDAsync"
	case C.GRADCUE_MOVE:
		return "cuMemcpyDtoDAsync"
	case C.GRADCUE_RECORD:
		return "cuEventRecord"
	}
	return "cuStreamWaitEvent"
}

// bind makes the steps of one command.
func (s *session) bind(i int, c *plan.Command) ([]step, error) {
	one := step{command: i, s: C.gradcue_step{stream: s.gpu.stream(c.Stream)}}
	switch c.Kind {
	case plan.Launch:
		return s.bindLaunch(one, c)
	case plan.Copy:
		return s.bindCopy(one, c)
	case plan.Record:
		one.s.kind, one.s.event = C.GRADCUE_RECORD, s.gpu.event(c.Event)
	case plan.Wait:
		one.s.kind, one.s.event = C.GRADCUE_WAIT, s.gpu.event(c.Event)
	default:
		return nil, fmt.Errorf("command of kind %q", c.Kind)
	}
	return []step{one}, nil
}

// bindLaunch makes a step of each kernel launch of an op.
func (s *session) bindLaunch(one step, c *plan.Command) ([]step, error) {
	for _, b := range append(append([]int{c.Work - 1}, c.Args...), c.Results...) {
		if b >= 0 && s.onHost(b) {
			return nil, fmt.Errorf("operand %s is in host memory", s.p.Buffers[b].Name)
		}
	}
	o, err := newOperands(s.p, c, s.address)
	if err != nil {
		return nil, err
	}
	if s.table[o.op] == nil {
		return nil, fmt.Errorf("the engine cuda has no kernel for it")
	}
	var list []step
	for _, l := range s.table[o.op](o) {
		f, err := s.functions.find(&l)
		if err != nil {
			return nil, err
		}
		one.s.kind, one.s.function = C.GRADCUE_LAUNCH, handle(f)
		for k := range 3 {
			one.s.grid[k], one.s.block[k] = C.uint(max(1, l.Grid[k])), C.uint(max(1, l.Block[k]))
		}
		one.s.shared, one.params = C.uint(l.Shared), l.Params
		list = append(list, one)
	}
	return list, nil
}

// handle is the driver's handle of a function.
func handle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

// bindCopy makes the step of a copy, whose kind follows from the tiers.
func (s *session) bindCopy(one step, c *plan.Command) ([]step, error) {
	from, to := c.Args[0], c.Results[0]
	one.s.bytes = C.size_t(s.p.Buffers[from].Bytes)
	switch {
	case s.onHost(from) && s.onHost(to):
		return nil, fmt.Errorf("a copy from host to host")
	case s.onHost(to):
		one.s.kind, one.s.from, one.s.host = C.GRADCUE_OUT, C.CUdeviceptr(s.address(from)), s.pinned(to)
	case s.onHost(from):
		one.s.kind, one.s.to, one.s.host = C.GRADCUE_IN, C.CUdeviceptr(s.address(to)), s.pinned(from)
	default:
		one.s.kind, one.s.to, one.s.from = C.GRADCUE_MOVE, C.CUdeviceptr(s.address(to)), C.CUdeviceptr(s.address(from))
	}
	return []step{one}, nil
}

// pinned is the address of a host buffer, outside the Go heap.
func (s *session) pinned(b int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s.hostBytes(b)))
}
