package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
)

// Engine runs plans for the target cpu.
type Engine struct{}

// Name is "cpu".
func (Engine) Name() string { return "cpu" }

// Open validates the plan, allocates its arenas and starts the pool.
// Options.Workers may be at most the plan's; 0 takes GOMAXPROCS, if that is less.
// Options.ISA "" takes the fastest instruction set that the machine has: the
// widest, but pairs of bf16 only where a loop on registers is faster with them.
// That changes no bit.
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
	isa, err := chooseISA(o.ISA)
	if err != nil {
		return nil, err
	}
	if o.ISA == "" && isa == kernel.AVX512BF16 && (p.Run.Precision.Compute != ir.BF16.String() || !pairsPay()) {
		isa = kernel.AVX512
	}
	s := &session{p: p}
	if err := s.open(workers, isa); err != nil {
		return nil, errors.Join(err, s.free())
	}
	s.walker = exec.NewWalker(p, s, o.Observer)
	return s, nil
}

// chooseISA finds an instruction set by its name and wants the machine to have it.
func chooseISA(name string) (kernel.ISA, error) {
	have := kernel.Detect()
	if name == "" {
		return have, nil
	}
	isa, err := kernel.ParseISA(name)
	if err == nil && isa > have {
		err = fmt.Errorf("instruction set %s: this machine has %s", name, have)
	}
	return isa, err
}

type session struct {
	p      *plan.Plan
	arenas [ir.NumTiers]arena
	pool   *pool
	launch [ir.NumSections][]func()
	walker *exec.Walker
	closed bool
}

// open gets memory and workers, and binds the commands to them.
func (s *session) open(workers int, isa kernel.ISA) (err error) {
	for t := range s.arenas {
		n := s.p.Arenas[t].Bytes
		if s.arenas[t], err = allocate(n); err != nil {
			return fmt.Errorf("allocate %d bytes for the %s arena: %w", n, ir.Tier(t), err)
		}
	}
	if s.pool, err = newPool(workers, isa); err != nil {
		return err
	}
	for t := range s.arenas {
		s.pool.touch(s.arenas[t].mem)
	}
	return s.bind()
}

// free ends the workers and gives the memory back.
func (s *session) free() error {
	var err error
	if s.pool != nil {
		err = s.pool.close()
	}
	return errors.Join(err, release(s.arenas[:]...))
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
			o, wide, err := s.operands(c)
			if err != nil {
				return err
			}
			have, n := 4*int64(len(o.Work())), s.pool.Workers()
			if want := need(s.p, o, c, n); have < want {
				return fmt.Errorf("%s[%d] %s: the plan has %d bytes of scratch space, %d workers need %d",
					ir.Section(i), j, c.Op, have, n, want)
			}
			s.launch[i][j] = table[o.Op](o, s.pool)
			if wide != nil {
				s.launch[i][j] = wide.around(s.pool, s.launch[i][j])
			}
		}
	}
	return nil
}

// operands looks at a command's memory, through float32 copies where it is stored in 16 bits.
func (s *session) operands(c *plan.Command) (*operands, *widened, error) {
	o, err := newOperands(s, c, s)
	if err != nil {
		return nil, nil, err
	}
	wide := s.widen(c, o.Op, o.Attr)
	if wide != nil {
		o, err = newOperands(s, c, wide)
	}
	return o, wide, err
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

// Run runs a section on the session's streams. Until it returns, the caller has
// an operating-system thread of its own in the floating-point mode of the workers.
func (s *session) Run(ctx context.Context, sec ir.Section) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer kernel.FlushDenormals()()
	return s.walker.Run(ctx, sec)
}

// ISA names the instruction set of the kernels.
func (s *session) ISA() string { return s.pool.isa.String() }

// Allocated is the length of the arenas.
func (s *session) Allocated() (n [ir.NumTiers]int64) {
	for t := range s.arenas {
		n[t] = int64(len(s.arenas[t].mem))
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
	return s.free()
}
