package plantest

import "github.com/gradcue/gradcue/compiler/ir"

// update is norm, clip and step.
func (n *gpt) update() {
	n.In(ir.Update)
	for i, q := range n.params {
		n.Do(ir.OpNorm2, ir.Attr{Index: i}, q.g, n.norms)
	}
	n.Do(ir.OpClip, ir.Attr{MaxNorm: n.Run().Optimizer.ClipNorm}, n.norms, n.in.Control)
	o := n.Run().Optimizer
	for _, q := range n.params {
		n.Do(ir.OpAdamW, ir.Attr{Beta1: o.Beta1, Beta2: o.Beta2, Eps: o.Eps, LRScale: 1}, q.w, q.g, q.m, q.v, n.in.Control)
	}
}

// evaluate adds the two sections without gradients.
func (n *gpt) evaluate() {
	n.In(ir.Eval)
	n.Into(ir.OpHeadLoss, ir.Attr{}, []int{n.features(), n.head.w, n.in.Targets, n.in.Weight}, []int{n.in.EvalLoss})
	n.In(ir.Logits)
	n.Into(ir.OpHeadLogits, n.seq, []int{n.features(), n.head.w, n.in.Last}, []int{n.in.Logits})
}

func (n *gpt) features() int {
	x := n.Do(ir.OpEmbed, n.seq, n.table.w, -1, n.in.IDs, -1)[0]
	for i := range n.blocks {
		x = n.forward(i, x, false)
	}
	return n.Do(ir.OpLayerNorm, n.eps, x, n.lnW.w, n.lnB.w)[0]
}
