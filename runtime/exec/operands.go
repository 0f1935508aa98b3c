package exec

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Memory gives the elements of buffers; a buffer has one of the three. F is the
// engine's number type.
type Memory[F float32 | float64] interface {
	Float(buffer int) []F         // f32 in the plan, or widened from 16 bits
	Int(buffer int) []int32       // i32
	Control(buffer int) []float64 // f64
}

// Operands is one application of an op, looked at by the names of the op table.
// It is for binding, once per command of a plan, not for running. A name that
// the op does not have is a bug of the binding and panics.
type Operands[F float32 | float64] struct {
	Op   ir.Op
	Attr ir.Attr
	p    *plan.Plan
	c    *plan.Command
	mem  Memory[F]
}

// NewOperands is the application that a launch stands for.
func NewOperands[F float32 | float64](p *plan.Plan, c *plan.Command, mem Memory[F]) (*Operands[F], error) {
	op, err := ir.ParseOp(c.Op)
	if err != nil {
		return nil, err
	}
	o := &Operands[F]{Op: op, p: p, c: c, mem: mem}
	if c.Attr != nil {
		o.Attr = *c.Attr
	}
	return o, nil
}

// Buffer is the index of a named operand, -1 when it is absent.
func (o *Operands[F]) Buffer(name string) int {
	if i := o.Op.Arg(name); i >= 0 {
		return o.c.Args[i]
	}
	if i := o.Op.Result(name); i >= 0 {
		return o.c.Results[i]
	}
	panic(fmt.Sprintf("exec: %s has no operand %q", o.Op, name))
}

// F is the elements of an f32 operand, nil when absent.
func (o *Operands[F]) F(name string) []F {
	if b := o.Buffer(name); b >= 0 {
		return o.mem.Float(b)
	}
	return nil
}

// I is the elements of an i32 operand, nil when absent.
func (o *Operands[F]) I(name string) []int32 {
	if b := o.Buffer(name); b >= 0 {
		return o.mem.Int(b)
	}
	return nil
}

// D is the elements of an f64 operand.
func (o *Operands[F]) D(name string) []float64 { return o.mem.Control(o.Buffer(name)) }

// Ctl is the control buffer of an op that has one.
func (o *Operands[F]) Ctl() Control { return Control(o.D("ctl")) }

// DType is the storage type of a named operand, which must be present.
func (o *Operands[F]) DType(name string) string { return o.p.Buffers[o.Buffer(name)].DType }

// Work is the scratch space, nil when the command has none.
func (o *Operands[F]) Work() []F {
	if o.c.Work == 0 {
		return nil
	}
	return o.mem.Float(o.c.Work - 1)
}

// Dim is dimension i of a named operand, which must be present.
func (o *Operands[F]) Dim(name string, i int) int { return o.p.Buffers[o.Buffer(name)].Shape[i] }

// Elems is the number of elements of a named operand, which must be present.
func (o *Operands[F]) Elems(name string) int {
	n := 1
	for _, d := range o.p.Buffers[o.Buffer(name)].Shape {
		n *= d
	}
	return n
}

// Seq is the length of a sequence, 1 where the op does not say it.
func (o *Operands[F]) Seq() int { return max(1, o.Attr.SeqLen) }
