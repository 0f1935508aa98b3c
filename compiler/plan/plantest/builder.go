package plantest

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Builder collects the buffers and commands of a plan.
type Builder struct {
	p       plan.Plan
	section ir.Section
	events  [ir.NumSections]int
	at      []int64 // by buffer: place inside its region
}

// New starts a plan for the cpu target with a window of K micro-batches of B
// sequences of T positions; no input is declared.
func New(workers, k, b, t int) *Builder {
	n := &Builder{p: plan.Plan{Version: plan.Version, Name: "test", Target: "cpu", Workers: workers}}
	for s := range ir.NumSections {
		n.p.Sections = append(n.p.Sections, plan.Section{Name: s.String()})
	}
	n.p.Run.Window = plan.Window{MicroBatches: k, BatchSize: b, SeqLen: t, Last: "carry", Empty: "skip"}
	n.p.Run.Inputs = plan.Inputs{Control: -1, IDs: -1, Targets: -1, Weight: -1, Lo: -1, Positions: -1, Row: -1,
		RowIDs: -1, TokenLoss: -1, EvalLoss: -1, Last: -1, Logits: -1}
	return n
}

// Run is the part of the plan that is not buffers and commands, to be filled in.
func (n *Builder) Run() *plan.Run { return &n.p.Run }

// In makes s the section that commands are added to.
func (n *Builder) In(s ir.Section) { n.section = s }

// Keep adds a persistent buffer and returns its index.
func (n *Builder) Keep(name string, class ir.Class, t ir.Type) int {
	i := n.buffer(name, class, ir.Device, t)
	n.p.Buffers[i].Run = true
	return i
}

// Temp adds a buffer that lives from its first to its last use in one section.
func (n *Builder) Temp(name string, class ir.Class, tier ir.Tier, t ir.Type) int {
	return n.buffer(name, class, tier, t)
}

// Slot adds a value inside a region, at a distance from the region's start.
func (n *Builder) Slot(region int, at int64, name string, t ir.Type) int {
	i := n.buffer(name, ir.Activation, ir.Device, t)
	n.p.Buffers[i].In, n.at[i] = region+1, at
	return i
}

func (n *Builder) buffer(name string, class ir.Class, tier ir.Tier, t ir.Type) int {
	n.p.Buffers = append(n.p.Buffers, plan.Buffer{Name: name, Class: class.String(), Tier: tier.String(),
		DType: t.DType.String(), Shape: t.Shape, Bytes: t.Bytes(), First: -1})
	n.at = append(n.at, 0)
	return len(n.p.Buffers) - 1
}

// Type is the type of a buffer.
func (n *Builder) Type(i int) ir.Type {
	if i < 0 {
		return ir.Type{}
	}
	d, err := ir.ParseDType(n.p.Buffers[i].DType)
	if err != nil {
		panic(err)
	}
	return ir.Type{DType: d, Shape: n.p.Buffers[i].Shape}
}

// Do launches an op; results that are not stored over an argument get buffers
// of their own, named after the results. Buffers of results are returned.
func (n *Builder) Do(op ir.Op, attr ir.Attr, args ...int) []int {
	return n.Into(op, attr, args, make([]int, len(op.Info().Results)))
}

// Into launches an op with given buffers for its results; 0 asks for a new one.
func (n *Builder) Into(op ir.Op, attr ir.Attr, args, results []int) []int {
	types := make([]ir.Type, len(args))
	for i, a := range args {
		types[i] = n.Type(a)
	}
	out, err := op.Infer(attr, types)
	if err != nil {
		panic(fmt.Sprintf("plantest: %s: %v", op, err))
	}
	for i := range results {
		if over := op.Over(i); over >= 0 {
			results[i] = args[over]
		} else if results[i] == 0 {
			results[i] = n.Temp(op.Info().Results[i].Name, ir.Activation, ir.Device, out[i])
		}
	}
	m := plan.Command{Kind: plan.Launch, Op: op.String(), Args: args, Results: results, Phase: ir.Forward.String()}
	if attr != (ir.Attr{}) {
		m.Attr = &attr
	}
	if w := op.Workspace(attr, types, n.p.Workers); w > 0 {
		m.Work = n.Temp("scratch", ir.Workspace, ir.Device, ir.Of(ir.F32, int((w+3)/4))) + 1
	}
	n.add(m)
	return results
}

// Copy moves a buffer with one of the copy ops, on the stream of that op.
func (n *Builder) Copy(op ir.Op, from, to int) {
	m := plan.Command{Kind: plan.Copy, Op: op.String(), Args: []int{from}, Results: []int{to}, Phase: ir.Transfer.String()}
	switch op {
	case ir.OpCopyOut:
		m.Args, m.Stream = []int{from, to}, plan.Out
	case ir.OpCopyIn:
		m.Stream = plan.In
	}
	n.add(m)
}

// Record records a new event of the section on a stream.
func (n *Builder) Record(s plan.Stream) int {
	e := n.events[n.section]
	n.events[n.section]++
	n.add(plan.Command{Kind: plan.Record, Stream: s, Event: e, Phase: ir.Transfer.String()})
	return e
}

// Wait lets a stream wait for an event.
func (n *Builder) Wait(s plan.Stream, event int) {
	n.add(plan.Command{Kind: plan.Wait, Stream: s, Event: event, Phase: ir.Transfer.String()})
}

// After lets one stream wait for all that another has been given so far.
func (n *Builder) After(later, earlier plan.Stream) { n.Wait(later, n.Record(earlier)) }

func (n *Builder) add(m plan.Command) {
	s := &n.p.Sections[n.section]
	i := len(s.Commands)
	s.Commands = append(s.Commands, m)
	for _, b := range append(append([]int{m.Work - 1}, m.Args...), m.Results...) {
		if b < 0 || n.p.Buffers[b].Run {
			continue
		}
		u := &n.p.Buffers[b]
		if u.First < 0 {
			u.Section, u.First = int(n.section), i
		}
		u.Last = i
	}
}
