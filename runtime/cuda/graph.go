//go:build cuda

package cuda

/*
#include "launch.h"
*/
import "C"

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// A section is captured when it is first run: the compute stream begins to
// capture, the copy streams fork from it and join it at the end, and in between
// the section is queued as always, which then runs nothing. Every later run is
// one launch of the graph. It computes the same: the graph has the streams'
// order and the plan's events, and what changes between two runs is in the
// control buffer.

// graph is a section as the driver keeps it.
type graph struct {
	exec C.CUgraphExec
	off  bool  // there will be none
	why  error // of the last capture that failed, if there is no graph
}

// joints are the events that fork the copy streams from the compute stream and
// join them, beside those of the plan.
type joints struct {
	fork cu.Event
	join [plan.NumStreams]cu.Event
}

// makeJoints makes the events; they belong to g.events, which gives them back.
func (g *gpu) makeJoints() error {
	if g.joints != (joints{}) {
		return nil
	}
	var made [1 + plan.NumStreams]cu.Event
	for i := range made {
		var err error
		if made[i], err = cu.MakeEvent(cu.DisableTiming); err != nil {
			return told("make an event", err)
		}
		g.events = append(g.events, made[i])
	}
	g.joints = joints{fork: made[0], join: [plan.NumStreams]cu.Event(made[1:])}
	return nil
}

// graphable reports whether a section can be a graph: it has something to do and
// every copy is between the device and pinned memory.
func (s *session) graphable(sec ir.Section) bool {
	for i := range s.p.Sections[sec].Commands {
		c := &s.p.Sections[sec].Commands[i]
		if c.Kind != plan.Copy {
			continue
		}
		for _, b := range []int{c.Args[0], c.Results[0]} {
			if t := s.p.Buffers[b].Tier; t != ir.Device.String() && t != ir.Host.String() {
				return false
			}
		}
	}
	return len(s.sections[sec].array) > 0
}

// graphed makes the graph of a section if that can be done, and reports whether
// there is one. A section that cannot be captured is queued, which computes the
// same and names the command of an error; since a library may load what it needs
// when it is first called, which a capture does not allow, the capture is tried
// once more at the next run.
func (s *session) graphed(sec ir.Section) bool {
	g := &s.graphs[sec]
	if g.exec != nil || g.off {
		return g.exec != nil
	}
	if g.off = s.noGraphs || !s.graphable(sec); g.off {
		return false
	}
	made, err := s.makeGraph(sec)
	if err != nil {
		g.off, g.why = g.why != nil, err
		return false
	}
	*g = made
	return true
}

// makeGraph captures a section and makes the graph ready to be launched.
func (s *session) makeGraph(sec ir.Section) (graph, error) {
	if err := s.gpu.makeJoints(); err != nil {
		return graph{}, err
	}
	return s.gpu.captured(func() error { return s.inside(sec) })
}

// queuedSections are the sections that have run without a graph although one was
// wanted, each with the reason.
func (s *session) queuedSections() (list []string) {
	for sec := range s.graphs {
		if why := s.graphs[sec].why; why != nil {
			list = append(list, fmt.Sprintf("%s: %v", ir.Section(sec), why))
		}
	}
	return list
}

// captured makes a graph of what f gives to the compute stream, and to the others
// between a fork and a join.
func (g *gpu) captured(f func() error) (made graph, err error) {
	if err := g.beginCapture(plan.Compute); err != nil {
		return made, err
	}
	err = f()
	// The capture must be ended in any case; after an error its end repeats that.
	captured, ended := g.endCapture(plan.Compute)
	if err = first([]error{err, ended}); err == nil {
		err = failed("cuGraphInstantiateWithFlags", C.cuGraphInstantiateWithFlags(&made.exec, captured, 0))
	}
	if captured != nil {
		err = first([]error{err, failed("cuGraphDestroy", C.cuGraphDestroy(captured))})
	}
	return made, err
}

// beginCapture makes a stream keep what it is given, and run nothing. Only calls of
// this thread are held to what a capture allows.
func (g *gpu) beginCapture(st plan.Stream) error {
	return failed("cuStreamBeginCapture", C.cuStreamBeginCapture(g.stream(st), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
}

// endCapture is what a stream has kept; nil after an error.
func (g *gpu) endCapture(st plan.Stream) (captured C.CUgraph, err error) {
	err = failed("cuStreamEndCapture", C.cuStreamEndCapture(g.stream(st), &captured))
	return captured, err
}

// inside queues what is captured: the fork of the copy streams that the section
// uses, its steps, and the join.
func (s *session) inside(sec ir.Section) error {
	g, list := &s.gpu, s.sections[sec]
	compute := g.stream(plan.Compute)
	var side []plan.Stream
	for st := range plan.NumStreams {
		if st != plan.Compute && list.uses(g.stream(st)) {
			side = append(side, st)
		}
	}
	for _, st := range side {
		if err := waits(g.stream(st), compute, g.joints.fork); err != nil {
			return err
		}
	}
	if i, err := list.queue(0, len(list.array)); err != nil {
		return fmt.Errorf("%s: %w", s.command(sec, i), err)
	}
	for _, st := range side {
		if err := waits(compute, g.stream(st), g.joints.join[st]); err != nil {
			return err
		}
	}
	return nil
}

// uses reports whether a step is on the stream.
func (s *steps) uses(st C.CUstream) bool {
	return slices.ContainsFunc(s.array, func(x C.gradcue_step) bool { return x.stream == st })
}

// waits lets a stream wait for what another has been given so far.
func waits(later, earlier C.CUstream, e cu.Event) error {
	h := handleOf(e)
	if err := failed("cuEventRecord", C.cuEventRecord(h, earlier)); err != nil {
		return err
	}
	return failed("cuStreamWaitEvent", C.cuStreamWaitEvent(later, h, 0))
}

// launch runs the graph of a section. Once launched it goes on to its end.
func (s *session) launch(ctx context.Context, sec ir.Section) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.gpu.launchGraph(&s.graphs[sec]); err != nil {
		return s.breaks(sec.String(), err)
	}
	return nil
}

// launchGraph queues a graph on the compute stream.
func (g *gpu) launchGraph(made *graph) error {
	return failed("cuGraphLaunch", C.cuGraphLaunch(made.exec, g.stream(plan.Compute)))
}

// free gives the graph back.
func (g *graph) free() error {
	if g.exec == nil {
		return nil
	}
	err := failed("cuGraphExecDestroy", C.cuGraphExecDestroy(g.exec))
	*g = graph{off: true}
	return err
}
