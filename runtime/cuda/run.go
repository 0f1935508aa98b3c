//go:build cuda

package cuda

import (
	"context"
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// together is how many steps one call queues. In between it is asked whether the
// context has ended.
const together = 256

// run queues a section's commands in the order of the list, which is a valid
// order for every stream: an event is recorded before it is waited for. The
// streams join at the end, so they are idle when the next section begins.
func (s *session) run(ctx context.Context, sec ir.Section) error {
	var err error
	if s.observer != nil {
		err = s.observed(ctx, sec)
	} else {
		err = s.queued(ctx, sec)
	}
	if e := s.gpu.synchronize(); e != nil {
		return s.breaks(sec.String(), e)
	}
	if s.broken != nil {
		return s.broken
	}
	if e := s.firstRun(sec); e != nil {
		return s.breaks(sec.String(), e)
	}
	return err
}

// queued launches a section's graph, or queues its steps as fast as the driver
// takes them.
func (s *session) queued(ctx context.Context, sec ir.Section) error {
	if s.graphed(sec) {
		return s.launch(ctx, sec)
	}
	list := s.sections[sec]
	for lo := 0; lo < len(list.array); lo += together {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.queue(sec, lo, min(lo+together, len(list.array))); err != nil {
			return err
		}
	}
	return nil
}

// observed waits for each launch and copy, and tells the observer how long it
// took on the device. Nothing overlaps, so the times of the commands are their own.
func (s *session) observed(ctx context.Context, sec ir.Section) error {
	list, commands := s.sections[sec], s.p.Sections[sec].Commands
	for lo := 0; lo < len(list.array); {
		if err := ctx.Err(); err != nil {
			return err
		}
		i, hi := list.command[lo], lo+1
		for hi < len(list.array) && list.command[hi] == i {
			hi++
		}
		var err error
		if c := &commands[i]; c.Kind == plan.Launch || c.Kind == plan.Copy {
			err = s.timed(sec, i, lo, hi)
		} else {
			err = s.queue(sec, lo, hi)
		}
		if err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// timed runs the steps of a command and tells the observer.
func (s *session) timed(sec ir.Section, i, lo, hi int) error {
	c, start := &s.p.Sections[sec].Commands[i], s.observer.Now()
	if err := s.watch.start(&s.gpu, c.Stream); err != nil {
		return s.breaks(s.command(sec, i), err)
	}
	if err := s.queue(sec, lo, hi); err != nil {
		return err
	}
	nanos, err := s.watch.stop(&s.gpu, c.Stream)
	if err != nil {
		return s.breaks(s.command(sec, i), err)
	}
	s.observing = true
	s.observer.Observe(sec, i, c, start, start+nanos)
	s.observing = false
	return nil
}

// queue gives steps to the driver; an error breaks the session.
func (s *session) queue(sec ir.Section, lo, hi int) error {
	i, err := s.sections[sec].queue(lo, hi)
	if err != nil {
		return s.breaks(s.command(sec, i), err)
	}
	return nil
}

// breaks notes the first error of the device, which is that of all that follows.
func (s *session) breaks(where string, err error) error {
	if s.broken == nil {
		s.broken = &BrokenError{where, err}
	}
	return s.broken
}

// command is a command of a section in words.
func (s *session) command(sec ir.Section, i int) string {
	return fmt.Sprintf("%s[%d] %s", sec, i, s.p.Sections[sec].Commands[i].Op)
}
