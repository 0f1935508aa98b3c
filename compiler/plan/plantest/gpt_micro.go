package plantest

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// names of what a slot holds, in the order of gpt.slot.
var slotNames = [3]string{"in", "qkv", "fc"}

// micro is forward, loss and backward of one micro-batch.
func (n *gpt) micro() {
	n.In(ir.Micro)
	x := n.Do(ir.OpEmbed, n.seq, n.table.w, -1, n.in.IDs, -1)[0]
	for i := range n.blocks {
		x = n.forward(i, x, true)
		n.copyOut(i)
	}
	for i := range n.blocks { // copies out end before the loss
		n.drained(i)
	}
	ln := n.Do(ir.OpLayerNorm, n.eps, x, n.lnW.w, n.lnB.w)
	lg := n.Into(ir.OpHeadLossGrad, ir.Attr{}, []int{ln[0], n.head.w, n.in.Targets, n.in.Weight, n.in.Control, n.head.g},
		[]int{n.in.TokenLoss, 0, 0})
	dy := n.Do(ir.OpLayerNormGrad, ir.Attr{}, lg[1], x, n.lnW.w, ln[1], ln[2], n.in.Control, n.lnW.g, n.lnB.g)[0]
	for i := len(n.blocks) - 1; i >= 0; i-- {
		dy = n.backward(i, dy)
		n.copyIn(i - n.c.Slots)
	}
	n.Do(ir.OpEmbedGrad, ir.Attr{}, dy, n.in.IDs, n.in.Control, n.table.g)
}

// slotted gives a value of block i its place in a slot, or 0 without offload.
func (n *gpt) slotted(i, which int, keep bool) int {
	if n.c.Slots == 0 || !keep {
		return 0
	}
	width := [3]int{n.c.Width, 3 * n.c.Width, n.ffn}[which]
	at := int64(i%n.c.Slots)*n.slotBytes + n.slot[which]
	return n.Slot(n.region, at, fmt.Sprintf("blocks.%d.%s", i, slotNames[which]), ir.Of(ir.F32, n.rows, width))
}

// forward is one block; with keep, what backward needs is kept.
func (n *gpt) forward(i, x int, keep bool) int {
	u := &n.blocks[i]
	if n.c.Slots > 0 && keep {
		n.drained(i - n.c.Slots)
		in := n.slotted(i, 0, true)
		n.Copy(ir.OpCopyStage, x, in)
		x = in
	}
	ln1 := n.Do(ir.OpLayerNorm, n.eps, x, u.p["ln1.w"].w, u.p["ln1.b"].w)
	qkv := n.Into(ir.OpLinear, ir.Attr{}, []int{ln1[0], u.p["qkv.w"].w, u.p["qkv.b"].w}, []int{n.slotted(i, 1, keep)})[0]
	att := n.Do(ir.OpAttention, n.attn, qkv, -1)
	proj := n.Do(ir.OpLinear, ir.Attr{}, att[0], u.p["proj.w"].w, u.p["proj.b"].w)[0]
	resid := n.Do(ir.OpAdd, ir.Attr{}, x, proj)[0]
	ln2 := n.Do(ir.OpLayerNorm, n.eps, resid, u.p["ln2.w"].w, u.p["ln2.b"].w)
	fc := n.Into(ir.OpLinearGELU, ir.Attr{}, []int{ln2[0], u.p["fc.w"].w, u.p["fc.b"].w}, []int{n.slotted(i, 2, keep), 0})
	out := n.Do(ir.OpLinear, ir.Attr{}, fc[1], u.p["out.w"].w, u.p["out.b"].w)[0]
	if keep {
		u.in, u.mean1, u.rstd1, u.qkv, u.att, u.lse = x, ln1[1], ln1[2], qkv, att[0], att[1]
		u.resid, u.mean2, u.rstd2, u.fc, u.act = resid, ln2[1], ln2[2], fc[0], fc[1]
	}
	return n.Do(ir.OpAdd, ir.Attr{}, resid, out)[0]
}

// backward is one block; the outputs of the norms are recomputed.
func (n *gpt) backward(i, dy int) int {
	u := &n.blocks[i]
	if u.offloaded {
		n.Wait(plan.Compute, u.inDone)
	}
	dact := n.linearGrad(u, "out", dy, u.act)
	dfc := n.Do(ir.OpGELUGrad, ir.Attr{}, u.fc, dact)[0]
	ln2 := n.Do(ir.OpLayerNormApply, ir.Attr{}, u.resid, u.mean2, u.rstd2, u.p["ln2.w"].w, u.p["ln2.b"].w)[0]
	dln2 := n.linearGrad(u, "fc", dfc, ln2)
	dresid := n.normGrad(u, "ln2", dln2, u.resid, u.mean2, u.rstd2)
	d := n.Do(ir.OpAdd, ir.Attr{}, dy, dresid)[0]
	datt := n.linearGrad(u, "proj", d, u.att)
	dqkv := n.Do(ir.OpAttentionGrad, n.attn, datt, u.qkv, u.att, u.lse, -1)[0]
	ln1 := n.Do(ir.OpLayerNormApply, ir.Attr{}, u.in, u.mean1, u.rstd1, u.p["ln1.w"].w, u.p["ln1.b"].w)[0]
	dln1 := n.linearGrad(u, "qkv", dqkv, ln1)
	din := n.normGrad(u, "ln1", dln1, u.in, u.mean1, u.rstd1)
	return n.Do(ir.OpAdd, ir.Attr{}, d, din)[0]
}

func (n *gpt) linearGrad(u *block, name string, dy, x int) int {
	w, b := u.p[name+".w"], u.p[name+".b"]
	n.Do(ir.OpLinearDW, ir.Attr{}, dy, x, n.in.Control, w.g)
	n.Do(ir.OpLinearDB, ir.Attr{}, dy, n.in.Control, b.g)
	return n.Do(ir.OpLinearDX, ir.Attr{}, dy, w.w)[0]
}

func (n *gpt) normGrad(u *block, name string, dy, x, mean, rstd int) int {
	w, b := u.p[name+".w"], u.p[name+".b"]
	return n.Do(ir.OpLayerNormGrad, ir.Attr{}, dy, x, w.w, mean, rstd, n.in.Control, w.g, b.g)[0]
}

// copyOut moves what block i keeps in its slot to the host.
func (n *gpt) copyOut(i int) {
	u := &n.blocks[i]
	if !u.offloaded {
		return
	}
	n.After(plan.Out, plan.Compute)
	for k, from := range []int{u.in, u.qkv, u.fc} {
		u.host[k] = n.Temp(fmt.Sprintf("blocks.%d.%s.host", i, slotNames[k]), ir.Activation, ir.Host, n.Type(from))
		n.Copy(ir.OpCopyOut, from, u.host[k])
	}
	u.outDone = n.Record(plan.Out)
}

// drained lets compute wait for the copies out of block i, once.
func (n *gpt) drained(i int) {
	if i < 0 || !n.blocks[i].offloaded || n.blocks[i].outWaited {
		return
	}
	n.Wait(plan.Compute, n.blocks[i].outDone)
	n.blocks[i].outWaited = true
}

// copyIn brings back what block i keeps, into the slot that the block above has
// done with.
func (n *gpt) copyIn(i int) {
	if i < 0 || !n.blocks[i].offloaded {
		return
	}
	u := &n.blocks[i]
	n.After(plan.In, plan.Compute)
	for k, to := range []*int{&u.in, &u.qkv, &u.fc} {
		*to = n.slotted(i, k, true)
		n.Copy(ir.OpCopyIn, u.host[k], *to)
	}
	u.inDone = n.Record(plan.In)
}
