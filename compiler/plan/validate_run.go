package plan

import (
	"github.com/gradcue/gradcue/compiler/ir"
)

// runPart checks the window and the buffers that the runtime itself touches.
func (c *checker) runPart() {
	r := &c.p.Run
	w := r.Window
	rows, ok := 1, true
	for _, n := range []int{w.BatchSize, w.SeqLen, w.MicroBatches} {
		if n < 1 || n > maxAttr || rows > maxAttr/n {
			c.add("plan.run", "run.window", "%d micro-batches of %d sequences of %d: each must be positive and their product at most %d",
				w.MicroBatches, w.BatchSize, w.SeqLen, maxAttr)
			ok = false
			break
		}
		rows *= n
	}
	if ok {
		c.inputs(r.Inputs, w.BatchSize*w.SeqLen, w.BatchSize)
	}
	c.params(r.Params)
}

// inputs checks type and life of the buffers exchanged with the host. What the
// host writes is persistent; what it reads must outlive the section, which the
// order pass checks for buffers of a section.
func (c *checker) inputs(in Inputs, rows, batch int) {
	type exchange struct {
		name    string
		buffer  int
		written bool
		want    ir.Type
	}
	for _, x := range []exchange{
		{"control", in.Control, true, ir.Of(ir.F64, ir.ControlLen)},
		{"ids", in.IDs, true, ir.Of(ir.I32, rows)},
		{"targets", in.Targets, true, ir.Of(ir.I32, rows)},
		{"weight", in.Weight, true, ir.Of(ir.F32, rows)},
		{"lo", in.Lo, true, ir.Of(ir.I32, rows)},
		{"positions", in.Positions, true, ir.Of(ir.I32, rows)},
		{"row", in.Row, true, ir.Of(ir.I32, rows)},
		{"rowids", in.RowIDs, true, ir.Type{DType: ir.I32, Shape: make([]int, 1)}},
		{"tokenLoss", in.TokenLoss, false, ir.Of(ir.F32, rows)},
		{"evalLoss", in.EvalLoss, false, ir.Of(ir.F32, rows)},
		{"last", in.Last, true, ir.Of(ir.I32, batch)},
		{"logits", in.Logits, false, ir.Type{DType: ir.F32, Shape: make([]int, 2)}},
	} {
		if x.buffer == -1 {
			continue
		}
		where := "run.inputs." + x.name
		if x.buffer < 0 || x.buffer >= len(c.p.Buffers) {
			c.add("plan.run", where, "is buffer %d, the plan has %d", x.buffer, len(c.p.Buffers))
			continue
		}
		if have := c.types.types[c.types.of[x.buffer]]; !matches(have, x.want) {
			c.add("plan.run", where, "is %v, expected %v (0 stands for any)", have, x.want)
		}
		if x.written && !c.p.Buffers[x.buffer].Run {
			c.add("plan.run", where, "is written by the host and must live the whole run")
		}
		if c.region[x.buffer] {
			c.add("plan.region", where, "is a region that other buffers are inside of")
		}
	}
}

// matches reports whether a type is the wanted one, where a dimension of 0 stands for any.
func matches(t, want ir.Type) bool {
	if t.DType != want.DType || len(t.Shape) != len(want.Shape) {
		return false
	}
	for i, n := range want.Shape {
		if n != 0 && t.Shape[i] != n {
			return false
		}
	}
	return true
}

// params checks the buffers of each parameter and that names tell them apart.
func (c *checker) params(params []Param) {
	seen := make(map[string]bool, len(params))
	for i := range params {
		q := &params[i]
		where := "run.params " + q.Name
		if q.Name == "" || seen[q.Name] {
			c.add("plan.run", where, "parameter %d has no name of its own", i)
		}
		seen[q.Name] = true
		c.param(where, "buffer", q.Buffer, q.Shape)
		if q.Grad != -1 {
			c.param(where, "grad", q.Grad, q.Shape)
		}
		if q.Master != 0 {
			c.param(where, "master", q.Master-1, q.Shape)
		}
		for _, b := range q.State {
			c.param(where, "state", b, q.Shape)
		}
	}
}

func (c *checker) param(where, what string, b int, shape []int) {
	if b < 0 || b >= len(c.p.Buffers) {
		c.add("plan.run", where, "%s is buffer %d, the plan has %d", what, b, len(c.p.Buffers))
		return
	}
	u := &c.p.Buffers[b]
	if !u.Run || c.region[b] {
		c.add("plan.run", where, "%s is %s, which does not live the whole run", what, c.buffer(b))
	}
	if t := c.types.types[c.types.of[b]]; !t.Equal(ir.Type{DType: t.DType, Shape: shape}) {
		c.add("plan.run", where, "%s is %v, the parameter has shape %v", what, t, shape)
	}
}
