//go:build cuda

package cuda

import (
	"context"
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernels "github.com/gradcue/gradcue/kernels/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
)

// Open validates the plan, loads the driver, allocates the arenas on the first
// device and binds the commands. Options.Workers and Options.ISA mean nothing here.
func (e Engine) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	modules, err := kernels.Modules()
	if err != nil {
		return nil, err
	}
	return open(p, o, e, modules, &table)
}

// bindings are what makes launches of ops.
type bindings = [ir.NumOps]func(*operands) []Launch

func open(p *plan.Plan, o exec.Options, e Engine, modules []kernels.Module, t *bindings) (*session, error) {
	if err := plan.Validate(p); err != nil {
		return nil, err
	}
	if p.Target != Target && p.Target != BaseTarget {
		return nil, fmt.Errorf("plan is for target %s, this engine runs %s and %s: compile the spec with --engine cuda", p.Target, Target, BaseTarget)
	}
	if products := p.Run.Precision.Products; p.Target == BaseTarget && tensorStorage[products] != "" {
		return nil, fmt.Errorf("plan is for target %s, but its products are %s, which tensor cores from %s on make: compile the spec with precision.products f32", p.Target, products, Target)
	}
	if err := bind(e.Library); err != nil {
		return nil, err
	}
	s := &session{p: p, table: t, functions: newFunctions(modules), thread: newThread(), observer: o.Observer, split: e.Split, noGraphs: e.NoGraphs}
	if err := s.thread.do(func() error { return s.start(e, o) }); err != nil {
		_ = s.end() // what is given back after an error may fail for the same reason
		return nil, withAdvice(err)
	}
	return s, nil
}

// session is an open plan. Everything of the driver happens on its thread.
type session struct {
	p         *plan.Plan
	table     *bindings
	observer  exec.Observer
	split     bool
	noGraphs  bool
	watch     stopwatch
	observing bool // the observer is being told of a command, on the thread
	thread    *thread
	functions *functions
	gpu       gpu
	at        []uint64 // device address of each buffer, 0 on the host
	sections  [ir.NumSections]*steps
	graphs    [ir.NumSections]graph
	memory    ledger
	chosen
	broken error // the device failed: nothing works any more
	closed bool
}

// start gets memory, streams and events, and binds the sections.
func (s *session) start(e Engine, o exec.Options) error {
	if err := s.gpu.open(arch(s.p.Target)); err != nil {
		return err
	}
	if err := s.memory.begin(); err != nil {
		return err
	}
	events := 0
	for i := range s.p.Sections {
		for j := range s.p.Sections[i].Commands {
			events = max(events, s.p.Sections[i].Commands[j].Event+1)
		}
	}
	if err := s.gpu.prepare(events, s.p.Arenas[ir.Host].Bytes); err != nil {
		return err
	}
	if err := s.choose(e, o); err != nil {
		return err
	}
	if err := s.place(); err != nil {
		return err
	}
	for i := range s.p.Sections {
		var list []step
		for j := range s.p.Sections[i].Commands {
			c := &s.p.Sections[i].Commands[j]
			more, err := s.bind(j, c)
			if err != nil {
				return fmt.Errorf("%s[%d] %s: %w", ir.Section(i), j, c.Op, err)
			}
			list = append(list, more...)
		}
		s.sections[i] = fix(list)
	}
	return s.memory.look(s.gpu.device, "open")
}

// arch is the number of a target cuda:sm_<arch>.
func arch(target string) (n int) {
	_, digits, _ := strings.Cut(target, "sm_")
	for _, d := range digits {
		if d < '0' || d > '9' {
			break // sm_90a
		}
		n = 10*n + int(d-'0')
	}
	return n
}

// place gives each device buffer its address: in one arena, or, split, in an
// allocation of its own. Buffers of a staging region stay in their region.
func (s *session) place() error {
	s.at = make([]uint64, len(s.p.Buffers))
	if !s.split {
		base, err := s.gpu.allocate(s.p.Arenas[ir.Device].Bytes)
		for b := range s.p.Buffers {
			if !s.onHost(b) {
				s.at[b] = base + uint64(s.p.Buffers[b].Offset)
			}
		}
		return err
	}
	for b := range s.p.Buffers {
		if u := &s.p.Buffers[b]; u.In == 0 && !s.onHost(b) {
			var err error
			if s.at[b], err = s.gpu.allocate(u.Bytes); err != nil {
				return err
			}
		}
	}
	for b := range s.p.Buffers {
		if u := &s.p.Buffers[b]; u.In > 0 && !s.onHost(b) {
			s.at[b] = s.at[u.In-1] + uint64(u.Offset-s.p.Buffers[u.In-1].Offset)
		}
	}
	return nil
}

func (s *session) onHost(b int) bool { return s.p.Buffers[b].Tier == ir.Host.String() }

// address is the device address of a buffer.
func (s *session) address(b int) uint64 { return s.at[b] }

// hostBytes is the pinned memory of a host buffer.
func (s *session) hostBytes(b int) []byte {
	u := &s.p.Buffers[b]
	return s.gpu.host[u.Offset : u.Offset+u.Bytes : u.Offset+u.Bytes]
}

// Write stores data in a buffer (exec.Session).
func (s *session) Write(b int, data any) error {
	return s.transfer(b, data, func(u *plan.Buffer) error {
		fill := func(piece []byte, from int64) { encode(piece, data, from, u.DType) }
		if s.onHost(b) {
			fill(s.hostBytes(b), 0)
			return nil
		}
		return s.gpu.store(s.at[b], u.Bytes, fill)
	})
}

// Read copies a buffer into data (exec.Session).
func (s *session) Read(b int, data any) error {
	return s.transfer(b, data, func(u *plan.Buffer) error {
		take := func(piece []byte, from int64) { decode(data, piece, from, u.DType) }
		if s.onHost(b) {
			take(s.hostBytes(b), 0)
			return nil
		}
		return s.gpu.load(s.at[b], u.Bytes, take)
	})
}

// transfer checks a Write or Read and makes it on the thread.
func (s *session) transfer(b int, data any, f func(*plan.Buffer) error) error {
	if s.closed {
		return exec.ErrClosed
	}
	if err := exec.Check(s.p, b, data, false); err != nil {
		return err
	}
	if s.broken != nil {
		return s.broken
	}
	u := &s.p.Buffers[b]
	do := s.thread.do
	if s.observing { // an observer may look at buffers
		do = func(f func() error) error { return f() }
	}
	if err := do(func() error { return f(u) }); err != nil {
		return s.breaks(fmt.Sprintf("buffer %d %q", b, u.Name), err)
	}
	return nil
}

// Run runs a section on the session's streams and waits for all of them.
func (s *session) Run(ctx context.Context, sec ir.Section) error {
	if s.closed {
		return exec.ErrClosed
	}
	if int(sec) >= len(s.p.Sections) {
		return fmt.Errorf("section %d does not exist", sec)
	}
	if s.broken != nil {
		return s.broken
	}
	return s.thread.do(func() error { return s.run(ctx, sec) })
}

// Allocated is the bytes of the arenas. With Split, which is for finding mistakes
// and takes more, it is what the plan says.
func (s *session) Allocated() (n [ir.NumTiers]int64) {
	n[ir.Device], n[ir.Host] = s.gpu.device, int64(len(s.gpu.host))
	if s.split {
		n[ir.Device] = s.p.Arenas[ir.Device].Bytes
	}
	return n
}

// Close gives everything back and ends the thread. After an error of the device
// nothing can be given back but to the system, which happens when the process ends.
func (s *session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.end()
	if s.broken != nil {
		return nil
	}
	return err
}

func (s *session) end() error {
	defer s.thread.end()
	return s.thread.do(func() error {
		errs := []error{s.gpu.synchronize()}
		for i := range s.sections {
			errs = append(errs, s.graphs[i].free())
			s.sections[i].free()
		}
		return first(append(errs, s.release(), s.functions.unload(), s.gpu.close()))
	})
}
