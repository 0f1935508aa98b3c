//go:build cuda

package cuda

/*
#include <stdlib.h>
#include "launch.h"
*/
import "C"

import (
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
	if r > C.GRADCUE_STATUS {
		return s.command[i], &statusError{"cublasLtMatmul", int(r - C.GRADCUE_STATUS)}
	}
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

// handle is the driver's handle of a function.
func handle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

// launchStep is a kernel launch; a zero in the grid or the block is read as 1.
func (g *gpu) launchStep(st plan.Stream, f cu.Function, l *Launch) step {
	one := step{s: C.gradcue_step{kind: C.GRADCUE_LAUNCH, stream: g.stream(st), function: handle(f), shared: C.uint(l.Shared)}, params: l.Params}
	for k := range 3 {
		one.s.grid[k], one.s.block[k] = C.uint(max(1, l.Grid[k])), C.uint(max(1, l.Block[k]))
	}
	return one
}

// outStep is a copy from the device to pinned memory of the same length.
func (g *gpu) outStep(st plan.Stream, to []byte, from uint64) step {
	return step{s: C.gradcue_step{kind: C.GRADCUE_OUT, stream: g.stream(st), host: address(to), from: C.CUdeviceptr(from), bytes: C.size_t(len(to))}}
}

// inStep is a copy from pinned memory to the device.
func (g *gpu) inStep(st plan.Stream, to uint64, from []byte) step {
	return step{s: C.gradcue_step{kind: C.GRADCUE_IN, stream: g.stream(st), host: address(from), to: C.CUdeviceptr(to), bytes: C.size_t(len(from))}}
}

// moveStep is a copy inside the device.
func (g *gpu) moveStep(st plan.Stream, to, from uint64, n int64) step {
	return step{s: C.gradcue_step{kind: C.GRADCUE_MOVE, stream: g.stream(st), to: C.CUdeviceptr(to), from: C.CUdeviceptr(from), bytes: C.size_t(n)}}
}

// recordStep marks an event done when the stream has done what it was given before.
func (g *gpu) recordStep(st plan.Stream, event int) step {
	return step{s: C.gradcue_step{kind: C.GRADCUE_RECORD, stream: g.stream(st), event: g.event(event)}}
}

// waitStep holds the stream until an event.
func (g *gpu) waitStep(st plan.Stream, event int) step {
	return step{s: C.gradcue_step{kind: C.GRADCUE_WAIT, stream: g.stream(st), event: g.event(event)}}
}

// address is where pinned memory starts, outside the Go heap.
func address(mem []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(mem)) }
