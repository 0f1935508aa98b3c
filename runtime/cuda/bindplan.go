//go:build cuda

package cuda

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/plan"
)

// bind makes the steps of command i of a section.
func (s *session) bind(i int, c *plan.Command) (list []step, err error) {
	switch c.Kind {
	case plan.Launch:
		list, err = s.bindLaunch(c)
	case plan.Copy:
		list, err = s.bindCopy(c)
	case plan.Record:
		list = []step{s.gpu.recordStep(c.Stream, c.Event)}
	case plan.Wait:
		list = []step{s.gpu.waitStep(c.Stream, c.Event)}
	default:
		err = fmt.Errorf("command of kind %q", c.Kind)
	}
	for k := range list {
		list[k].command = i
	}
	return list, err
}

// bindLaunch makes a step of each kernel launch of an op.
func (s *session) bindLaunch(c *plan.Command) (list []step, err error) {
	for _, b := range append(append([]int{c.Work - 1}, c.Args...), c.Results...) {
		if b >= 0 && s.onHost(b) {
			return nil, fmt.Errorf("operand %s is in host memory", s.p.Buffers[b].Name)
		}
	}
	o, err := newOperands(s.p, c, s.address)
	if err != nil {
		return nil, err
	}
	if s.table[o.op] == nil {
		return nil, fmt.Errorf("the engine cuda has no kernel for it")
	}
	for _, l := range s.table[o.op](o) {
		if more, ok, err := s.bindProduct(c.Stream, &l); err != nil {
			return nil, err
		} else if ok {
			list = append(list, more...)
			continue
		}
		f, err := s.functions.find(&l)
		if err != nil {
			return nil, err
		}
		list = append(list, s.gpu.launchStep(c.Stream, f, &l))
	}
	return list, nil
}

// bindCopy makes the step of a copy, whose kind follows from the tiers.
func (s *session) bindCopy(c *plan.Command) ([]step, error) {
	from, to := c.Args[0], c.Results[0]
	switch {
	case s.onHost(from) && s.onHost(to):
		return nil, fmt.Errorf("a copy from host to host")
	case s.onHost(to):
		return []step{s.gpu.outStep(c.Stream, s.hostBytes(to), s.address(from))}, nil
	case s.onHost(from):
		return []step{s.gpu.inStep(c.Stream, s.address(to), s.hostBytes(from))}, nil
	}
	return []step{s.gpu.moveStep(c.Stream, s.address(to), s.address(from), s.p.Buffers[from].Bytes)}, nil
}
