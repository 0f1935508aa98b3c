//go:build cuda

package cuda

import (
	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// stopwatch measures on the device how long commands take, so that what the calls
// and the wait for them cost is not in their times.
type stopwatch struct {
	began, ended cu.Event
	made         bool
}

// start marks the beginning of a command on its stream.
func (w *stopwatch) start(g *gpu, st plan.Stream) error {
	if !w.made {
		for _, e := range []*cu.Event{&w.began, &w.ended} {
			var err error
			if *e, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
				return told("make an event", err)
			}
			g.events = append(g.events, *e)
		}
		w.made = true
	}
	return told("record an event", w.began.Record(g.streams[st]))
}

// stop marks the end of a command and waits for all streams. The time is in
// nanoseconds, at least 1.
func (w *stopwatch) stop(g *gpu, st plan.Stream) (nanos int64, err error) {
	if err := told("record an event", w.ended.Record(g.streams[st])); err != nil {
		return 0, err
	}
	if err := g.synchronize(); err != nil {
		return 0, err
	}
	ms, err := w.began.Elapsed(w.ended)
	return max(1, int64(ms*1e6)), told("read the time of an event", err)
}
