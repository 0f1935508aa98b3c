package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// Engine runs plans for the target cpu.
type Engine struct{}

// Name is "cpu".
func (Engine) Name() string { return "cpu" }

// Open validates the plan, allocates its arenas and starts the pool.
// Options.Workers may be at most the plan's; 0 takes GOMAXPROCS, if that is less.
func (Engine) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	if err := plan.Validate(p); err != nil {
		return nil, err
	}
	if p.Target != "cpu" {
		return nil, fmt.Errorf("plan is for target %s, this engine runs cpu: compile the spec for cpu", p.Target)
	}
	workers := o.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), p.Workers)
	}
	if workers < 1 || workers > p.Workers {
		return nil, fmt.Errorf("%d workers: the plan has scratch space for 1 to %d; compile it for more", workers, p.Workers)
	}
	s := &session{p: p}
	if err := s.allocate(); err != nil {
		return nil, errors.Join(err, s.free())
	}
	s.pool = newPool(workers)
	if err := s.bind(); err != nil {
		s.pool.close()
		return nil, errors.Join(err, s.free())
	}
	s.walker = exec.NewWalker(p, s, o.Observer)
	return s, nil
}

type session struct {
	p      *plan.Plan
	arenas [ir.NumTiers][]byte
	pool   *pool
	launch [ir.NumSections][]func()
	walker *exec.Walker
	closed bool
}

func (s *session) allocate() error {
	for t := range s.arenas {
		n := s.p.Arenas[t].Bytes
		mem, err := allocate(n)
		if err != nil {
			return fmt.Errorf("allocate %d bytes for the %s arena: %w", n, ir.Tier(t), err)
		}
		s.arenas[t] = mem
	}
	return nil
}

func (s *session) free() error {
	var errs []error
	for t := range s.arenas {
		errs = append(errs, release(s.arenas[t]))
		s.arenas[t] = nil
	}
	return errors.Join(errs...)
}

// bind makes a closure of each launch.
func (s *session) bind() error {
	for i := range s.p.Sections {
		commands := s.p.Sections[i].Commands
		s.launch[i] = make([]func(), len(commands))
		for j := range commands {
			c := &commands[j]
			if c.Kind != plan.Launch {
				continue
			}
			o, err := exec.NewOperands(s.p, c, s)
			if err != nil {
				return err
			}
			have, n := 4*int64(len(o.Work())), s.pool.Workers()
			if want := need(s.p, o, c, n); have < want {
				return fmt.Errorf("%s[%d] %s: the plan has %d bytes of scratch space, %d workers need %d",
					ir.Section(i), j, c.Op, have, n, want)
			}
			s.launch[i][j] = table[o.Op](o, s.pool)
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
	copy(s.bytes(c.Results[0]), s.bytes(c.Args[0]))
	return nil
}

// Run runs a section on the session's streams.
func (s *session) Run(ctx context.Context, sec ir.Section) error { return s.walker.Run(ctx, sec) }

// Allocated is the length of the arenas.
func (s *session) Allocated() (n [ir.NumTiers]int64) {
	for t := range s.arenas {
		n[t] = int64(len(s.arenas[t]))
	}
	return n
}

// Close ends the goroutines and frees the memory.
func (s *session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.walker.Close()
	s.pool.close()
	return s.free()
}
