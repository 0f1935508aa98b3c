//go:build cuda

package cuda

/*
#include "cuda.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// bounceBytes is the pinned memory that reads and writes of device buffers go
// through. It stands outside the arenas.
const bounceBytes = 4 << 20

// gpu is a device with what a session has of it. All of it belongs to one thread.
type gpu struct {
	dev     cu.Device
	held    bool // the primary context is
	streams [plan.NumStreams]cu.Stream
	events  []cu.Event
	joints  joints         // of graphs, among the events
	memory  []cu.DevicePtr // allocations
	device  int64          // bytes of them
	host    []byte         // pinned: the host tier
	bounce  []byte         // pinned
}

// open makes the first device's primary context current on the calling thread. The
// device must have the compute capability of sm_<arch>.
func (g *gpu) open(arch int) error {
	var err error
	if g.dev, err = cu.GetDevice(0); err != nil {
		return told("open CUDA device 0", err)
	}
	major, minor, err := g.dev.ComputeCapability()
	if err != nil {
		return told("ask for the compute capability", err)
	}
	if 10*major+minor < arch {
		return &advised{fmt.Sprintf("CUDA device 0 has compute capability %d.%d, the plan is for %d.%d or more", major, minor, arch/10, arch%10),
			older(major, arch)}
	}
	ctx, err := g.dev.RetainPrimaryCtx()
	if err != nil {
		return told("retain the primary context", err)
	}
	g.held = true
	return told("make the context current", cu.SetCurrentContext(ctx))
}

// older says what to do with a device that is older than the plan wants.
func older(major, arch int) string {
	if major == 7 && arch > 70 {
		return "use --engine " + BaseTarget + ", whose kernels need no tensor cores, or choose another device with CUDA_VISIBLE_DEVICES"
	}
	return "choose another device with CUDA_VISIBLE_DEVICES, or another engine"
}

// prepare makes the streams and events, and the pinned memory for a host tier.
func (g *gpu) prepare(events int, hostBytes int64) error {
	for i := range g.streams {
		var err error
		if g.streams[i], err = cu.MakeStream(cu.NonBlocking); err != nil {
			return told(fmt.Sprintf("make stream %s", plan.Stream(i)), err)
		}
	}
	for range events {
		e, err := cu.MakeEvent(cu.DisableTiming)
		if err != nil {
			return told("make an event", err)
		}
		g.events = append(g.events, e)
	}
	var err error
	if g.bounce, err = pin(bounceBytes); err != nil {
		return err
	}
	g.host, err = pin(hostBytes)
	return err
}

// allocate gets n bytes of device memory; none for 0.
func (g *gpu) allocate(n int64) (uint64, error) {
	if n == 0 {
		return 0, nil
	}
	p, err := cu.MemAlloc(n)
	if errors.Is(err, cu.OutOfMemory) {
		free, total, e := cu.MemInfo()
		if e == nil && free < n { // a hole that is large enough may be missing all the same
			return 0, &MemoryError{Need: n, Free: free, Total: total}
		}
	}
	if err != nil {
		return 0, told(fmt.Sprintf("allocate %d bytes of device memory", n), err)
	}
	g.memory = append(g.memory, p)
	g.device += n
	return uint64(p), nil
}

// close gives everything back. The error is the first.
func (g *gpu) close() error {
	var errs []error
	for _, p := range g.memory {
		errs = append(errs, told("give device memory back", cu.MemFree(p)))
	}
	errs = append(errs, unpin(g.host), unpin(g.bounce))
	for i := range g.events {
		errs = append(errs, told("give an event back", cu.DestroyEvent(&g.events[i])))
	}
	for i := range g.streams {
		if g.streams[i] != cu.NoStream {
			errs = append(errs, told("end a stream", g.streams[i].Destroy()))
		}
	}
	if g.held {
		errs = append(errs, told("give the context back", g.dev.ReleasePrimaryCtx()))
	}
	*g = gpu{}
	return first(errs)
}

// synchronize waits for all streams.
func (g *gpu) synchronize() error {
	var errs []error
	for i := range g.streams {
		if g.streams[i] != cu.NoStream {
			errs = append(errs, failed("cuStreamSynchronize", C.cuStreamSynchronize(g.stream(plan.Stream(i)))))
		}
	}
	return first(errs)
}

// first is the first error: what follows an error of the device repeats it.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stream and event are the driver's handles of what gorgonia.org/cu made.
func (g *gpu) stream(s plan.Stream) C.CUstream { return *(*C.CUstream)(unsafe.Pointer(&g.streams[s])) }
func (g *gpu) event(i int) C.CUevent           { return handleOf(g.events[i]) }

func handleOf(e cu.Event) C.CUevent { return *(*C.CUevent)(unsafe.Pointer(&e)) }

// pin allocates host memory that copies of the device can run from and to while
// the host goes on. It is outside the Go heap.
func pin(n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	var p unsafe.Pointer
	err := failed("cuMemHostAlloc", C.cuMemHostAlloc(&p, C.size_t(n), 0))
	if code(err) == C.CUDA_ERROR_OUT_OF_MEMORY {
		return nil, &MemoryError{Pinned: true, Need: n}
	}
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of pinned memory: %w", n, err)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

func unpin(mem []byte) error {
	if mem == nil {
		return nil
	}
	return failed("cuMemFreeHost", C.cuMemFreeHost(unsafe.Pointer(unsafe.SliceData(mem))))
}

// store writes n bytes of device memory at an address: fill is given pieces of
// pinned memory with their place in the whole.
func (g *gpu) store(at uint64, n int64, fill func(piece []byte, from int64)) error {
	st := g.stream(plan.Compute)
	for i := int64(0); i < n; i += int64(len(g.bounce)) {
		piece := g.bounce[:min(int64(len(g.bounce)), n-i)]
		fill(piece, i)
		p := unsafe.Pointer(unsafe.SliceData(piece))
		if err := failed("cuMemcpyHtoDAsync", C.cuMemcpyHtoDAsync(C.CUdeviceptr(at+uint64(i)), p, C.size_t(len(piece)), st)); err != nil {
			return err
		}
		if err := failed("cuStreamSynchronize", C.cuStreamSynchronize(st)); err != nil {
			return err
		}
	}
	return nil
}

// load is the inverse of store: take is given the pieces.
func (g *gpu) load(at uint64, n int64, take func(piece []byte, from int64)) error {
	st := g.stream(plan.Compute)
	for i := int64(0); i < n; i += int64(len(g.bounce)) {
		piece := g.bounce[:min(int64(len(g.bounce)), n-i)]
		p := unsafe.Pointer(unsafe.SliceData(piece))
		if err := failed("cuMemcpyDtoHAsync", C.cuMemcpyDtoHAsync(p, C.CUdeviceptr(at+uint64(i)), C.size_t(len(piece)), st)); err != nil {
			return err
		}
		if err := failed("cuStreamSynchronize", C.cuStreamSynchronize(st)); err != nil {
			return err
		}
		take(piece, i)
	}
	return nil
}
