package cpu

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/scratch"
)

// workspace is the scratch space in bytes that the kernel of an application
// needs with a number of workers. The op table's column Workspace predicts it
// for the plan's workers and must never be less; Open checks that the plan has
// enough for those that run. The arguments must fit the op.
func workspace(op ir.Op, attr ir.Attr, args []ir.Type, workers int) int64 {
	dim := func(name string, i int) int { return args[op.Arg(name)].Shape[i] }
	result := func(rows, weight string, i int) int64 { // the chains of a result that has 16 bits
		if !args[op.Arg(rows)].DType.Half() {
			return 0
		}
		return 4 * scratch.Result(dim(rows, 0), dim(weight, i))
	}
	switch op {
	case ir.OpLinear, ir.OpLinearGELU, ir.OpLinearAdd:
		return result("x", "w", 0)
	case ir.OpLinearDX:
		return result("dy", "w", 1)
	case ir.OpAttention:
		b := dim("qkv", 0) / attr.SeqLen
		return 4 * kernel.AttentionWorkspace(b, attr.SeqLen, attr.Heads, attr.KVHeads, attr.HeadDim, workers)
	case ir.OpAttentionGrad:
		b := dim("qkv", 0) / attr.SeqLen
		return 4 * kernel.AttentionGradWorkspace(b, attr.SeqLen, attr.Heads, attr.KVHeads, attr.HeadDim, workers)
	case ir.OpHeadLoss, ir.OpHeadLossGrad:
		return 4 * kernel.HeadWorkspace(dim("x", 0), dim("x", 1), dim("w", 0), workers)
	}
	return 0
}

// need is the workspace of a command.
func need(p *plan.Plan, o *operands, c *plan.Command, workers int) int64 {
	return workspace(o.Op, o.Attr, types(p, c), workers)
}
