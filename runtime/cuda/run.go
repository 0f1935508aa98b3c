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
	if e := s.gpu.synchronize(); e != nil && s.broken == nil {
		s.broken = fmt.Errorf("%s: %w", sec, e)
	}
	if s.broken != nil {
		return s.broken
	}
	return err
}

// queued queues a section as fast as the driver takes it.
func (s *session) queued(ctx context.Context, sec ir.Section) error {
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
// took. Nothing overlaps, so the times of the commands are their own.
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
		start := s.observer.Now()
		if err := s.queue(sec, lo, hi); err != nil {
			return err
		}
		if c := &commands[i]; c.Kind == plan.Launch || c.Kind == plan.Copy {
			if err := s.gpu.synchronize(); err != nil {
				s.broken = fmt.Errorf("%s[%d] %s: %w", sec, i, c.Op, err)
				return s.broken
			}
			s.observer.Observe(sec, i, c, start, s.observer.Now())
		}
		lo = hi
	}
	return nil
}

// queue gives steps to the driver; an error breaks the session.
func (s *session) queue(sec ir.Section, lo, hi int) error {
	i, err := s.sections[sec].queue(lo, hi)
	if err != nil {
		s.broken = fmt.Errorf("%s[%d] %s: %w", sec, i, s.p.Sections[sec].Commands[i].Op, err)
	}
	return s.broken
}
