package cpu

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
)

// half is the 16-bit type of that name.
func half(dtype string) (h kernel.Half, ok bool) {
	switch dtype {
	case "bf16":
		return kernel.BF16, true
	case "f16":
		return kernel.F16, true
	}
	return 0, false
}

// widened is the memory of one command that has 16-bit operands: kernels see
// their float32 copies in the command's scratch space.
type widened struct {
	*session
	copies []copied
}

// copied is one 16-bit operand with its copy.
type copied struct {
	buffer      int
	kind        kernel.Half
	wide        []float32
	narrow      []uint16
	read, write bool
}

// widen finds the 16-bit operands of a command; nil when it has none.
func (s *session) widen(c *plan.Command, op ir.Op, attr ir.Attr) *widened {
	list, _ := op.Widened(attr, types(s.p, c), s.p.Workers)
	if len(list) == 0 {
		return nil
	}
	w := &widened{session: s}
	scratch := s.Float(c.Work - 1)
	for _, x := range list {
		b, read := 0, x.Arg >= 0
		if read {
			b = c.Args[x.Arg]
		} else {
			b = c.Results[x.Result]
		}
		kind, _ := half(s.p.Buffers[b].DType)
		w.copies = append(w.copies, copied{b, kind, scratch[x.Offset/4:][:x.Elems], elements[uint16](s.bytes(b)), read, !read})
	}
	for i := range op.Info().Results { // a result over a 16-bit argument is rounded from that argument's copy
		if op.Over(i) >= 0 {
			if k := w.find(c.Results[i]); k >= 0 {
				w.copies[k].write = true
			}
		}
	}
	return w
}

func (w *widened) find(buffer int) int {
	for k := range w.copies {
		if w.copies[k].buffer == buffer {
			return k
		}
	}
	return -1
}

// Float is the copy of a 16-bit operand, or the buffer itself.
func (w *widened) Float(b int) []float32 {
	if k := w.find(b); k >= 0 {
		return w.copies[k].wide
	}
	return w.session.Float(b)
}

// around runs a kernel between widening what it reads and rounding what it wrote.
func (w *widened) around(p kernel.Par, run func()) func() {
	return func() {
		for i := range w.copies {
			if c := &w.copies[i]; c.read {
				kernel.Widen(p, c.wide, c.narrow, c.kind)
			}
		}
		run()
		for i := range w.copies {
			if c := &w.copies[i]; c.write {
				kernel.Narrow(p, c.narrow, c.wide, c.kind)
			}
		}
	}
}

// types are the types of a command's arguments, the zero Type for an absent one.
func types(p *plan.Plan, c *plan.Command) []ir.Type {
	ts := make([]ir.Type, len(c.Args))
	for i, b := range c.Args {
		if b >= 0 {
			d, _ := ir.ParseDType(p.Buffers[b].DType) // checked by plan.Validate
			ts[i] = ir.Type{DType: d, Shape: p.Buffers[b].Shape}
		}
	}
	return ts
}

// cast rounds a master copy into the parameter.
func cast(o *operands, p kernel.Par) func() {
	x, w := o.F("x"), elements[uint16](o.s.bytes(o.Buffer("w")))
	kind, _ := half(o.DType("w"))
	return func() { kernel.Narrow(p, w, x, kind) }
}

var _ exec.Memory[float32] = (*widened)(nil)
