package check_test

var graphMutators = []mutator{
	// Attention.
	{name: "a window off by one in one back end", rule: "attn.visible", change: func(c *change) bool {
		return c.x.int("model.attention.window") > 1 && !c.has("pipeline.attention.windows") && c.x.int("pipeline.attention.queries") == 0 && c.has("pipeline.attention.backends") &&
			c.x.int("model.attention.window") < c.x.int("window.seqLen") && c.put("pipeline.attention.backends.0.window", tree{"counts": "own-extra"})
	}},
	{name: "a window that one pass leaves out", rule: "attn.visible", change: func(c *change) bool {
		return c.x.int("model.attention.window") > 0 && c.x.int("model.attention.window") < c.x.int("window.seqLen") && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a"}, tree{"name": "a", "pass": "backward", "window": tree{"used": false}}}})
	}},
	always("no causal mask", "attn.visible", "pipeline.attention", tree{"backends": []any{tree{"name": "a", "causal": false}}}),
	when(func(c *change) bool { return c.x.int("model.attention.window") == 0 }, "the other triangle", "attn.visible", "pipeline.attention", tree{"queries": 4, "keys": 10, "alignment": "bottom-right", "backends": []any{tree{"name": "a", "alignment": "top-left"}}}),
	always("no alignment", "attn.visible", "pipeline.attention", tree{"queries": 4, "keys": 10, "backends": []any{tree{"name": "a"}}}),
	always("a window of blocks that do not slide", "attn.visible", "pipeline.attention", tree{"windows": []any{tree{"layers": []any{0}, "size": 3}}, "backends": []any{tree{"name": "a", "layers": []any{0}, "window": tree{"size": 4}}}}),
	when(func(c *change) bool { return c.x.int("model.heads") > 1 || c.has("model.dModel") }, "scaled by the width", "attn.scale", "pipeline.attention", tree{"backends": []any{tree{"name": "a", "scales": []any{tree{"by": "kernel", "is": "1/sqrt(dModel)"}}}}}),
	always("scaled twice", "attn.scale", "pipeline.attention", tree{"backends": []any{tree{"name": "a", "scales": []any{tree{"by": "model", "is": "1/sqrt(headDim)"}, tree{"by": "kernel", "is": "1/sqrt(headDim)"}}}}}),
	always("scaled by nobody", "attn.scale", "pipeline.attention", tree{"backends": []any{tree{"name": "a", "scales": []any{}}}}),
	always("another scale is not passed on", "attn.scale", "pipeline.attention", tree{"scale": 1, "backends": []any{tree{"name": "a", "scales": []any{tree{"by": "kernel", "is": "1/sqrt(headDim)"}}}}}),
	{name: "documents see each other", rule: "attn.docs", change: func(c *change) bool {
		return c.x.text("mask.packing.mode") == "segments" && c.x.get("mask.packing.crossAttention") != true && c.put("pipeline.attention", tree{"documents": []any{3, 5}, "backends": []any{tree{"name": "a", "separates": "nothing"}}})
	}},
	{name: "positions hide nothing", rule: "attn.docs", change: func(c *change) bool {
		return c.x.text("mask.packing.mode") == "segments" && c.x.get("mask.packing.crossAttention") != true && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "separates": "positions"}}})
	}},
	{name: "lengths of another row", rule: "attn.docs", change: func(c *change) bool {
		return c.x.text("mask.packing.mode") == "segments" && c.x.get("mask.packing.crossAttention") != true && c.put("pipeline.attention", tree{"documents": []any{3, 5}, "backends": []any{tree{"name": "a", "separates": "lengths", "lengths": []any{8}}}})
	}},
	{name: "heads by another divisor", rule: "attn.heads", change: func(c *change) bool {
		return c.x.int("model.kvHeads") > 1 && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "heads": tree{"divisor": 2 * c.x.int("model.heads") / c.x.int("model.kvHeads")}}}})
	}},
	{name: "interleaved heads on one path", rule: "attn.heads", change: func(c *change) bool {
		kv := c.x.int("model.kvHeads")
		return kv > 1 && kv < c.x.int("model.heads") && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "heads": tree{"order": "interleaved"}}}})
	}},
	{name: "the gradient of one head of a group", rule: "attn.heads", change: func(c *change) bool {
		return c.x.int("model.kvHeads") < c.x.int("model.heads") && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "heads": tree{"gradient": "last"}}}})
	}},
	own("heads that do not divide", "attn.heads", "model", tree{"family": "gpt2", "layers": 2, "heads": 6, "kvHeads": 4, "headDim": 8, "vocab": 300, "context": 8192}),
	{name: "rows longer than the context", rule: "spec.context", own: true, change: func(c *change) bool { return c.put("model.context", c.x.int("window.seqLen")-1) }},
	// Recompute.
	always("reentrant without a gradient", "remat.input", "pipeline.recompute", tree{"segments": []any{tree{"name": "block", "form": "reentrant", "inputs": []any{tree{"name": "ids", "gradient": false}}}}}),
	always("two owners of a form", "remat.input", "pipeline.recompute", tree{"settings": []any{tree{"by": "user", "form": "non-reentrant"}, tree{"by": "trainer", "form": "reentrant"}}}),
	{name: "a random op without state", rule: "remat.rng", change: func(c *change) bool {
		return c.has("pipeline.recompute.segments.0.random") && c.put("pipeline.recompute.segments.0.random.0.state", "fresh")
	}},
	{name: "another generator", rule: "remat.rng", change: func(c *change) bool {
		return c.has("pipeline.recompute.segments.0.random") && c.put("pipeline.recompute.segments.0.random.1.generator", "tensor parallel")
	}},
	when(func(c *change) bool { return c.has("dropout") && c.x.get("dropout.rate") != 0.0 }, "random state is given up", "remat.rng", "pipeline.recompute", tree{"settings": []any{tree{"by": "trainer", "on": true, "randomState": false}}}),
	{name: "a metric in every run", rule: "remat.pure", change: func(c *change) bool {
		return c.has("pipeline.recompute.segments.0.writes") && c.put("pipeline.recompute.segments.0.writes.0.each", "every-run")
	}},
	always("recomputed by two", "remat.pure", "pipeline.recompute", tree{"segments": []any{tree{"name": "block", "by": []any{"model", "wrapper"}}}}),
	{name: "nested without consent", rule: "remat.pure", change: func(c *change) bool {
		return len(c.x.list("pipeline.recompute.segments")) == 2 && c.put("pipeline.recompute.segments.1.acceptRepeats", false)
	}},
	// Offload.
	always("back before it is gone", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "copy-out", "stream": "out", "start": 1, "end": 6}, tree{"does": "copy-in", "stream": "in", "start": 5, "end": 7}}}}}),
	always("out before it is written", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 3}, tree{"does": "copy-out", "stream": "out", "start": 2, "end": 6}}}}}),
	always("used before it is back", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "copy-out", "stream": "out", "start": 1, "end": 2}, tree{"does": "copy-in", "stream": "in", "start": 3, "end": 7}, tree{"does": "read", "start": 6, "end": 8}}}}}),
	always("released in the copy", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "copy-out", "stream": "out", "start": 1, "end": 6}, tree{"does": "release", "start": 4}}}}}),
	{name: "the copy out waits for nobody", rule: "place.order", change: func(c *change) bool {
		return c.x.text("pipeline.offload.storages.0.events.0.name") == "made" && c.put("pipeline.offload.storages.0.events.1.after", []any{})
	}},
	{name: "the copy in waits for nobody", rule: "place.order", change: func(c *change) bool {
		return c.x.text("pipeline.offload.storages.0.events.0.name") == "made" && c.put("pipeline.offload.storages.0.events.3.after", []any{})
	}},
	{name: "the reader does not wait", rule: "place.order", change: func(c *change) bool {
		return c.x.text("pipeline.offload.storages.0.events.0.name") == "made" && c.put("pipeline.offload.storages.0.events.4.after", []any{})
	}},
	always("parameters in the set", "place.useless", "pipeline.offload", tree{"sets": []any{tree{"name": "saved", "holds": []any{tree{"name": "w", "is": "parameters", "bytes": 4096}}}}}),
	always("pinned in the step", "place.useless", "pipeline.offload", tree{"pool": tree{"allocated": "in-step"}}),
	always("recompute that saves nothing", "place.useless", "pipeline.recompute", tree{"segments": []any{tree{"name": "block", "bytes": tree{"without": 100, "with": 100}}}}),
	{name: "a group is never reloaded", rule: "place.order place.useless", change: func(c *change) bool {
		return len(c.x.list("pipeline.offload.turns")) == 3 && c.put("pipeline.offload.turns", without(c.x.list("pipeline.offload.turns"), 1))
	}},
	{name: "rounded to a power of two", rule: "place.host", change: func(c *change) bool {
		return c.put("pipeline.offload", tree{"host": tree{"budget": 5000, "rounding": "power-of-two", "buffers": []any{tree{"name": "slot", "bytes": 4097}}}})
	}},
	// The graph.
	{name: "tied names in two storages", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph.tied") && c.put("pipeline.graph.parameters.1.storage", "v")
	}},
	{name: "tied names with two slots", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.1.slot", "other")
	}},
	{name: "one use is left out", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.0.uses.1.gradient", "left-out")
	}},
	{name: "one use overwrites", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.0.uses.0.gradient", "overwrites")
	}},
	{name: "parts are not reduced", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.3.replicas.reduce", "none")
	}},
	{name: "wholes are summed", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.3.replicas.gradients", "whole")
	}},
	{name: "rows are rounded down", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.4.shards.perRank", 2)
	}},
	{name: "in two groups", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph.groups") && c.put("pipeline.graph.groups.1.params", []any{"norm", "head"})
	}},
	{name: "in no group", rule: "grad.alias", change: func(c *change) bool {
		return c.has("pipeline.graph.groups") && c.put("pipeline.graph.groups.0.params", []any{"embed"})
	}},
	always("two managers", "grad.alias", "pipeline.offload", tree{"storages": []any{tree{"name": "w", "names": []any{"embed", "head"}, "managers": []any{"a", "b"}}}}),
	{name: "used rows without gradient", rule: "grad.reach", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.0.rowsUsed", []any{0, 1})
	}},
	{name: "a trained parameter is cut off", rule: "grad.reach", change: func(c *change) bool {
		return c.has("pipeline.graph") && c.put("pipeline.graph.parameters.4.cutBy", "no_grad")
	}},
	{name: "a term is cut off", rule: "grad.reach", change: func(c *change) bool {
		return c.has("pipeline.graph.terms") && c.put("pipeline.graph.terms.1.coefficient", 0.5)
	}},
	{name: "a cast without history", rule: "grad.reach", change: func(c *change) bool {
		return c.has("pipeline.graph.casts") && c.put("pipeline.graph.casts.1.read", "with-gradients")
	}},
	{name: "an op that cuts", rule: "grad.reach", change: func(c *change) bool {
		return c.has("pipeline.graph.ops") && c.has("pipeline.graph.terms") && c.put("pipeline.graph.terms.0.of", "z") && c.put("pipeline.graph.ops.1.cuts", true)
	}},
	{name: "what is kept is overwritten", rule: "grad.save", change: func(c *change) bool {
		return c.has("pipeline.graph.ops") && c.put("pipeline.graph.ops.2.overwrites", []any{"x"})
	}},
	{name: "backward overwrites what is kept", rule: "grad.save", change: func(c *change) bool {
		return c.has("pipeline.graph.ops") && c.put("pipeline.graph.ops.2.backwardOverwrites", []any{"x"})
	}},
	{name: "rows of one axis", rule: "grad.cover", change: func(c *change) bool {
		return c.has("pipeline.graph.kernels") && c.put("pipeline.graph.kernels.0.rows", 8)
	}},
	{name: "too few partial sums", rule: "grad.cover", change: func(c *change) bool {
		return c.has("pipeline.graph.kernels") && c.put("pipeline.graph.kernels.0.partials", 24)
	}},
	{name: "part of a row", rule: "grad.cover", change: func(c *change) bool {
		return c.has("pipeline.graph.kernels") && c.put("pipeline.graph.kernels.0.covers", 63)
	}},
	{name: "an unproved size", rule: "grad.cover", change: func(c *change) bool {
		return c.has("pipeline.graph.kernels") && c.put("pipeline.graph.kernels.1.proved", []any{tree{"headDim": 1 + c.x.int("model.headDim")}})
	}},
	// Memory and auxiliary losses.
	{name: "a budget below the peak", rule: "mem.peak", change: func(c *change) bool {
		return c.has("pipeline.memory") && c.put("pipeline.memory.budget", 1000)
	}},
	{name: "a prediction without an owner", rule: "mem.peak", change: func(c *change) bool {
		return c.has("pipeline.memory") && c.put("pipeline.memory.predicted", 1000)
	}},
	{name: "logits live on", rule: "mem.peak", change: func(c *change) bool {
		return c.has("pipeline.memory") && c.put("pipeline.memory.owners.2.until", "next-forward")
	}},
	{name: "graphs of a whole window", rule: "mem.peak", change: func(c *change) bool {
		return manyBatches(c) && c.has("pipeline.memory") && c.put("pipeline.memory.backward", "whole-window")
	}},
	always("a hole too small", "mem.peak", "pipeline.memory", tree{"allocator": tree{"bytes": 4096, "live": []any{tree{"at": 2000, "bytes": 96}}, "request": 3000}}),
	always("a probe without the step", "mem.peak", "pipeline.memory", tree{"owners": []any{tree{"name": "p", "bytes": 100}, tree{"name": "scratch", "bytes": 900, "from": "step", "until": "step"}}, "probe": tree{"phases": []any{"forward", "backward"}}}),
	always("two moments compared", "mem.report", "pipeline.memory", tree{"report": tree{"readings": []any{tree{"number": "allocated", "bytes": 10, "at": "after backward"}, tree{"number": "reserved", "bytes": 11, "at": "after the step"}}}}),
	when(manyBatches, "the last micro-batch is remembered", "mem.report", "pipeline.memory", tree{"report": tree{"keeps": "last-micro-batch"}}),
	always("the coefficient twice", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "balance", "coefficient": 0.01, "factors": []any{tree{"by": "router", "is": "coefficient"}, tree{"by": "loss", "is": "coefficient"}}}}}),
	when(manyBatches, "an auxiliary loss per micro-batch", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "balance", "coefficient": 0.01, "divisor": "micro-batch"}}}),
	always("pads are balanced", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "balance", "coefficient": 0.01, "counts": "all"}}}),
	always("the router gets nothing", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "balance", "coefficient": 0.01, "reaches": "nothing"}}}),
	always("stronger in one layout", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "balance", "coefficient": 0.01, "factors": []any{tree{"by": "router", "is": "coefficient"}, tree{"by": "layout", "is": "tp"}}, "layouts": []any{tree{"name": "one", "sizes": tree{"tp": 1}}, tree{"name": "eight", "sizes": tree{"tp": 8}}}}}}),
	// gradcue's own placement and limits.
	own("dropout of probabilities", "target.dropout", "dropout", tree{"attention": 0.5}),
	own("a placement on disk", "target.offload", "offload", tree{"place": tree{"optimizer": "disk"}}),
	own("a pattern that matches nothing", "spec.groups", "optimizer", tree{"lr": 1e-3, "groups": []any{tree{"params": []any{"*.bia"}, "weightDecay": 0}}}),
	own("a list that recomputes nothing", "spec.tensors", "checkpointing", tree{"tensors": []any{"act"}}),
	{name: "a held-out loss of nothing", rule: "spec.eval", own: true, change: func(c *change) bool {
		c.put("eval", tree{"every": 10})
		return c.put("data", tree{"train": []any{"a.txt"}})
	}},
}
