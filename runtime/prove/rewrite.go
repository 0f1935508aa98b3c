package prove

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// rewriter makes a plan of some commands of another one in which no two buffers
// share bytes and everything lives the whole run, so that the host can write the
// operands of any command and read its results.
type rewriter struct {
	p *plan.Plan
}

// rewrite starts from a plan with the sections emptied.
func rewrite(p *plan.Plan) *rewriter {
	q := *p
	q.Buffers = append([]plan.Buffer(nil), p.Buffers...)
	q.Arenas = append([]plan.Arena(nil), p.Arenas...)
	q.Sections = append([]plan.Section(nil), p.Sections...)
	for i := range q.Sections {
		q.Sections[i].Commands = nil
	}
	q.Run.Inputs.EvalLoss, q.Run.Inputs.Last, q.Run.Inputs.Logits = -1, -1, -1
	return &rewriter{&q}
}

// buffer adds a buffer of the type of another one.
func (r *rewriter) buffer(name string, as int) int {
	like := &r.p.Buffers[as]
	r.p.Buffers = append(r.p.Buffers, plan.Buffer{Name: name, Class: ir.Activation.String(), Tier: ir.Device.String(), DType: like.DType, Shape: like.Shape})
	return len(r.p.Buffers) - 1
}

// add appends a copy of a command with other operands.
func (r *rewriter) add(s ir.Section, c *plan.Command, args, results []int) {
	n := *c
	n.Args, n.Results = args, results
	r.p.Sections[s].Commands = append(r.p.Sections[s].Commands, n)
}

// seal gives every buffer its own bytes and makes the hashes anew. Buffers that
// nothing names shrink to one element.
func (r *rewriter) seal() (*plan.Plan, error) {
	p := r.p
	used := r.used()
	var end [ir.NumTiers]int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if !used[i] {
			b.Shape = []int{1}
		}
		d, err := ir.ParseDType(b.DType)
		if err != nil {
			return nil, err
		}
		b.Run, b.From, b.In, b.Section, b.First, b.Last = true, 0, 0, 0, 0, 0
		b.Bytes = d.Size() * int64(count(b.Shape))
		tier := ir.Device
		if b.Tier == ir.Host.String() {
			tier = ir.Host
		}
		b.Offset = end[tier]
		end[tier] += (b.Bytes + plan.Align - 1) / plan.Align * plan.Align
	}
	for t := range p.Arenas {
		p.Arenas[t].Bytes = end[t]
	}
	return p, plan.Seal(p)
}

// used marks the buffers that commands, parameters and inputs name.
func (r *rewriter) used() []bool {
	used := make([]bool, len(r.p.Buffers))
	mark := func(bs ...int) {
		for _, b := range bs {
			if b >= 0 {
				used[b] = true
			}
		}
	}
	for _, s := range r.p.Sections {
		for _, c := range s.Commands {
			mark(c.Args...)
			mark(c.Results...)
			mark(c.Work - 1)
		}
	}
	for _, q := range r.p.Run.Params {
		mark(q.Buffer, q.Grad, q.Master-1)
		mark(q.State...)
	}
	in := &r.p.Run.Inputs
	mark(in.Control, in.IDs, in.Targets, in.Weight, in.Lo, in.Positions, in.Row, in.RowIDs, in.TokenLoss)
	return used
}
