package exec

import (
	"math"
	"sync"
	"sync/atomic"
)

// gates holds the events of one run of a section, each done once, and what
// stopped the run early.
type gates struct {
	mu      sync.Mutex
	changed sync.Cond
	done    []bool
	stopped atomic.Bool
	at      int // command of err; the lowest wins, so that the error does not depend on timing alone
	err     error
	panic   any
}

func newGates(events int) *gates {
	g := &gates{done: make([]bool, events)}
	g.changed.L = &g.mu
	return g
}

// reset closes all gates; no stream may be running.
func (g *gates) reset() {
	clear(g.done)
	g.stopped.Store(false)
	g.at, g.err, g.panic = math.MaxInt, nil, nil
}

func (g *gates) open(event int) {
	g.mu.Lock()
	g.done[event] = true
	g.mu.Unlock()
	g.changed.Broadcast()
}

// wait reports whether the event is done; false means that the run has stopped.
func (g *gates) wait(event int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.done[event] && !g.stopped.Load() {
		g.changed.Wait()
	}
	return !g.stopped.Load()
}

// stop ends the run on all streams: with an error at a command, or a panic.
func (g *gates) stop(at int, err error, panicked any) {
	g.mu.Lock()
	if at < g.at {
		g.at, g.err = at, err
	}
	if g.panic == nil {
		g.panic = panicked
	}
	g.stopped.Store(true)
	g.mu.Unlock()
	g.changed.Broadcast()
}
