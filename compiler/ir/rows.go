package ir

// ControlLen is the number of slots of the control buffer, f64[ControlLen].
const ControlLen = 32

// rows is the op table as written. R = B·T rows in token order, C width, V
// vocabulary, F feed-forward width, H query heads, G key/value heads, D head
// width. A trailing ? marks an optional argument, r'=g a result stored over
// argument g, and r'=g+ one that continues what is stored there or begins anew,
// as ctl says, the control buffer.
func rows() [NumOps]row {
	return [NumOps]row{
		OpLeaf: {name: "leaf", results: "x", doc: "storage that outlives the sections"},

		OpEmbed:     {name: "embed", args: "table pos? ids positions?", results: "x", attrs: "seqLen", doc: "x[r] = table[ids[r]] (+ pos[t])", direct: "x table pos", shape: embedShape, flops: elementwise("", 1)},
		OpEmbedGrad: {name: "embed.grad", args: "dx ids ctl gtable", results: "g'=gtable+", doc: "gtable[ids[r]] += dx[r] in token order; the first micro-batch clears the table", shape: embedGradShape, flops: elementwise("dx", 1)},
		OpEmbedRows: {name: "embed.rows", args: "dx row ctl compact", results: "c'=compact+", doc: "compact[row[r]] += dx[r] in token order: one row per distinct id of the window", shape: embedRowsShape, flops: elementwise("dx", 1)},
		OpEmbedAdd:  {name: "embed.add", args: "compact rowids gtable", results: "g'=gtable", doc: "gtable[rowids[j]] += compact[j], once per window", shape: embedAddShape, flops: elementwise("compact", 1)},
		OpPosGrad:   {name: "pos.grad", args: "dx positions? ctl gpos", results: "g'=gpos+", attrs: "seqLen", doc: "gpos[t] += dx[r], a chain over the sequences", shape: posGradShape, flops: elementwise("dx", 1)},

		OpLayerNorm: {name: "layernorm", args: "x w b", results: "y mean rstd", attrs: "eps", doc: "y = (x − mean)·rstd·w + b", shape: layerNormShape, flops: elementwise("x", 8),
			again: []Again{{"y", OpLayerNormApply, []string{"x", "mean", "rstd", "w", "b"}}}},
		OpLayerNormApply: {name: "layernorm.apply", args: "x mean rstd w b", results: "y", doc: "layernorm from kept statistics", shape: layerNormApplyShape, flops: elementwise("x", 4)},
		OpLayerNormGrad:  {name: "layernorm.grad", args: "dy x w mean rstd ctl gw gb", results: "dx gw'=gw+ gb'=gb+", doc: "VJP of layernorm; the parameter gradients are chains over rows", shape: layerNormGradShape, flops: elementwise("x", 14)},
		OpRMSNorm: {name: "rmsnorm", args: "x w", results: "y rstd", attrs: "eps", doc: "y = x·rstd·w", shape: rmsNormShape, flops: elementwise("x", 5),
			again: []Again{{"y", OpRMSNormApply, []string{"x", "rstd", "w"}}}},
		OpRMSNormApply: {name: "rmsnorm.apply", args: "x rstd w", results: "y", doc: "rmsnorm from the kept statistic", shape: rmsNormApplyShape, flops: elementwise("x", 2)},
		OpRMSNormGrad:  {name: "rmsnorm.grad", args: "dy x w rstd ctl gw", results: "dx gw'=gw+", doc: "VJP of rmsnorm", shape: rmsNormGradShape, flops: elementwise("x", 10)},

		OpLinear: {name: "linear", args: "x w b?", results: "y", doc: "y = x wᵀ (+ b), w stored [out,in]", direct: "x w y", shape: linearShape, work: resultWork("x", "w", 0), flops: linearFLOPs("x", "w")},
		OpLinearGELU: {name: "linear.gelu", args: "x w b?", results: "fc act", attrs: "tanh", doc: "fc = x wᵀ + b, act = gelu(fc)", direct: "x w fc act", shape: linearGELUShape, work: resultWork("x", "w", 0), flops: linearFLOPs("x", "w"),
			again: []Again{{"act", OpGELU, []string{"fc"}}}},
		OpLinearAdd: {name: "linear.add", args: "x w b? r", results: "y", doc: "y = r + (x wᵀ + b), the product rounded before r is added", direct: "x w r y", shape: linearAddShape, work: resultWork("x", "w", 0), flops: linearFLOPs("x", "w")},
		OpLinearDX:  {name: "linear.dx", args: "dy w", results: "dx", doc: "dx = dy w", direct: "dy w dx", shape: linearDXShape, work: resultWork("dy", "w", 1), flops: linearFLOPs("dy", "w")},
		OpLinearDW:  {name: "linear.dw", args: "dy x ctl gw", results: "g'=gw+", doc: "gw (+)= dyᵀ x, one chain over rows per element", direct: "dy x", shape: linearDWShape, flops: linearFLOPs("dy", "gw")},
		OpLinearDB:  {name: "linear.db", args: "dy ctl gb", results: "g'=gb+", doc: "gb (+)= column sums of dy", direct: "dy", shape: linearDBShape, flops: elementwise("dy", 1)},

		OpGELU:       {name: "gelu", args: "x", results: "y", attrs: "tanh", doc: "gelu, exact or tanh form", direct: "all", shape: floats("x"), flops: elementwise("x", 10)},
		OpGELUGrad:   {name: "gelu.grad", args: "x dy", results: "dx", attrs: "tanh", doc: "VJP of gelu", direct: "all", shape: floats("x", "dy"), flops: elementwise("x", 16)},
		OpSwiGLU:     {name: "swiglu", args: "gu", results: "h", doc: "h = silu(gate)·up, a row of gu is gate then up", direct: "all", shape: swiGLUShape, flops: elementwise("gu", 5)},
		OpSwiGLUGrad: {name: "swiglu.grad", args: "gu dh", results: "dgu", doc: "VJP of swiglu", direct: "all", shape: swiGLUGradShape, flops: elementwise("gu", 8)},
		OpRoPE:       {name: "rope", args: "x positions?", results: "y", attrs: "heads kvHeads headDim base seqLen inverse", doc: "rotates q and k of packed qkv by position; inverse is the VJP", shape: ropeShape, flops: elementwise("x", 4)},

		OpAttention:     {name: "attention", args: "qkv lo?", results: "att lse", attrs: "heads kvHeads headDim scale seqLen", doc: "O = softmax(scale·QKᵀ over [lo,i]) V, and one log-sum-exp per row and head", shape: attentionShape, flops: attentionFLOPs(4), work: attentionWork},
		OpAttentionGrad: {name: "attention.grad", args: "datt qkv att lse lo?", results: "dqkv", attrs: "heads kvHeads headDim scale seqLen", doc: "VJP of attention; P is rebuilt from lse", shape: attentionGradShape, flops: attentionFLOPs(10), work: attentionGradWork},

		OpAdd:     {name: "add", args: "a b", results: "y", doc: "residual sums and branches that join", direct: "all", shape: floats("a", "b"), flops: elementwise("a", 1)},
		OpDropout: {name: "dropout", args: "x ctl", results: "y", attrs: "rate site seed seqLen", doc: "counter-based dropout; its own VJP", shape: dropoutShape, flops: elementwise("x", 4)},

		OpHeadLoss:     {name: "head.loss", args: "x w targets weight", results: "loss", doc: "token losses of the classifier, in chunks of trained positions", direct: "x w", shape: headLossShape, flops: linearFLOPs("x", "w"), work: headWork},
		OpHeadLossGrad: {name: "head.loss.grad", args: "x w targets weight ctl gw", results: "loss dx g'=gw+", doc: "token losses with dx and the head's gradient; upstream is weight·c", direct: "x w dx", shape: headLossGradShape, flops: headGradFLOPs, work: headWork},
		OpHeadLogits:   {name: "head.logits", args: "x w last", results: "logits", attrs: "seqLen", doc: "logits of one position a sequence", direct: "x w", shape: headLogitsShape, flops: headLogitsFLOPs},

		OpNorm2: {name: "norm2", args: "g norms", results: "n'=norms", attrs: "index", doc: "norms[index] = Σ g² in f64, fixed order", shape: norm2Shape, flops: elementwise("g", 2)},
		OpClip:  {name: "clip", args: "norms ctl", results: "ctl'=ctl", attrs: "maxNorm", doc: "global norm of g/s, finite check, clip factor and apply flag into the control buffer", shape: clipShape, flops: elementwise("norms", 1)},

		OpAdamW:       {name: "adamw", args: "w g m v ctl", results: "w'=w m'=m v'=v", attrs: "beta1 beta2 eps decay lrScale", doc: "AdamW: decay first, eps outside the root; obeys apply", shape: adamWShape, flops: elementwise("w", 14)},
		OpSGD:         {name: "sgd", args: "w g ctl", results: "w'=w", attrs: "decay lrScale", doc: "SGD without momentum; obeys apply", shape: sgdShape, flops: elementwise("w", 4)},
		OpSGDMomentum: {name: "sgd.momentum", args: "w g m ctl", results: "w'=w m'=m", attrs: "decay lrScale momentum nesterov", doc: "SGD with momentum; obeys apply", shape: sgdMomentumShape, flops: elementwise("w", 6)},

		OpCast: {name: "cast", args: "x w", results: "w'=w", doc: "w = x rounded to its storage type: a parameter from its master copy", direct: "w", shape: castShape, flops: elementwise("x", 1)},

		OpCopyOut:   {name: "copy.out", args: "x host", results: "h'=host", doc: "device to host", shape: copyOutShape},
		OpCopyIn:    {name: "copy.in", args: "host", results: "x", doc: "host to device", shape: sameAs("host")},
		OpCopyStage: {name: "copy.stage", args: "x", results: "y", doc: "device to device, into a staging slot", shape: sameAs("x")},
	}
}

func elementwise(arg string, perElement int64) func(*shapes) int64 {
	return func(s *shapes) int64 {
		if arg == "" { // embed: one row of the table per id
			return perElement * int64(s.dim("ids", 0)) * int64(s.dim("table", 1))
		}
		return perElement * s.arg(arg).Elems()
	}
}

// linearFLOPs counts a product of the rows of one argument with a weight.
func linearFLOPs(rows, weight string) func(*shapes) int64 {
	return func(s *shapes) int64 { return 2 * int64(s.dim(rows, 0)) * s.arg(weight).Elems() }
}

// headGradFLOPs: logits, dx and dw.
func headGradFLOPs(s *shapes) int64 { return 6 * int64(s.dim("x", 0)) * s.arg("w").Elems() }

func headLogitsFLOPs(s *shapes) int64 { return 2 * int64(s.dim("last", 0)) * s.arg("w").Elems() }

// attentionFLOPs counts products over the causal triangle: per visible pair and
// head width, the given number of operations.
func attentionFLOPs(perPair int64) func(*shapes) int64 {
	return func(s *shapes) int64 {
		t := int64(s.attr.SeqLen)
		if t < 1 {
			return 0
		}
		rows := int64(s.dim("qkv", 0))
		return perPair * rows / t * (t * (t + 1) / 2) * int64(s.attr.Heads) * int64(s.attr.HeadDim)
	}
}
