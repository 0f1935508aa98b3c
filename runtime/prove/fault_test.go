package prove_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/ref"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/prove"
	"github.com/gradcue/gradcue/spec/shape"
)

// broken is the engine cpu with one fault in it.
type broken struct {
	cpu.Engine
	plan  func(p *plan.Plan)                               // before it is opened
	write func(s *session, buffer int, data any) any       // what is stored instead
	run   func(s *session, sec ir.Section) (leaveOut bool) // before a section
	read  func(s *session, buffer int, data any)           // after a read
	after func(s *session, c *plan.Command)                // after a command
	bytes int64                                            // allocated beside the plan
}

// session is an open session of a broken engine.
type session struct {
	exec.Session
	e     *broken
	p     *plan.Plan
	next  exec.Observer
	mu    sync.Mutex
	micro int             // micro sections since the last update
	made  int             // updates
	old   map[int][]int32 // bits by buffer, for faults that remember
}

// Open opens a changed copy of the plan, with the fault as its observer.
func (e *broken) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	q := *p
	if e.plan != nil {
		q.Sections = append([]plan.Section(nil), p.Sections...)
		for i := range q.Sections {
			q.Sections[i].Commands = append([]plan.Command(nil), p.Sections[i].Commands...)
		}
		e.plan(&q)
		if err := plan.Seal(&q); err != nil {
			return nil, err
		}
	}
	s := &session{e: e, p: &q, next: o.Observer, old: map[int][]int32{}}
	if e.after != nil {
		o.Observer = s
	}
	var err error
	s.Session, err = e.Engine.Open(&q, o)
	return s, err
}

// Now is the clock of the observer.
func (s *session) Now() int64 { return 0 }

// Observe spoils what a command left, before anybody else sees it.
func (s *session) Observe(sec ir.Section, i int, c *plan.Command, start, end int64) {
	s.mu.Lock()
	s.e.after(s, c)
	s.mu.Unlock()
	if s.next != nil {
		s.next.Observe(sec, i, c, start, end)
	}
}

func (s *session) Write(buffer int, data any) error {
	if s.e.write != nil {
		data = s.e.write(s, buffer, data)
	}
	return s.Session.Write(buffer, data)
}

func (s *session) Read(buffer int, data any) error {
	err := s.Session.Read(buffer, data)
	if s.e.read != nil {
		s.e.read(s, buffer, data)
	}
	return err
}

func (s *session) Run(ctx context.Context, sec ir.Section) error {
	leave := s.e.run != nil && s.e.run(s, sec)
	if s.micro++; sec == ir.Update {
		s.micro = 0
		s.made++
	}
	if leave {
		return nil
	}
	return s.Session.Run(ctx, sec)
}

func (s *session) Allocated() [ir.NumTiers]int64 {
	n := s.Session.Allocated()
	n[ir.Device] += s.e.bytes
	return n
}

// floats reads a buffer, keep writes it.
func (s *session) floats(b int) []float32 {
	n := 1
	for _, d := range s.p.Buffers[b].Shape {
		n *= d
	}
	x := make([]float32, n)
	if err := s.Session.Read(b, x); err != nil {
		panic(err)
	}
	return x
}

func (s *session) keep(b int, x any) {
	if err := s.Session.Write(b, x); err != nil {
		panic(err)
	}
}

// control changes the control buffer on its way to the engine.
func control(change func(s *session, c []float64)) func(*session, int, any) any {
	return func(s *session, buffer int, data any) any {
		if buffer != s.p.Run.Inputs.Control {
			return data
		}
		c := append([]float64(nil), data.([]float64)...)
		change(s, c)
		return c
	}
}

// decided changes the control buffer behind clip.
func decided(change func(s *session, c []float64)) func(*session, *plan.Command) {
	return func(s *session, c *plan.Command) {
		if c.Op != ir.OpClip.String() {
			return
		}
		ctl := make([]float64, ir.ControlLen)
		if err := s.Session.Read(s.p.Run.Inputs.Control, ctl); err != nil {
			panic(err)
		}
		change(s, ctl)
		s.keep(s.p.Run.Inputs.Control, ctl)
	}
}

// lo changes the first visible keys.
func lo(change func(t, lo int32) int32) func(*session, int, any) any {
	return func(s *session, buffer int, data any) any {
		if buffer != s.p.Run.Inputs.Lo {
			return data
		}
		x := append([]int32(nil), data.([]int32)...)
		for r := range x {
			x[r] = change(int32(r%s.p.Run.Window.SeqLen), x[r])
		}
		return x
	}
}

// oneHead leaves in dK and dV of a group what its last query head gives.
func oneHead(s *session, c *plan.Command) {
	if c.Op != ir.OpAttentionGrad.String() {
		return
	}
	a := c.Attr
	H, G, D := a.Heads, a.KVHeads, a.HeadDim
	wide := func(b int) []float64 {
		x := s.floats(b)
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = float64(v)
		}
		return y
	}
	datt, qkv, att, lse := wide(c.Args[0]), wide(c.Args[1]), wide(c.Args[2]), wide(c.Args[3])
	var first []int32
	if c.Args[4] >= 0 {
		first = make([]int32, len(lse)/H)
		if err := s.Session.Read(c.Args[4], first); err != nil {
			panic(err)
		}
	}
	for i := range datt {
		if h := i / D % H; (h+1)%(H/G) != 0 {
			datt[i] = 0
		}
	}
	R, row := len(lse)/H, (H+2*G)*D
	part := make([]float64, len(qkv))
	kernel.AttentionGrad(part, datt, qkv, att, lse, first, R/a.SeqLen, a.SeqLen, H, G, D, a.Scale)
	dqkv := s.floats(c.Results[0])
	for i := range dqkv {
		if i%row >= H*D {
			dqkv[i] = float32(part[i])
		}
	}
	s.keep(c.Results[0], dqkv)
}

func dropout(x *shape.Experiment) { x.Dropout.Rate = 0.2 }

// groups is a model of the llama family with two query heads a key head.
var groups = experiments[3].change

// faults are engines that are wrong in one way, with the proofs that must say so.
var faults = []struct {
	name   string
	proofs string
	change func(x *shape.Experiment)
	engine broken
}{
	{"a micro-batch is lost", "linear split", nil, broken{run: func(s *session, sec ir.Section) bool { return sec == ir.Micro && s.micro == 1 }}},
	{"1/N is applied twice", "linear differences", nil, broken{write: control(func(s *session, c []float64) { c[plan.CtlC] *= c[plan.CtlC] / max(1, c[plan.CtlScale]) })}},
	{"1/N is not applied", "linear differences", nil, broken{write: control(func(_ *session, c []float64) {
		if c[plan.CtlC] != 0 {
			c[plan.CtlC] = c[plan.CtlScale]
		}
	})}},
	{"accumulation overwrites", "linear split differences", nil, broken{write: control(func(_ *session, c []float64) { c[plan.CtlAcc] = 0 })}},
	{"gradients are never cleared", "linear ledger", nil, broken{write: control(func(_ *session, c []float64) { c[plan.CtlAcc] = 1 })}},
	{"clips before s is removed", "ledger", nil, broken{after: decided(func(s *session, c []float64) {
		limit := s.p.Run.Optimizer.ClipNorm
		if scaled := c[plan.CtlNorm] * c[plan.CtlScale]; scaled > limit {
			c[plan.CtlClip] = limit / scaled
			c[plan.CtlGScale] = c[plan.CtlClip] / c[plan.CtlScale]
		}
	})}},
	{"s is removed twice", "ledger", nil, broken{after: decided(func(_ *session, c []float64) { c[plan.CtlGScale] /= c[plan.CtlScale] })}},
	{"a bad gradient is applied", "ledger", nil, broken{after: decided(func(_ *session, c []float64) { c[plan.CtlApply] = 1 })}},
	{"the schedule ticks on a skip", "ledger", nil, broken{read: func(s *session, buffer int, data any) {
		if c, ok := data.([]float64); ok && buffer == s.p.Run.Inputs.Control && c[plan.CtlFinite] == 0 {
			c[plan.CtlApply] = 1
		}
	}}},
	{"a group's sum is missing in the backward of attention", "visible differences", groups, broken{after: oneHead}},
	{"the mask is one key too wide", "visible causal", nil, broken{write: lo(func(_, lo int32) int32 { return max(0, lo-1) })}},
	{"the mask is one key too narrow", "visible", nil, broken{write: lo(func(t, lo int32) int32 { return min(lo+1, t+1) })}},
	{"the next token leaks", "causal", nil, broken{after: func(s *session, c *plan.Command) {
		if c.Op != ir.OpEmbed.String() {
			return
		}
		x, shape := s.floats(c.Results[0]), s.p.Buffers[c.Results[0]].Shape
		for i := range x[:len(x)-shape[1]] {
			x[i] += x[i+shape[1]] / 64
		}
		s.keep(c.Results[0], x)
	}}},
	{"a copy back arrives late", "border placements", nil, broken{after: stale}},
	{"recomputing draws other numbers", "placements", dropout, broken{plan: func(p *plan.Plan) {
		for i := range p.Sections[ir.Micro].Commands {
			c := &p.Sections[ir.Micro].Commands[i]
			if c.Op == ir.OpDropout.String() && c.Phase == ir.Recompute.String() {
				a := *c.Attr
				a.Seed++
				c.Attr = &a
			}
		}
	}}},
	{"dead bytes are read", "border", nil, broken{after: func(s *session, c *plan.Command) {
		if c.Op != ir.OpAdd.String() {
			return
		}
		// What stood in a result before is still in its last element.
		x := s.floats(c.Results[0])
		if old, ok := s.old[-1]; ok && len(old) == 1 {
			x[len(x)-1] += 0 * math.Float32frombits(uint32(old[0]))
		}
		s.keep(c.Results[0], x)
	}, run: func(s *session, _ ir.Section) bool {
		for i := range s.p.Buffers {
			if u := &s.p.Buffers[i]; !u.Run && u.DType == "f32" {
				s.old[-1] = []int32{int32(math.Float32bits(s.floats(i)[0]))}
				break
			}
		}
		return false
	}}},
	{"a tensor gets no gradient", "reach differences", nil, broken{after: func(s *session, c *plan.Command) {
		if c.Op == ir.OpLinearDB.String() && c.Layer == 2 {
			s.keep(c.Results[0], make([]float32, len(s.floats(c.Results[0]))))
		}
	}}},
	{"padding is trained", "padding", nil, broken{write: func(s *session, buffer int, data any) any {
		switch in := &s.p.Run.Inputs; buffer {
		case in.Weight:
			w := append([]float32(nil), data.([]float32)...)
			w[len(w)-1] = 1
			return w
		case in.Targets:
			x := append([]int32(nil), data.([]int32)...)
			x[len(x)-1] = max(0, x[len(x)-1])
			return x
		}
		return data
	}}},
	{"something is not saved", "resume", nil, broken{write: control(func(s *session, c []float64) { c[plan.CtlLR] *= 1 + float64(s.made)/64 })}},
	{"memory beside the plan", "peak", nil, broken{bytes: 256}},
}

// stale gives a staged moment the bytes of the copy before it.
func stale(s *session, c *plan.Command) {
	if c.Op != ir.OpCopyIn.String() {
		return
	}
	x := s.floats(c.Results[0])
	bits := make([]int32, len(x))
	for i, v := range x {
		bits[i] = int32(math.Float32bits(v))
	}
	last := s.old[len(x)]
	s.old[len(x)] = bits
	if len(last) != len(x) {
		return
	}
	for i, v := range last {
		x[i] = math.Float32frombits(uint32(v))
	}
	s.keep(c.Results[0], x)
}

// TestFaultsAreFound: each broken engine fails the proofs that are named for it.
// That the engine as it is passes them shows TestProofsHold, on these experiments.
func TestFaultsAreFound(t *testing.T) {
	for i := range faults {
		f := &faults[i]
		t.Run(f.name, func(t *testing.T) {
			named := strings.Fields(f.proofs)
			rep := newBed(t, f.change).prove(t, prove.Options{Engine: &f.engine, Only: named})
			for _, v := range rep.Verdicts {
				if v.Status != prove.Failed || len(v.Details) == 0 {
					t.Errorf("%s is %s: %s", v.ID, v.Status, v.Summary())
					continue
				}
				t.Logf("%s: %s", v.ID, v.Details[0])
			}
		})
	}
}
