package check_test

import "slices"

// mutators are ways to break one formula. The name says what is wrong.
var mutators = slices.Concat(trainingMutators, graphMutators, moreMutators)

var trainingMutators = []mutator{
	// Targets and masks.
	when(shifted, "two shifters", "loss.shift", "pipeline.targets.shifts", []any{tree{"by": "collator"}, tree{"by": "loss"}}),
	when(shifted, "nobody shifts", "loss.shift", "pipeline.targets.shifts", []any{}),
	when(shifted, "shifted by two", "loss.shift", "pipeline.targets.shifts", []any{tree{"by": "dataset", "positions": 2}}),
	when(shifted, "one layout is not shifted", "loss.shift", "pipeline.targets", tree{"shifts": []any{tree{"by": "loss", "layouts": []any{"padded"}}, tree{"by": "dataset", "positions": 0, "layouts": []any{"packed"}}}}),
	when(all(shifted, func(c *change) bool { return c.x.int("window.microBatchSize") > 1 }), "shifted when flattened", "loss.edge", "pipeline.targets.shifts", []any{tree{"by": "loss", "on": "flattened"}}),
	{name: "shifted on shards", rule: "loss.edge", change: func(c *change) bool {
		c.put("pipeline.data.sequenceShards", 4)
		return shifted(c) && c.put("pipeline.targets.shifts", []any{tree{"by": "loss", "on": "shard"}})
	}},
	when(shifted, "rolled rows", "loss.edge", "pipeline.targets.shifts", []any{tree{"by": "loss", "on": "ring"}}),
	always("trained across documents", "loss.edge", "pipeline.targets", tree{"documentBorders": "trained"}),
	when(shifted, "the mask moves twice", "mask.align", "pipeline.mask.shifts", []any{tree{"by": "collator"}, tree{"by": "loss"}}),
	when(shifted, "the mask stays", "mask.align", "pipeline.mask.shifts", []any{}),
	when(shifted, "the whole prompt is ignored", "mask.align", "pipeline.mask.promptSlots", "P"),
	{name: "a marker of its own", rule: "mask.align", change: func(c *change) bool {
		return c.x.text("pipeline.mask.roles.foundBy") == "marker" && c.put("pipeline.mask.roles.markerFrom", "alone")
	}},
	{name: "padding is the end token", rule: "mask.pad", change: func(c *change) bool {
		return c.x.text("pipeline.mask.padding.foundBy") == "id" && c.put("pipeline.data.ids", tree{"pad": 2, "eos": 2})
	}},
	{name: "padding is in the template", rule: "mask.pad", change: func(c *change) bool {
		return c.x.text("pipeline.mask.padding.foundBy") == "id" && c.put("pipeline.data.ids", tree{"pad": 3, "template": []any{3, 4}})
	}},
	always("padding is not masked", "mask.pad", "pipeline.mask.padding.foundBy", "nothing"),
	{name: "runs of pads on the wrong side", rule: "mask.pad", change: func(c *change) bool {
		return c.x.text("pipeline.mask.padding.foundBy") == "trailing id" && c.put("pipeline.mask.padding.side", "left")
	}},
	{name: "pad 0 is no pad", rule: "mask.pad", change: func(c *change) bool {
		return c.x.get("pipeline.mask.padding.zeroIsAbsent") == true && c.put("pipeline.data.ids.pad", 0)
	}},
	when(func(c *change) bool { return c.x.text("mask.eos") != "none" }, "nobody ends", "mask.eos", "pipeline.data.ends", []any{}),
	when(func(c *change) bool { return c.x.text("mask.eos") != "none" }, "two end tokens", "mask.eos", "pipeline.data.ends", []any{tree{"by": "template"}, tree{"by": "tokenizer"}}),
	always("empty windows are 0/0", "mask.empty", "pipeline.loss.emptyWindow", "0/0"),
	{name: "empty micro-batches are 0/0", rule: "mask.empty", change: func(c *change) bool {
		return c.x.text("pipeline.loss.over") == "micro-batch" && c.x.get("pipeline.window.equalTargets") != true && c.put("pipeline.loss.emptyMicroBatch", "0/0")
	}},
	always("losses differ on nothing", "mask.empty", "pipeline.loss.implementations", []any{tree{"name": "plain", "empty": "zero"}, tree{"name": "fused", "empty": "0/0"}}),
	always("too many empty samples", "mask.empty", "pipeline.mask.emptySamples", tree{"count": 3, "of": 4}),
	when(func(c *change) bool { return !c.has("pipeline.mask.emptySamples") }, "samples without roles are kept", "mask.empty", "pipeline.mask.roles", tree{"unmatched": "ignore"}),
	when(describes("mask.ignore"), "another ignore index", "mask.ignore", "pipeline.mask.ignore.1.value", -100),
	when(describes("mask.ignore"), "the metrics know none", "mask.ignore", "pipeline.mask.ignore.2", tree{"by": "metrics"}),
	always("ignore index is a class", "mask.ignore", "pipeline.mask.ignore", []any{tree{"by": "loss", "value": 0}}),
	own("ignore index is a token", "mask.ignore", "mask.ignoreIndex", 5),
	always("two planes of the smallest number", "mask.value", "pipeline.mask.scores", tree{"how": "add", "planes": 2}),
	always("a fill beyond f16", "mask.value", "pipeline.mask.scores", tree{"how": "add", "fill": -65500, "type": "f16"}),
	always("masked after softmax", "mask.order", "pipeline.mask.scores.order", []any{"scale", "softmax", "mask"}),
	always("capped after the mask", "mask.order", "pipeline.mask.scores.order", []any{"mask", "cap", "softmax"}),
	always("ignored before roles are found", "mask.order", "pipeline.mask.order", []any{"ignore", "roles"}),
	always("softmax of nothing", "mask.row", "pipeline.mask", tree{"padding": tree{"side": "left", "most": 3}, "scores": tree{"emptyRow": "softmax"}}),
	// The loss and its factors.
	when(manyBatches, "1/K twice", "loss.once", "pipeline.loss", tree{"factors": []any{tree{"by": "trainer", "is": "1/K"}, tree{"by": "engine", "is": "1/K"}}}),
	when(manyBatches, "1/K by nobody", "loss.once", "pipeline.loss", tree{"factors": []any{}}),
	when(manyRanks, "1/R twice", "loss.once", "pipeline.loss", tree{"over": "nothing", "factors": []any{tree{"by": "loss", "is": "1/N"}, tree{"by": "engine", "is": "1/R"}}}),
	when(manyRanks, "R without 1/R", "loss.once", "pipeline.loss", tree{"over": "update", "factors": []any{tree{"by": "trainer", "is": "R"}}}),
	always("a sum for a mean", "loss.once", "pipeline.loss", tree{"over": "nothing", "factors": []any{}}),
	when(manyBatches, "the count is not used", "loss.once loss.tokens", "pipeline.loss", tree{"over": "update", "countUsed": false}),
	when(manyBatches, "one engine divides again", "loss.once", "pipeline.loss", tree{"engines": []any{"a", "b"}, "factors": []any{tree{"by": "trainer", "is": "1/K"}, tree{"by": "engine", "is": "1/K", "engines": []any{"b"}}}}),
	always("a factor of 2", "loss.once", "pipeline.loss", tree{"over": "update", "factors": []any{tree{"by": "trainer", "is": "2"}}}),
	{name: "micro-batches of their own length", rule: "loss.tokens", change: func(c *change) bool {
		return c.k()*c.ranks() > 1 && c.x.text("window.normalize") != "microbatch-mean" && c.x.text("pipeline.loss.over") == "micro-batch" && c.x.get("pipeline.window.equalTargets") == true && c.put("pipeline.window.equalTargets", false)
	}},
	{name: "ranks of their own length", rule: "loss.tokens", change: func(c *change) bool {
		return manyRanks(c) && c.x.text("window.normalize") != "microbatch-mean" && c.x.get("pipeline.window.equalTargets") != true && c.put("pipeline.loss", tree{"over": "rank", "factors": []any{tree{"by": "engine", "is": "1/R"}}})
	}},
	{name: "padding is counted", rule: "loss.tokens", change: func(c *change) bool {
		return c.has("pipeline.loss") && c.put("pipeline.loss.count", "unpadded")
	}},
	when(func(c *change) bool {
		return !c.has("window.normalize") && c.x.get("pipeline.window.equalTargets") != true
	}, "samples are counted", "loss.tokens", "pipeline.loss", tree{"over": "update", "factors": []any{}, "count": "samples"}),
	{name: "weighted by positions", rule: "loss.tokens", change: func(c *change) bool {
		return c.x.text("pipeline.loss.weights") == "targets" && c.x.text("window.normalize") != "microbatch-mean" && c.x.get("pipeline.window.equalTargets") != true && c.put("pipeline.loss.weights", "positions")
	}},
	own("a mean of means", "loss.tokens", "window", tree{"microBatches": 4, "microBatchSize": 2, "seqLen": 8, "normalize": "microbatch-mean"}),
	// The window.
	{name: "the last window is divided by K", rule: "window.last", change: func(c *change) bool {
		return manyBatches(c) && c.x.text("window.last") == "flush" && c.put("pipeline.window", tree{"batches": 10*c.k() + 1, "lastDividedBy": "K"})
	}},
	{name: "the last window is dropped", rule: "window.last", change: func(c *change) bool {
		return manyBatches(c) && c.x.text("window.last") != "drop" && c.put("pipeline.window", tree{"batches": 10*c.k() + 1, "last": "drop"})
	}},
	{name: "another global batch", rule: "cadence.batch", change: func(c *change) bool {
		return c.put("pipeline.window.globalBatch", 2*c.k()*c.x.int("window.microBatchSize")*c.ranks())
	}},
	{name: "ranks of one machine", rule: "cadence.batch", change: func(c *change) bool {
		c.put("pipeline.window.ranksPerNode", c.ranks())
		return c.put("pipeline.window.nodes", 2)
	}},
	own("sequences are not K·B·R", "cadence.batch", "window.sequences", 7919),
	{name: "warm-up in micro-batches", rule: "cadence.unit", change: func(c *change) bool {
		return manyBatches(c) && c.x.int("schedule.warmup") > 0 && c.put("pipeline.update", tree{"schedule": tree{"warmup": tree{"in": "micro-batches"}}})
	}},
	when(manyBatches, "ticks per micro-batch", "cadence.unit", "pipeline.update", tree{"ticks": []any{tree{"by": "trainer", "per": "micro-batch"}}}),
	when(manyRanks, "ticks per process", "cadence.unit", "pipeline.update", tree{"ticks": []any{tree{"by": "accelerator", "per": "process"}}}),
	always("two tickers", "cadence.unit", "pipeline.update", tree{"ticks": []any{tree{"by": "trainer"}, tree{"by": "callback"}}}),
	always("nobody ticks", "cadence.unit", "pipeline.update", tree{"ticks": []any{}}),
	own("warm-up longer than the run", "cadence.unit", "schedule", tree{"updates": 100, "warmup": 200}),
	when(manyBatches, "cleared in each micro-batch", "cadence.zero", "pipeline.update.clears", []any{tree{"by": "trainer", "per": "micro-batch"}}),
	always("never cleared", "cadence.zero", "pipeline.update.clears", []any{}),
	always("cleared before the step", "cadence.zero", "pipeline.update.order", []any{"backward", "clear", "step"}),
	always("cleared twice", "cadence.zero", "pipeline.update.clears", []any{tree{"by": "trainer"}, tree{"by": "engine"}}),
	{name: "cleared in a pending window", rule: "cadence.zero", change: func(c *change) bool {
		c.put("pipeline.window", tree{"batches": 10*c.k() + 1})
		return manyBatches(c) && c.x.text("window.last") == "carry" && c.put("pipeline.update.clears", []any{tree{"by": "trainer"}, tree{"by": "loader", "per": "epoch"}})
	}},
	// The update.
	{name: "clipped before unscaled", rule: "scale.order", change: func(c *change) bool { return c.swap("pipeline.update.order", "unscale", "clip") }},
	{name: "checked before unscaled", rule: "scale.order", change: func(c *change) bool { return c.swap("pipeline.update.order", "check", "unscale") }},
	{name: "step before check", rule: "scale.order", change: func(c *change) bool { return c.swap("pipeline.update.order", "check", "step") }},
	{name: "rescaled before unscaled", rule: "scale.order", change: func(c *change) bool { return c.swap("pipeline.update.order", "rescale", "unscale") }},
	when(all(clips, manyBatches), "clipped per micro-batch", "scale.order", "pipeline.update.clips", []any{tree{"by": "trainer", "per": "micro-batch"}}),
	when(clips, "clipped twice", "scale.order", "pipeline.update.clips", []any{tree{"by": "trainer"}, tree{"by": "engine"}}),
	when(clips, "never clipped", "scale.order", "pipeline.update.clips", []any{}),
	when(hasScaler, "unscaled twice", "scale.order", "pipeline.update.unscales", []any{tree{"by": "trainer"}, tree{"by": "engine"}}),
	when(hasScaler, "never unscaled", "scale.order", "pipeline.update.unscales", []any{}),
	when(hasScaler, "unscaled by another scale", "scale.order", "pipeline.update.unscales", []any{tree{"by": "trainer", "with": "new scale"}}),
	own("tf32 without a GPU", "target.precision", "precision", tree{"products": "tf32"}),
	own("f16 products without a GPU", "target.precision", "precision", tree{"compute": "f16", "products": "f16dot", "lossScale": tree{"kind": "dynamic"}}),
	own("f16 without a scaler", "scale.need", "precision", tree{"compute": "f16"}),
	own("a scaler without f16", "scale.need", "precision", tree{"compute": "bf16", "lossScale": tree{"kind": "dynamic"}}),
	always("the schedule ticks on skips", "scale.skip", "pipeline.update.ticks", []any{tree{"by": "trainer", "onSkip": true}}),
	always("a skip decays", "scale.skip", "pipeline.update.skip", tree{"changes": []any{"decay"}}),
	always("skips are not seen", "scale.skip", "pipeline.update.skip", tree{"reported": false}),
	always("skips without end", "scale.skip", "pipeline.update.skip", tree{"limit": 0}),
	always("zeros for bad numbers", "scale.skip", "pipeline.update.skip", tree{"does": "step with zeros"}),
	always("never skipped", "scale.skip", "pipeline.update.skip", tree{"when": "never"}),
	when(manyRanks, "each rank skips", "scale.skip", "pipeline.update.skip", tree{"decidedBy": "each rank"}),
	when(clips, "the norm of a shard", "clip.norm", "pipeline.update.norm", tree{"over": "shard"}),
	when(all(clips, manyRanks), "replicas in the norm", "clip.norm", "pipeline.update.norm", tree{"replicated": "each rank"}),
	when(all(clips, func(c *change) bool { return c.x.get("model.tied") == true }), "tied names in the norm", "clip.norm", "pipeline.update.norm", tree{"shared": "each name"}),
	{name: "clipped before reduced", rule: "clip.norm scale.order", change: func(c *change) bool { return clips(c) && c.swap("pipeline.update.order", "reduce", "clip") }},
	when(manyBatches, "the embedding is overwritten", "accum.add", "pipeline.window.gradients", []any{tree{"by": "embedding", "writes": "set"}}),
	when(manyBatches, "accumulated in bf16", "accum.add", "pipeline.window.accumulateIn", "bf16"),
	// Resume.
	{name: "no moments", rule: "resume.state", change: func(c *change) bool {
		return c.x.text("optimizer.kind") == "adamw" && c.drop("pipeline.resume.saves", "moments")
	}},
	{name: "no scaler", rule: "resume.state", change: func(c *change) bool { return hasScaler(c) && c.drop("pipeline.resume.saves", "scaler") }},
	{name: "no counter", rule: "resume.state", change: func(c *change) bool { return c.drop("pipeline.resume.saves", "updates") }},
	{name: "no cursor", rule: "resume.state", change: func(c *change) bool { return c.drop("pipeline.resume.saves", "cursor") }},
	{name: "no master copies", rule: "resume.state", change: func(c *change) bool {
		return c.x.text("precision.compute") != "f32" && c.drop("pipeline.resume.saves", "master")
	}},
	when(hasScaler, "half a scaler", "resume.state", "pipeline.resume.scaler", []any{"scale"}),
	always("a stale schedule", "resume.state", "pipeline.resume.schedule", "stale object"),
	always("moments start anew", "resume.state", "pipeline.resume.restarts", []any{"moments"}),
	when(manyBatches, "updates taken for micro-batches", "resume.cursor", "pipeline.resume.cursor", tree{"counted": "updates", "skipped": "micro-batches"}),
	always("skipped in every epoch", "resume.cursor", "pipeline.resume.cursor", tree{"applied": "every epoch"}),
	when(func(c *change) bool { return c.x.text("pipeline.data.order") != "sequential" }, "the epoch is lost", "resume.cursor", "pipeline.resume.cursor", tree{"epoch": "starts at 0"}),
	always("every epoch alike", "resume.cursor", "pipeline.data.order", "seed"),
	{name: "resumed at the end", rule: "resume.cursor", change: func(c *change) bool { return c.put("pipeline.resume.at", c.x.int("schedule.updates")) }},
}
