package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// ErrClosed is returned by a session that is used after Close.
var ErrClosed = errors.New("session is closed")

// Walker runs the sections of a plan over the three streams.
type Walker struct {
	p        *plan.Plan
	launcher Launcher
	observer Observer
	queue    [ir.NumSections][plan.NumStreams][]int32 // commands in order
	gates    *gates

	mu     sync.Mutex // held by Run and Close
	closed bool
	start  [plan.NumStreams]chan run // of out and in
	joined chan struct{}
	live   sync.WaitGroup
}

// run is one run of a section.
type run struct {
	ctx     context.Context
	section ir.Section
}

// NewWalker prepares the queues and starts a goroutine for out and one for in,
// where the plan uses them. The plan must be valid as far as plan.Structure
// says; o may be nil.
func NewWalker(p *plan.Plan, l Launcher, o Observer) *Walker {
	w := &Walker{p: p, launcher: l, observer: o, joined: make(chan struct{})}
	events := 0
	var used [plan.NumStreams]bool
	for s := range p.Sections {
		for i := range p.Sections[s].Commands {
			c := &p.Sections[s].Commands[i]
			w.queue[s][c.Stream] = append(w.queue[s][c.Stream], int32(i))
			events = max(events, c.Event+1)
			used[c.Stream] = true
		}
	}
	w.gates = newGates(events)
	for _, st := range []plan.Stream{plan.Out, plan.In} {
		if used[st] {
			w.start[st] = make(chan run)
			w.live.Add(1)
			go w.serve(st)
		}
	}
	return w
}

// serve runs a stream's part of one section after the other.
func (w *Walker) serve(st plan.Stream) {
	defer w.live.Done()
	for r := range w.start[st] {
		w.stream(r, st)
		w.joined <- struct{}{}
	}
}

// Run runs a section and returns when all its streams have ended. A panic of
// the launcher on any stream is raised again here.
func (w *Walker) Run(ctx context.Context, s ir.Section) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	if int(s) >= len(w.p.Sections) {
		return fmt.Errorf("section %d does not exist", s)
	}
	r := run{ctx, s}
	w.gates.reset()
	started := 0
	for _, st := range []plan.Stream{plan.Out, plan.In} {
		if len(w.queue[s][st]) > 0 {
			w.start[st] <- r
			started++
		}
	}
	w.stream(r, plan.Compute)
	for range started {
		<-w.joined
	}
	if w.gates.panic != nil {
		panic(w.gates.panic)
	}
	return w.gates.err
}

// Close ends the goroutines of the streams; it waits for a Run in progress.
func (w *Walker) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	for _, c := range w.start {
		if c != nil {
			close(c)
		}
	}
	w.live.Wait()
}

// stream does the commands of one stream until the end or until the run stops.
func (w *Walker) stream(r run, st plan.Stream) {
	commands := w.p.Sections[r.section].Commands
	at := 0
	defer func() {
		if v := recover(); v != nil {
			w.gates.stop(at, nil, fmt.Sprintf("%s[%d] %s: %v\n%s", r.section, at, commands[at].Op, v, debug.Stack()))
		}
	}()
	for _, i := range w.queue[r.section][st] {
		at = int(i)
		if w.gates.stopped.Load() {
			return
		}
		if err := r.ctx.Err(); err != nil {
			w.gates.stop(at, err, nil)
			return
		}
		if !w.command(r.section, at, &commands[i]) {
			return
		}
	}
}

// command reports whether the stream goes on.
func (w *Walker) command(s ir.Section, i int, c *plan.Command) bool {
	switch c.Kind {
	case plan.Record:
		w.gates.open(c.Event)
		return true
	case plan.Wait:
		return w.gates.wait(c.Event)
	}
	var start int64
	if w.observer != nil {
		start = w.observer.Now()
	}
	var err error
	if c.Kind == plan.Copy {
		err = w.launcher.Copy(s, i, c)
	} else {
		err = w.launcher.Launch(s, i, c)
	}
	if err != nil {
		w.gates.stop(i, fmt.Errorf("%s[%d] %s: %w", s, i, c.Op, err), nil)
		return false
	}
	if w.observer != nil {
		w.observer.Observe(s, i, c, start, w.observer.Now())
	}
	return true
}
