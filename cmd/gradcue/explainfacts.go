package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/shape"
)

// shorthand for the tables of a spec's numbers.
type (
	xp = *shape.Experiment
	pp = *plan.Plan
)

// facts are what each rule reads, what to do, and its formula with numbers.
// docs/rules.md is made from the same table.
var facts = []fact{
	{id: "loss.shift", do: "let exactly one component shift the targets", reads: []string{"mask.shift.by", "mask.shift.offset", "pipeline.data.layouts", "pipeline.targets.shifts"},
		numbers: func(x xp, _ pp) string {
			if shifts := targetsOf(x).Shifts; shifts != nil {
				parts, sum := []string{}, int64(0)
				for _, s := range shifts {
					parts, sum = append(parts, fmt.Sprintf("%s %d", s.By, s.Positions)), sum+s.Positions
				}
				return fmt.Sprintf("Σ shifts = %d (%s), wanted %d", sum, strings.Join(parts, " + "), x.Mask.Shift.Offset)
			}
			return fmt.Sprintf("one shift by %d, by the %s", x.Mask.Shift.Offset, x.Mask.Shift.By)
		}},
	{id: "loss.edge", do: "shift the whole row first, then split it", reads: []string{"mask.packing.mode", "mask.packing.lossAcross", "window.microBatchSize", "window.seqLen", "pipeline.data.sequenceShards", "pipeline.targets"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("a row of T = %d has %d targets inside it", x.Window.SeqLen, x.Window.SeqLen-1)
		}},
	{id: "loss.tokens", formula: "normalize = tokens or sequences, or acceptBias", do: "divide the sum of losses once, by the trained targets of the whole window over all ranks", reads: []string{"window.normalize", "window.acceptBias", "window.microBatches", "window.replicas", "pipeline.loss", "pipeline.window.equalTargets", "pipeline.window.example"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("one denominator N for K·R = %d·%d micro-batches, counted in %s", x.Window.MicroBatches, x.Window.Replicas, x.Window.Normalize)
		}},
	{id: "loss.once", do: "let one component apply each factor, so that the product is 1/N", reads: []string{"window.microBatches", "window.replicas", "pipeline.loss"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("K = %d, R = %d, B = %d, T = %d", x.Window.MicroBatches, x.Window.Replicas, x.Window.MicroBatchSize, x.Window.SeqLen)
		}},
	{id: "mask.align", do: "let one component move the mask, as far as the targets", reads: []string{"mask.shift.offset", "mask.prompt", "mask.response", "pipeline.mask.shifts", "pipeline.mask.promptSlots", "pipeline.mask.roles"}},
	{id: "mask.pad", do: "find padding by the length of the sample", reads: []string{"pipeline.data.ids", "pipeline.mask.padding"}},
	{id: "mask.eos", do: "let one component append the end token", reads: []string{"mask.eos", "data.eos", "pipeline.data.ends"}},
	{id: "mask.empty", do: "skip a micro-batch or window without targets, or stop", reads: []string{"window.empty", "pipeline.loss.emptyMicroBatch", "pipeline.loss.emptyWindow", "pipeline.loss.implementations", "pipeline.mask.emptySamples", "pipeline.mask.roles"}},
	{id: "mask.ignore", formula: "ignore ∉ [0, V)", do: "use one negative ignore index everywhere", reads: []string{"mask.ignoreIndex", "model.vocab", "pipeline.mask.ignore"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("%d ∉ [0, %d)", x.Mask.IgnoreIndex, x.Model.Vocab)
		}},
	{id: "mask.value", do: "select the fill instead of adding it", reads: []string{"precision.compute", "pipeline.mask.scores"}},
	{id: "mask.order", do: "mask scores behind every bounded map and before the softmax", reads: []string{"pipeline.mask.scores.order", "pipeline.mask.order"}},
	{id: "mask.row", do: "define a row without keys as zero with gradient zero", reads: []string{"model.attention.window", "mask.packing.mode", "pipeline.mask.padding", "pipeline.mask.scores.emptyRow"}},
	{id: "window.last", do: "carry or flush the last window, divided by its own size", reads: []string{"window.last", "window.microBatches", "pipeline.window.batches", "pipeline.window.last", "pipeline.window.lastDividedBy"}},
	{id: "cadence.unit", formula: "warmup < updates, both in successful updates", do: "count warm-up, length and ticks in updates", reads: []string{"schedule.updates", "schedule.warmup", "optimizer.lr", "window.microBatches", "window.replicas", "pipeline.update.ticks", "pipeline.update.schedule"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("warm-up %d of %d updates, %d micro-batches in all", x.Schedule.Warmup, x.Schedule.Updates, x.Schedule.Updates*x.Window.MicroBatches)
		}},
	{id: "cadence.batch", formula: "sequences = K·B·R, tokens = K·B·R·T", do: "change a factor, or leave the product out", reads: []string{"window.microBatches", "window.microBatchSize", "window.replicas", "window.seqLen", "window.sequences", "window.tokens", "pipeline.window.globalBatch", "pipeline.window.nodes", "pipeline.window.ranksPerNode"},
		numbers: func(x xp, _ pp) string {
			w := &x.Window
			return fmt.Sprintf("%d × %d × %d = %s rows, × %d = %s tokens", w.MicroBatches, w.MicroBatchSize, w.Replicas, group(w.Sequences), w.SeqLen, group(w.Tokens))
		}},
	{id: "cadence.zero", do: "clear gradients once, after the step", reads: []string{"window.microBatches", "window.last", "pipeline.update.clears", "pipeline.update.order"}},
	{id: "scale.order", do: "unscale, check, clip once, step, rescale, tick", reads: []string{"precision.lossScale", "optimizer.clip.norm", "window.microBatches", "pipeline.update.order", "pipeline.update.unscales", "pipeline.update.clips"},
		numbers: func(x xp, _ pp) string {
			if s := x.Precision.LossScale; s.Kind != "none" {
				return fmt.Sprintf("s = %g; a clip at %g before unscaling would act like %g", s.Value, x.Optimizer.Clip.Norm, x.Optimizer.Clip.Norm/s.Value)
			}
			return "no loss scale; s = 1"
		}},
	{id: "scale.need", title: "a loss scale where gradients are f16, and nowhere else", formula: "loss scale ⇔ compute or grads is f16", do: "set precision.lossScale.kind, or remove it where no gradient is f16", reads: []string{"precision.compute", "precision.grads", "precision.lossScale.kind"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("compute %s, grads %s, loss scale %s", x.Precision.Compute, x.Precision.Grads, x.Precision.LossScale.Kind)
		}},
	{id: "scale.skip", do: "skip as a whole, count it, show it, and stop after some in a row", reads: []string{"precision.lossScale.skipLimit", "pipeline.update.skip", "pipeline.update.ticks"}},
	{id: "clip.norm", do: "take the norm over each element once, after the reduction", reads: []string{"optimizer.clip.norm", "model.tied", "window.replicas", "pipeline.update.norm", "pipeline.update.order"}},
	{id: "accum.add", do: "add to gradients, in f32", reads: []string{"window.microBatches", "precision.grads", "pipeline.window.gradients", "pipeline.window.accumulateIn"}},
	{id: "resume.state", do: "save everything that changes, and restore it", reads: []string{"precision.lossScale.kind", "optimizer.kind", "pipeline.resume.saves", "pipeline.resume.restarts", "pipeline.resume.scaler", "pipeline.resume.schedule"}},
	{id: "resume.cursor", do: "count samples, and skip once", reads: []string{"window.microBatches", "schedule.updates", "pipeline.data.order", "pipeline.window.batches", "pipeline.resume"}},
	{id: "attn.visible", do: "give every path the same set of keys", reads: []string{"model.attention.window", "window.seqLen", "pipeline.attention"},
		numbers: func(x xp, _ pp) string {
			t, w := x.Window.SeqLen, x.Model.Attention.Window
			if w == 0 || w > t {
				w = t
			}
			return fmt.Sprintf("T = %d, W = %d: row %d sees %d keys, all rows %s pairs", t, w, t-1, w, group(w*(w+1)/2+(t-w)*w))
		}},
	{id: "attn.scale", do: "apply the scale once on every path", reads: []string{"model.headDim", "pipeline.attention.scale", "pipeline.attention.backends"},
		numbers: func(x xp, _ pp) string {
			return fmt.Sprintf("1/√%d = %.6g", x.Model.HeadDim, 1/math.Sqrt(float64(x.Model.HeadDim)))
		}},
	{id: "attn.docs", do: "separate documents by a mask or by their lengths", reads: []string{"mask.packing.mode", "mask.packing.crossAttention", "pipeline.attention.documents", "pipeline.attention.backends"}},
	{id: "attn.heads", formula: "heads mod kvHeads = 0", do: "use a number of key heads that divides heads", reads: []string{"model.heads", "model.kvHeads", "pipeline.attention.headOrder", "pipeline.attention.backends"},
		numbers: func(x xp, _ pp) string {
			m := &x.Model
			return fmt.Sprintf("%d mod %d = %d: each key head serves %d query heads", m.Heads, m.KVHeads, m.Heads%m.KVHeads, m.Heads/m.KVHeads)
		}},
	{id: "remat.input", do: "use the non-reentrant form, and set it in one place", reads: []string{"checkpointing.policy", "pipeline.recompute"}},
	{id: "remat.rng", do: "number the draws with a counter, or save the generator's state", reads: []string{"checkpointing.policy", "dropout.rate", "dropout.attention", "pipeline.recompute"}},
	{id: "remat.pure", do: "write in the first run only, and recompute once", reads: []string{"checkpointing.policy", "pipeline.recompute"}},
	{id: "place.useless", do: "place what is alive at the peak", reads: []string{"checkpointing", "offload.place", "offload.overrides", "pipeline.recompute.segments", "pipeline.offload"}, numbers: peakOf},
	{id: "place.order", do: "wait for the copy out before the space is used again, and for the copy in before the reader", reads: []string{"offload.prefetch.lead", "offload.prefetch.buffers", "pipeline.offload.storages"}},
	{id: "place.host", do: "offload less, or round less", reads: []string{"memory.hostBudget", "offload.place", "pipeline.offload.host"},
		numbers: func(_ xp, p pp) string {
			if p == nil {
				return ""
			}
			return "host arena " + plan.Bytes(p.Arenas[ir.Host].Bytes)
		}},
	{id: "grad.alias", do: "make tied names one tensor with one gradient and one slot", reads: []string{"model.tied", "optimizer.groups", "pipeline.graph", "pipeline.offload.storages"}},
	{id: "grad.reach", do: "compute loss terms from tensors that carry gradients", reads: []string{"pipeline.graph"},
		numbers: func(_ xp, p pp) string {
			if p == nil {
				return ""
			}
			n := 0
			for i := range p.Run.Params {
				if p.Run.Params[i].Grad >= 0 {
					n++
				}
			}
			return fmt.Sprintf("%d of %d parameter tensors get a gradient", n, len(p.Run.Params))
		}},
	{id: "grad.save", do: "write to another buffer than the one that is kept", reads: []string{"pipeline.graph.ops"}},
	{id: "grad.cover", do: "derive rows and blocks from the shape, and prove the shapes in use", reads: []string{"model.headDim", "pipeline.graph.kernels"}},
	{id: "mem.peak", do: "recompute, offload, or use smaller micro-batches with more of them", reads: []string{"memory.budget", "checkpointing.policy", "offload.place", "window.microBatchSize", "window.seqLen", "pipeline.memory"}, numbers: peakOf},
	{id: "mem.report", do: "compare numbers of one moment", reads: []string{"pipeline.memory.report"}},
	{id: "aux.loss", do: "apply the coefficient once, with the main loss's divisor", reads: []string{"window.microBatches", "window.replicas", "pipeline.aux"}},

	{id: "target.pipeline", reads: []string{"pipeline.trainer"}},
	{id: "target.precision", reads: []string{"precision.compute", "precision.params", "precision.grads", "precision.master", "precision.products"}},
	{id: "target.products", reads: []string{"precision.compute", "precision.products"}},
	{id: "target.attention", reads: []string{"model.heads", "model.headDim", "window.microBatchSize"}},
	{id: "target.offload", reads: []string{"offload.place", "offload.overrides"}},
	{id: "target.auto", reads: []string{"memory.policy"}},
	{id: "target.dropout", reads: []string{"dropout.attention"}},
	{id: "target.qknorm", reads: []string{"model.qkNorm"}},
	{id: "target.replicas", reads: []string{"window.replicas"}},
	{id: "spec.tensors", reads: []string{"checkpointing.tensors", "offload.tensors", "checkpointing.policy", "offload.place.activations"}},
	{id: "spec.groups", reads: []string{"optimizer.groups"}},

	{id: "spec.adamw", title: "settings of sgd with adamw", formula: "kind = adamw ⇒ no momentum, no nesterov", reads: []string{"optimizer.kind", "optimizer.momentum", "optimizer.nesterov"}},
	{id: "spec.sgd", title: "settings of adamw with sgd", formula: "kind = sgd ⇒ no beta1, beta2, eps", reads: []string{"optimizer.kind", "optimizer.beta1", "optimizer.beta2", "optimizer.eps"}},
	{id: "spec.buffers", title: "staging slots for transfers in flight", formula: "buffers > lead", reads: []string{"offload.prefetch.lead", "offload.prefetch.buffers"}, numbers: func(x xp, _ pp) string {
		return fmt.Sprintf("%d > %d", x.Offload.Prefetch.Buffers, x.Offload.Prefetch.Lead)
	}},
	{id: "spec.context", title: "a row fits the model", formula: "T ≤ context", reads: []string{"window.seqLen", "model.context"}, numbers: func(x xp, _ pp) string { return fmt.Sprintf("%d ≤ %d", x.Window.SeqLen, x.Model.Context) }},
	{id: "spec.decay", title: "the fall of wsd fits the run", formula: "kind = wsd ⇒ warmup + decay ≤ updates", reads: []string{"schedule.kind", "schedule.updates", "schedule.warmup", "schedule.decay"}},
	{id: "spec.eval", title: "a held-out loss has text", formula: "eval.every > 0 ⇒ data.eval ≠ []", reads: []string{"eval.every", "data.eval"}},
	{id: "spec.every", title: "policy and distance of checkpointing", formula: "policy = every ⇔ every is stated", reads: []string{"checkpointing.policy", "checkpointing.every"}},
	{id: "spec.family", title: "what a family fixes", formula: "gpt2: layernorm, gelu, learned; llama: rmsnorm, silu_glu, rope", reads: []string{"model.family", "model.norm.kind", "model.activation", "model.positions", "model.qkNorm"}},
	{id: "spec.layers", title: "lists of layers", formula: "layers ≠ [], each once, each in 0 .. model.layers − 1", reads: []string{"model.layers", "checkpointing.overrides", "offload.overrides"}},
	{id: "spec.rope", title: "rotary positions turn pairs", formula: "positions = rope ⇒ headDim mod 2 = 0", reads: []string{"model.positions", "model.headDim"}},
	{id: "spec.segments", title: "what segments see", formula: "crossAttention stated ⇒ mode = segments", reads: []string{"mask.packing.mode", "mask.packing.crossAttention"}},
	{id: "spec.shapes", title: "stated shapes", formula: "embed = lmHead = [vocab, dModel]", reads: []string{"model.vocab", "model.dModel", "model.shapes"}},
	{id: "spec.static", title: "the value of a loss scale", formula: "value stated ⇔ kind ≠ none", reads: []string{"precision.lossScale.kind", "precision.lossScale.value"}},
	{id: "spec.trains", title: "something is trained", formula: "prompt or response is trained", reads: []string{"mask.prompt", "mask.response"}},
	{id: "spec.vocab", title: "the vocabulary holds the ids of the text", formula: "vocab ≥ 256, or 257 with an end token", reads: []string{"model.vocab", "data.eos", "data.tokenizer"}},
	{id: "spec.width", title: "the width of a gpt2", formula: "gpt2: dModel = heads·headDim", reads: []string{"model.heads", "model.headDim", "model.dModel"}, numbers: func(x xp, _ pp) string {
		return fmt.Sprintf("%d · %d = %d", x.Model.Heads, x.Model.HeadDim, x.Model.Heads*x.Model.HeadDim)
	}},
}

// peakOf is the peak of the plan by class.
func peakOf(_ xp, p pp) string {
	if p == nil {
		return ""
	}
	pr := &p.Predictions
	var parts []string
	for _, c := range pr.ClassAtPeak {
		parts = append(parts, c.Class+" "+plan.Bytes(c.Bytes))
	}
	return fmt.Sprintf("M_peak = %s = %s at %s", strings.Join(parts, " + "), plan.Bytes(pr.Peak.Bytes), moment(&pr.Peak))
}

func targetsOf(x xp) *shape.TargetsPipeline {
	if x.Pipeline == nil || x.Pipeline.Targets == nil {
		return &shape.TargetsPipeline{}
	}
	return x.Pipeline.Targets
}
