package plantest

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Case is one application of an op; an absent optional argument has the zero type.
type Case struct {
	Op   ir.Op
	Attr ir.Attr
	Args []ir.Type
}

// Single is a plan whose micro section launches one op. Every operand is
// persistent, so that a test can write all arguments and read all results; the
// buffers are named after the operands.
func Single(c Case, workers int) (p *plan.Plan, args, results []int) {
	n := New(workers, 1, 1, 1)
	info := c.Op.Info()
	args = make([]int, len(c.Args))
	for i, t := range c.Args {
		args[i] = -1
		if t.DType != ir.Invalid {
			args[i] = n.Keep(info.Args[i].Name, ir.Input, t)
		}
	}
	types, err := c.Op.Infer(c.Attr, c.Args)
	if err != nil {
		panic("plantest: " + c.Op.String() + ": " + err.Error())
	}
	results = make([]int, len(types))
	for i, t := range types {
		if c.Op.Over(i) < 0 {
			results[i] = n.Keep(info.Results[i].Name, ir.Activation, t)
		}
	}
	n.In(ir.Micro)
	results = n.Into(c.Op, c.Attr, args, results)
	return n.Plan(), args, results
}
