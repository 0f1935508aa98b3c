//go:build cuda

package cuda

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Launch is one kernel launch with everything frozen: a command is bound to a
// list of them once, when a plan is opened.
type Launch struct {
	Kernel      string    // entry point of one of the PTX modules
	Grid, Block [3]uint32 // blocks, and threads of a block; 0 is read as 1
	Shared      uint32    // dynamic shared memory of a block, bytes
	Params      []uint64  // 8-byte slots in the order of the entry's parameters
	product     *product  // what it computes, where a library may do it instead
}

// operands is one application of an op, looked at by the names of the op table.
// A name that the op does not have is a bug of the binding and panics.
type operands struct {
	op   ir.Op
	attr ir.Attr
	p    *plan.Plan
	c    *plan.Command
	at   func(buffer int) uint64 // device address of a buffer
}

// newOperands is the application that a launch command stands for.
func newOperands(p *plan.Plan, c *plan.Command, at func(int) uint64) (*operands, error) {
	op, err := ir.ParseOp(c.Op)
	if err != nil {
		return nil, err
	}
	o := &operands{op: op, p: p, c: c, at: at}
	if c.Attr != nil {
		o.attr = *c.Attr
	}
	return o, nil
}

// buffer is the index of a named operand, -1 when it is absent.
func (o *operands) buffer(name string) int {
	if i := o.op.Arg(name); i >= 0 {
		return o.c.Args[i]
	}
	if i := o.op.Result(name); i >= 0 {
		return o.c.Results[i]
	}
	panic(fmt.Sprintf("cuda: %s has no operand %q", o.op, name))
}

// has reports whether an optional operand is there.
func (o *operands) has(name string) bool { return o.buffer(name) >= 0 }

// addr is the device address of a named operand, 0 when it is absent.
func (o *operands) addr(name string) uint64 {
	if b := o.buffer(name); b >= 0 {
		return o.at(b)
	}
	return 0
}

// dim is dimension i of a named operand, which must be present.
func (o *operands) dim(name string, i int) int { return o.p.Buffers[o.buffer(name)].Shape[i] }

// elems counts the elements of a named operand, which must be present.
func (o *operands) elems(name string) int {
	n := 1
	for _, m := range o.p.Buffers[o.buffer(name)].Shape {
		n *= m
	}
	return n
}

// dtype is the storage type of a named operand, which must be present.
func (o *operands) dtype(name string) string { return o.p.Buffers[o.buffer(name)].DType }

// work is the device address of the scratch space, 0 when the command has none.
func (o *operands) work() uint64 {
	if o.c.Work == 0 {
		return 0
	}
	return o.at(o.c.Work - 1)
}

// workBytes is the length of the scratch space in bytes.
func (o *operands) workBytes() int64 {
	if o.c.Work == 0 {
		return 0
	}
	return o.p.Buffers[o.c.Work-1].Bytes
}

// seq is the length of a sequence, 1 where the op does not say it.
func (o *operands) seq() int { return max(1, o.attr.SeqLen) }
