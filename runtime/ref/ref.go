package ref

import (
	"context"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// Engine runs any valid plan in float64.
type Engine struct{}

// Name is "ref".
func (Engine) Name() string { return "ref" }

// Open allocates one slice per buffer. Options.Workers has no meaning here.
func (Engine) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	if err := plan.Validate(p); err != nil {
		return nil, err
	}
	s := &session{p: p, mem: newMemory(p)}
	if err := s.bind(); err != nil {
		return nil, err
	}
	s.walker = exec.NewWalker(p, s, o.Observer)
	return s, nil
}

type session struct {
	p      *plan.Plan
	mem    *memory
	launch [ir.NumSections][]func()
	walker *exec.Walker
}

// bind makes a closure of each launch.
func (s *session) bind() error {
	for i := range s.p.Sections {
		commands := s.p.Sections[i].Commands
		s.launch[i] = make([]func(), len(commands))
		for j := range commands {
			if commands[j].Kind != plan.Launch {
				continue
			}
			o, err := exec.NewOperands(s.p, &commands[j], s.mem)
			if err != nil {
				return err
			}
			s.launch[i][j] = s.rounded(&commands[j], table[o.Op](o))
		}
	}
	return nil
}

// Launch runs the kernel of a command.
func (s *session) Launch(sec ir.Section, i int, _ *plan.Command) error {
	s.launch[sec][i]()
	return nil
}

// Copy copies one buffer to another.
func (s *session) Copy(_ ir.Section, _ int, c *plan.Command) error {
	s.mem.copy(c.Results[0], c.Args[0])
	return nil
}

// Run runs a section on the session's streams.
func (s *session) Run(ctx context.Context, sec ir.Section) error { return s.walker.Run(ctx, sec) }

// Write stores data in a buffer (exec.Session).
func (s *session) Write(b int, data any) error {
	if s.mem == nil {
		return exec.ErrClosed
	}
	if err := exec.Check(s.p, b, data, true); err != nil {
		return err
	}
	switch d := data.(type) {
	case []int32:
		copy(s.mem.ints[b], d)
	case []float64:
		copy(s.mem.floats[b], d)
	case []float32:
		for i, v := range d {
			s.mem.floats[b][i] = float64(v)
		}
	}
	if round := rounderOf(s.p.Buffers[b].DType); round != nil {
		round(s.mem.floats[b])
	}
	return nil
}

// Read copies a buffer into data (exec.Session).
func (s *session) Read(b int, data any) error {
	if s.mem == nil {
		return exec.ErrClosed
	}
	if err := exec.Check(s.p, b, data, true); err != nil {
		return err
	}
	switch d := data.(type) {
	case []int32:
		copy(d, s.mem.ints[b])
	case []float64:
		copy(d, s.mem.floats[b])
	case []float32:
		for i, v := range s.mem.floats[b] {
			d[i] = float32(v)
		}
	}
	return nil
}

// Allocated counts 8 bytes for each element that the plan stores as a float.
func (s *session) Allocated() (n [ir.NumTiers]int64) {
	if s.mem == nil {
		return n
	}
	for i := range s.p.Buffers {
		t, _ := ir.ParseTier(s.p.Buffers[i].Tier) // checked by Open
		n[t] += int64(len(s.mem.floats[i]))*8 + int64(len(s.mem.ints[i]))*4
	}
	return n
}

// Close ends the goroutines and frees the memory.
func (s *session) Close() error {
	s.walker.Close()
	s.mem = nil
	return nil
}
