package null

import (
	"context"
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// Engine checks a plan for any target without computing.
type Engine struct{}

// Name is "null".
func (Engine) Name() string { return "null" }

// Open checks the structure of the plan and gives the persistent buffers their
// bytes. Options have no meaning here.
func (Engine) Open(p *plan.Plan, _ exec.Options) (exec.Session, error) {
	if err := plan.Structure(p); err != nil {
		return nil, err
	}
	s := &session{p: p, ranges: newRanges(p)}
	for i := range p.Buffers {
		if !p.Buffers[i].Run || s.ranges.region[i] {
			continue
		}
		if o := s.ranges.claim(i); o >= 0 {
			return nil, fmt.Errorf("buffers %d %q and %d %q both live the whole run and share bytes",
				o, p.Buffers[o].Name, i, p.Buffers[i].Name)
		}
	}
	return s, nil
}

type session struct {
	p       *plan.Plan
	ranges  *ranges
	section ir.Section // that runs
	now     [plan.NumStreams]clock
	events  map[int]clock
	control [ir.ControlLen]float64
	closed  bool
}

// Run checks the commands of a section in list order, which is one of the
// orders the streams allow.
func (s *session) Run(ctx context.Context, sec ir.Section) error {
	if s.closed {
		return exec.ErrClosed
	}
	if int(sec) >= len(s.p.Sections) {
		return fmt.Errorf("section %d does not exist", sec)
	}
	s.section = sec
	s.ranges.begin(sec)
	s.now = [plan.NumStreams]clock{}
	s.events = map[int]clock{}
	for i := range s.p.Sections[sec].Commands {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &s.p.Sections[sec].Commands[i]
		if err := s.command(i+1, c); err != nil {
			return fmt.Errorf("%s[%d] %s on stream %s: %w", sec, i, c.Op, c.Stream, err)
		}
	}
	return nil
}

// command checks command number n (from 1) and moves the clock of its stream.
func (s *session) command(n int, c *plan.Command) error {
	now := &s.now[c.Stream]
	switch c.Kind {
	case plan.Record:
		s.events[c.Event] = *now
		return nil
	case plan.Wait:
		now.join(s.events[c.Event])
		return nil
	}
	at := moment{stream: c.Stream, number: n, knows: now}
	for _, b := range c.Args {
		if b < 0 || c.Op == ir.OpCopyOut.String() && b == c.Results[0] || s.begins(b, n-1) {
			continue // absent, or only the place of the result
		}
		if err := s.ranges.read(b, at); err != nil {
			return err
		}
	}
	if c.Work > 0 {
		if err := s.ranges.write(c.Work-1, at); err != nil {
			return err
		}
		s.ranges.spoil(c.Work - 1)
	}
	for _, b := range c.Results {
		if err := s.ranges.write(b, at); err != nil {
			return err
		}
	}
	now[c.Stream] = n
	if c.Op == ir.OpClip.String() {
		s.clip()
	}
	return nil
}

// begins reports whether the value of a buffer begins with the command, so that
// it is stored there and not read.
func (s *session) begins(b, command int) bool {
	from := s.p.Buffers[b].From
	return from > 0 && s.section == ir.Micro && command == from
}

// clip answers as for gradients that are all zero.
func (s *session) clip() {
	if s.control[plan.CtlScale] == 0 {
		s.control[plan.CtlScale] = 1
	}
	exec.Clip(nil, s.control[:], 0)
}

// Write keeps the control buffer and drops everything else.
func (s *session) Write(b int, data any) error {
	if s.closed {
		return exec.ErrClosed
	}
	if err := exec.Check(s.p, b, data, true); err != nil {
		return err
	}
	if !s.p.Buffers[b].Run {
		return fmt.Errorf("buffer %d %q does not live between sections", b, s.p.Buffers[b].Name)
	}
	if d, ok := data.([]float64); ok && b == s.p.Run.Inputs.Control {
		copy(s.control[:], d)
	}
	return nil
}

// Read clears data, or copies the control buffer, if the buffer holds a value.
func (s *session) Read(b int, data any) error {
	if s.closed {
		return exec.ErrClosed
	}
	if err := exec.Check(s.p, b, data, true); err != nil {
		return err
	}
	if err := s.ranges.holds(b); err != nil {
		return err
	}
	switch d := data.(type) {
	case []float32:
		clear(d)
	case []int32:
		clear(d)
	case []float64:
		clear(d)
		if b == s.p.Run.Inputs.Control {
			copy(d, s.control[:])
		}
	}
	return nil
}

// Allocated is what an engine with real memory would report.
func (s *session) Allocated() (n [ir.NumTiers]int64) {
	for t := range n {
		n[t] = s.p.Arenas[t].Bytes
	}
	return n
}

// Close makes the session refuse everything.
func (s *session) Close() error {
	s.closed = true
	return nil
}
