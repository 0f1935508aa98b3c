package measure

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Work is what one run of a command has to do at least.
type Work struct {
	FLOPs int64 // two for a multiply-add, by the op table
	Bytes int64 // operands read and results written, each once
}

// WorkOf is the work of a launch or copy; nothing for an event. Of a table that
// is indexed by tokens only the rows that they name count. The plan must be valid.
func WorkOf(p *plan.Plan, c *plan.Command) (w Work) {
	op, err := ir.ParseOp(c.Op)
	if err != nil || c.Kind == plan.Record || c.Kind == plan.Wait {
		return Work{}
	}
	if c.Kind == plan.Copy {
		return Work{Bytes: p.Buffers[c.Args[0]].Bytes + p.Buffers[c.Results[0]].Bytes}
	}
	args := types(p, c.Args)
	attr := ir.Attr{}
	if c.Attr != nil {
		attr = *c.Attr
	}
	w.FLOPs = op.FLOPs(attr, args)
	all := append(args, types(p, c.Results)...)
	rows := indexed(op, all)
	for _, t := range all {
		if t.DType == ir.Invalid {
			continue
		}
		n := t.Bytes()
		if len(t.Shape) == 2 && rows > 0 {
			n = min(n, int64(rows)*n/int64(t.Shape[0]))
		}
		w.Bytes += n
	}
	return w
}

// indexed is the number of rows that an op takes from its tables or adds to
// them, 0 for an op that goes through all of its operands.
func indexed(op ir.Op, all []ir.Type) int {
	switch op {
	case ir.OpEmbed:
		return all[op.Arg("ids")].Shape[0]
	case ir.OpEmbedAdd:
		return all[op.Arg("compact")].Shape[0]
	}
	return 0
}

func types(p *plan.Plan, buffers []int) []ir.Type {
	out := make([]ir.Type, len(buffers), 2*len(buffers)+2)
	for i, b := range buffers {
		if b >= 0 {
			d, _ := ir.ParseDType(p.Buffers[b].DType) // checked by plan.Validate
			out[i] = ir.Type{DType: d, Shape: p.Buffers[b].Shape}
		}
	}
	return out
}
