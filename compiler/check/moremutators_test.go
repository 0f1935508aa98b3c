package check_test

// moreMutators are rarer mistakes of the same formulas, thought of before
// looking at how a rule decides. An op that overwrites what it saves itself is
// none of them: an operation in place, such as a relu, saves its result.
var moreMutators = []mutator{
	when(manyRanks, "the engine averages what is divided by N", "loss.once", "pipeline.loss", tree{"over": "update", "factors": []any{tree{"by": "ddp", "is": "1/R"}}}),
	when(manyBatches, "1/K on top of N", "loss.once", "pipeline.loss", tree{"over": "update", "factors": []any{tree{"by": "trainer", "is": "1/K"}}}),
	when(manyBatches, "1/K squared", "loss.once", "pipeline.loss", tree{"factors": []any{tree{"by": "trainer", "is": "1/(K*K)"}}}),
	{name: "shards of a row multiply", rule: "loss.once", change: func(c *change) bool {
		c.put("pipeline.data.sequenceShards", 4)
		return c.put("pipeline.loss", tree{"over": "update", "factors": []any{tree{"by": "engine", "is": "C"}}})
	}},
	always("divided by rows", "loss.once loss.tokens", "pipeline.loss", tree{"over": "nothing", "factors": []any{tree{"by": "trainer", "is": "1/(K*B*R)"}}}),
	when(all(shifted, func(c *change) bool { return !c.has("pipeline.data.layouts") }), "shifted twice in one layout", "loss.shift", "pipeline.targets", tree{"shifts": []any{tree{"by": "collator", "layouts": []any{"packed"}}, tree{"by": "loss"}}}),
	when(shifted, "shifted backwards", "loss.shift", "pipeline.targets", tree{"shifts": []any{tree{"by": "loss", "positions": -1}}}),
	when(shifted, "one prompt token too many is trained", "mask.align", "pipeline.mask.promptSlots", "P-2"),
	when(shifted, "the mask moves back", "mask.align", "pipeline.mask.shifts", []any{tree{"by": "loss", "positions": -1}}),
	{name: "one reader ignores a class", rule: "mask.ignore", change: func(c *change) bool {
		return c.has("pipeline.mask.ignore") && c.put("pipeline.mask.ignore.2.value", 0)
	}},
	{name: "the schedule is K times as long", rule: "cadence.unit", change: func(c *change) bool {
		return manyBatches(c) && c.put("pipeline.update", tree{"schedule": tree{"length": tree{"in": "updates", "times": "K"}}})
	}},
	{name: "only the length is counted in micro-batches", rule: "cadence.unit", change: func(c *change) bool {
		return manyBatches(c) && c.x.int("schedule.warmup") > 0 && c.put("pipeline.update", tree{"ticks": []any{tree{"by": "trainer", "per": "micro-batch"}}, "schedule": tree{"length": tree{"times": "K"}}})
	}},
	{name: "warm-up in samples", rule: "cadence.unit", change: func(c *change) bool {
		return c.x.int("schedule.warmup") > 0 && c.k()*c.ranks()*c.x.int("window.microBatchSize") > 1 && c.put("pipeline.update", tree{"schedule": tree{"warmup": tree{"in": "samples"}}})
	}},
	{name: "ranks of one node only", rule: "cadence.batch", change: func(c *change) bool {
		return manyRanks(c) && c.put("pipeline.window", tree{"globalBatch": c.k() * c.x.int("window.microBatchSize")})
	}},
	{name: "the schedule ticks before the step", rule: "scale.order", change: func(c *change) bool { return c.swap("pipeline.update.order", "tick", "step") }},
	{name: "backward is behind the step", rule: "scale.order", change: func(c *change) bool { return c.swap("pipeline.update.order", "backward", "step") }},
	always("no random state with a random order", "resume.state", "pipeline", tree{"trainer": "x", "data": tree{"order": "random stream"}, "resume": tree{"saves": []any{"parameters", "master", "moments", "updates", "schedule", "scaler", "cursor", "epoch"}}}),
	{name: "no random state with dropout", rule: "resume.state", change: func(c *change) bool {
		return c.has("dropout") && c.x.get("dropout.rate") != 0.0 && c.put("pipeline.resume.saves", []any{"parameters", "master", "moments", "updates", "schedule", "scaler", "cursor", "epoch"})
	}},
	always("the cursor starts anew", "resume.state resume.cursor", "pipeline.resume.restarts", []any{"cursor"}),
	{name: "micro-batches of another size", rule: "resume.cursor", change: func(c *change) bool {
		return c.put("pipeline.resume", tree{"before": tree{"microBatchSize": c.x.int("window.microBatchSize") + 1}, "cursor": tree{"counted": "micro-batches"}})
	}},
	{name: "another number of ranks", rule: "resume.cursor", change: func(c *change) bool {
		return c.put("pipeline.resume", tree{"before": tree{"replicas": 2 * c.ranks()}, "cursor": tree{"counted": "updates"}})
	}},
	always("the average is not saved", "resume.state", "pipeline.resume.saves", []any{"master", "moments", "updates", "schedule", "scaler", "random", "cursor", "epoch"}),
	{name: "one key too many", rule: "attn.visible", change: func(c *change) bool {
		w := c.x.int("model.attention.window")
		return w > 0 && w < c.x.int("window.seqLen") && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "window": tree{"size": w + 1}}}})
	}},
	{name: "one key too few", rule: "attn.visible", change: func(c *change) bool {
		w := c.x.int("model.attention.window")
		return w > 1 && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a"}, tree{"name": "b", "window": tree{"size": w - 1}}}})
	}},
	{name: "a window that nobody asks for", rule: "attn.visible", change: func(c *change) bool {
		return c.x.int("model.attention.window") == 0 && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "window": tree{"size": 4}}}})
	}},
	{name: "divided by the groups", rule: "attn.heads", change: func(c *change) bool {
		kv := c.x.int("model.kvHeads")
		return kv > 1 && kv*kv != c.x.int("model.heads") && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "heads": tree{"divisor": kv}}}})
	}},
	{name: "the mean over a group", rule: "attn.heads", change: func(c *change) bool {
		return c.x.int("model.kvHeads") < c.x.int("model.heads") && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "heads": tree{"gradient": "mean"}}}})
	}},
	{name: "the scale of all heads", rule: "attn.scale", change: func(c *change) bool {
		return c.x.int("model.heads") > 1 && c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a"}, tree{"name": "b", "pass": "backward", "scales": []any{tree{"by": "kernel", "is": "1/sqrt(heads*headDim)"}}}}})
	}},
	{name: "lengths in another order", rule: "attn.docs", change: func(c *change) bool {
		return c.x.text("mask.packing.mode") == "segments" && c.x.get("mask.packing.crossAttention") != true && c.put("pipeline.attention", tree{"documents": []any{3, 5}, "backends": []any{tree{"name": "a", "separates": "lengths", "lengths": []any{5, 3}}}})
	}},
	always("a mask that is too weak", "mask.value", "pipeline.mask.scores", tree{"how": "add", "fill": -10}),
	{name: "a block that does not exist", rule: "attn.visible", change: func(c *change) bool {
		return c.put("pipeline.attention", tree{"backends": []any{tree{"name": "a", "layers": []any{c.x.int("model.layers")}, "causal": false}}})
	}},
	always("read after its release", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "copy-out", "stream": "out", "start": 1, "end": 2}, tree{"does": "release", "start": 3}, tree{"does": "read", "start": 5, "end": 6}}}}}),
	always("copied out after its release", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "release", "start": 1}, tree{"does": "copy-out", "stream": "out", "start": 2, "end": 3}}}}}),
	always("read on another stream while it is released", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "name": "w"}, tree{"does": "read", "stream": "side", "after": []any{"w"}}, tree{"does": "release"}}}}}),
	always("written again during the copy", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "copy-out", "stream": "out", "start": 1, "end": 6}, tree{"does": "write", "start": 3, "end": 4}}}}}),
	always("never copied out", "place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "h", "events": []any{tree{"does": "write", "start": 0, "end": 1}, tree{"does": "release", "start": 1}, tree{"does": "copy-in", "stream": "in", "start": 2, "end": 3}, tree{"does": "read", "start": 4, "end": 5}}}}}),
	always("host memory of many buffers", "place.host", "pipeline.offload", tree{"host": tree{"budget": 10000, "buffers": []any{tree{"name": "slot", "bytes": 4000, "count": 3}}}}),
	always("a view is overwritten", "grad.save", "pipeline.graph", tree{"ops": []any{tree{"name": "norm", "reads": []any{"x"}, "makes": []any{"y"}, "saves": []any{"x"}}, tree{"name": "reshape", "reads": []any{"x"}, "makes": []any{"v"}, "view": true}, tree{"name": "add", "reads": []any{"v", "y"}, "makes": []any{"z"}, "overwrites": []any{"v"}}}}),
	always("a pattern takes a parameter twice", "grad.alias", "pipeline.graph", tree{"parameters": []any{tree{"name": "blocks.0.w"}}, "groups": []any{tree{"name": "a", "params": []any{"blocks.*"}}, tree{"name": "b", "params": []any{"*.w"}}}}),
	always("a short shard is left out", "grad.alias", "pipeline.graph", tree{"parameters": []any{tree{"name": "w", "shards": tree{"rows": 10, "ranks": 4, "perRank": 3, "last": "left-out"}}}}),
	always("too few programs", "grad.cover", "pipeline.graph", tree{"kernels": []any{tree{"name": "n", "shape": []any{100, 64}, "block": 32, "programs": 3}}}),
	always("elements beyond 32 bits", "grad.cover", "pipeline.graph", tree{"kernels": []any{tree{"name": "n", "shape": []any{65536, 65536}, "indexBits": 32}}}),
	{name: "logits in f32 beside bf16", rule: "mem.peak", change: func(c *change) bool {
		n := 8 * c.x.int("model.vocab")
		return c.put("pipeline.memory", tree{"predicted": 2 * n, "owners": []any{tree{"name": "logits", "is": "logits", "tokens": 8, "element": 2}, tree{"name": "their f32 copy", "is": "logits", "tokens": 8, "element": 4}}})
	}},
	always("a second copy on resume", "mem.peak", "pipeline.memory", tree{"budget": 1500, "owners": []any{tree{"name": "state", "bytes": 800}, tree{"name": "loaded", "bytes": 800, "only": "resume", "until": "forward"}}}),
	always("moments that come with the first step", "mem.peak", "pipeline.memory", tree{"budget": 1500, "owners": []any{tree{"name": "activations", "bytes": 1000, "from": "forward", "until": "backward"}, tree{"name": "moments", "bytes": 800, "only": "later-updates"}}}),
	always("a factor that depends on the layout", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "z", "coefficient": 0.001, "factors": []any{tree{"by": "router", "is": "coefficient"}, tree{"by": "engine", "is": "cp"}}, "sizes": tree{"cp": 2}}}}),
	always("after padding and dropping", "aux.loss", "pipeline.aux", tree{"terms": []any{tree{"name": "z", "coefficient": 0.001, "computed": "after"}}}),
	{name: "targets that are not equal", rule: "loss.tokens", change: func(c *change) bool {
		return c.k() > 1 && !c.has("window.normalize") && c.put("pipeline.window", tree{"equalTargets": true, "example": []any{tree{"targets": 12}, tree{"targets": 9}}}) && c.put("pipeline.loss", tree{"over": "micro-batch", "factors": []any{tree{"by": "trainer", "is": "1/K"}}})
	}},
	always("both a tensor and its name are moved", "grad.alias place.order", "pipeline.offload", tree{"storages": []any{tree{"name": "embed", "names": []any{"head"}, "managers": []any{"a"}}, tree{"name": "head", "managers": []any{"b"}}}}),
}
