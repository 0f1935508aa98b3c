//go:build cuda

package cuda

/*
#include "cublaslt.h"
#include "launch.h"
*/
import "C"

import (
	"errors"
	"math"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// rounds is how often each contestant of a race runs; the first time, when the
// driver may have to load it, is not counted.
const rounds = 4

// race runs lists of steps on the compute stream in turn, so that a clock that rises does
// not favour the last, and answers the shortest time of each in microseconds:
// +Inf for one that the library refuses.
func (g *gpu) race(n int, contestant func(int) []step) (fastest []float64, err error) {
	var ends [2]cu.Event
	for i := range ends {
		if ends[i], err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return nil, told("make an event", err)
		}
		defer func() { err = first([]error{err, told("give an event back", cu.DestroyEvent(&ends[i]))}) }()
	}
	for range n {
		fastest = append(fastest, math.Inf(1))
	}
	refused := make([]bool, n)
	for round := range rounds {
		for i := range n {
			if refused[i] {
				continue
			}
			us, err := g.timed(ends, contestant(i))
			if errors.As(err, new(*statusError)) {
				refused[i], fastest[i] = true, math.Inf(1)
				continue
			}
			if err != nil {
				return nil, err
			}
			if round > 0 {
				fastest[i] = min(fastest[i], us)
			}
		}
	}
	return fastest, nil
}

// timed is how long steps take on the device, in microseconds.
func (g *gpu) timed(ends [2]cu.Event, what []step) (float64, error) {
	st := g.stream(plan.Compute)
	if err := failed("cuEventRecord", C.cuEventRecord(handleOf(ends[0]), st)); err != nil {
		return 0, err
	}
	err := queueAll(what)
	if e := failed("cuEventRecord", C.cuEventRecord(handleOf(ends[1]), st)); err == nil {
		err = e
	}
	if e := g.synchronize(); e != nil {
		return 0, e // that of the device stays, so it counts more
	}
	if err != nil {
		return 0, err
	}
	var ms C.float
	err = failed("cuEventElapsedTime", C.cuEventElapsedTime(&ms, handleOf(ends[0]), handleOf(ends[1])))
	return 1000 * float64(ms), err
}

// once runs steps and waits for them.
func (g *gpu) once(what []step) error {
	return first([]error{queueAll(what), g.synchronize()})
}

func queueAll(what []step) error {
	list := fix(what)
	defer list.free()
	_, err := list.queue(0, len(what))
	return err
}

// matmulStep is a product of the library.
func (g *gpu) matmulStep(st plan.Stream, m *C.gradcue_matmul) step {
	return step{s: C.gradcue_step{kind: C.GRADCUE_MATMUL, stream: g.stream(st), matmul: m}}
}
