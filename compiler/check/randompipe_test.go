package check_test

import "fmt"

// The sections of a right pipeline. Each is drawn with probability one half, and
// within it fields are left out or say what is right in one of several ways.

func (m *maker) pipeline() {
	p := tree{"trainer": m.of("trainer", "torchtune", "megatron")}
	m.x["pipeline"] = p
	for _, s := range []struct {
		name string
		make func() tree
	}{{"data", m.data}, {"targets", m.targets}, {"mask", m.labels}, {"loss", m.loss}, {"window", m.batches}, {"update", m.steps}, {"resume", m.resume}, {"attention", m.attention},
		{"recompute", m.recompute}, {"offload", m.offload}, {"graph", m.graph}, {"memory", m.memory}, {"aux", m.aux}} {
		if m.maybe(0.5) {
			p[s.name] = s.make()
		}
	}
	// What one section says has to agree with another.
	if p.text("loss.over") == "micro-batch" && p.get("loss.weights") == nil && p.text("loss.factors.0.is") != "n/N" {
		p.set("window.equalTargets", true)
	}
	if p.text("data.order") == "random stream" && p.get("resume.saves") != nil {
		p.set("resume.saves", append(p.list("resume.saves"), "random"))
	}
	if p.text("mask.padding.foundBy") != "length" && p.get("mask.padding.foundBy") != nil {
		p.set("data.ids.pad", 3)
	}
}

// each adds fields to a section with probability one half.
func (m *maker) each(t tree, fields tree) tree {
	for _, k := range sorted(fields) {
		if m.maybe(0.5) {
			t[k] = fields[k]
		}
	}
	return t
}

func sorted(t tree) (keys []string) {
	for k := range t {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

func by(name string) []any { return []any{tree{"by": name}} }

func (m *maker) data() tree {
	return m.each(tree{}, tree{"layouts": []any{m.of("padded", "packed", "sharded")}, "sequenceShards": m.oneOf(1, 2, 4), "documents": []any{3, 5}, "ends": by("tokenizer"),
		"ids": tree{"pad": 3, "eos": 2, "bos": 1, "template": []any{4, 5}}, "order": m.of("seed and epoch", "random stream", "sequential")})
}

func (m *maker) targets() tree {
	t := tree{}
	if m.maybe(0.3) {
		t["documentBorders"], t["acceptBorders"] = "trained", true
	}
	if m.x.int("mask.shift.offset") == 0 {
		t["shifts"] = []any{}
		return t
	}
	switch m.IntN(4) {
	case 0:
		t["shifts"] = []any{tree{"by": "dataset", "on": m.of("stream", "row", "document")}}
	case 1:
		t["shifts"] = []any{tree{"by": "collator", "positions": 0}, tree{"by": "loss", "positions": 1}}
	case 2:
		t["shifts"] = []any{tree{"by": "collator", "layouts": []any{"padded"}}, tree{"by": "loss", "layouts": []any{"packed", "sharded"}}}
	}
	return t
}

func (m *maker) labels() tree {
	p := tree{"side": "right"}
	switch m.IntN(3) {
	case 0:
		p = tree{"foundBy": "length", "side": m.of("left", "right"), "most": m.IntN(m.x.int("window.seqLen"))}
	case 1:
		p["foundBy"], p["zeroIsAbsent"] = m.of("id", "trailing id"), m.maybe(0.5)
	}
	offset := m.x.int("mask.shift.offset")
	t := m.each(tree{"padding": p}, tree{"shifts": []any{tree{"by": "collator", "positions": offset}}, "promptSlots": "P-1",
		"roles": m.each(tree{"foundBy": "marker", "marker": []any{7, 8}, "markerFrom": "context"}, tree{"unmatched": m.of("stop", "drop")}), "emptySamples": tree{"count": m.IntN(3), "of": 100, "limit": 0.02},
		"order":  []any{"roles", "pad", "ignore"}[m.IntN(2):],
		"ignore": []any{tree{"by": "collator", "value": -7}, tree{"by": "loss", "value": -7}, tree{"by": "metrics", "value": -7}},
		"scores": m.each(tree{"order": []any{"score", "scale", "cap", "mask", "softmax"}[m.IntN(3):]}, tree{"how": "select", "emptyRow": "zero"})})
	if offset != 1 {
		delete(t, "promptSlots")
	}
	if m.maybe(0.3) {
		t["scores"] = tree{"how": "add", "fill": -10000, "planes": m.oneOf(1, 2), "type": m.of("f16", "bf16", "f32")}
	}
	return t
}

// loss draws one of the ways to make 1/N, with the ranks joined by a mean or a sum.
func (m *maker) loss() tree {
	k, ranks := []any{tree{"by": "trainer", "is": "1/K"}}, []any{}
	way := m.IntN(6)
	if m.maybe(0.5) {
		ranks = []any{tree{"by": "trainer", "is": "R"}, tree{"by": "engine", "is": "1/R"}}
	}
	t := m.each(tree{}, tree{"emptyMicroBatch": m.of("skip", "zero", "stop"), "emptyWindow": m.of("skip", "zero"), "implementations": []any{tree{"name": "plain", "empty": "zero"}, tree{"name": "fused", "empty": "zero"}}})
	switch way {
	case 0:
		t["over"], t["factors"] = "update", ranks
	case 1:
		t["over"], t["factors"] = "nothing", append([]any{tree{"by": "loss", "is": "1/N"}}, ranks...)
	case 2:
		t["over"], t["factors"] = "micro-batch", append(k, tree{"by": "engine", "is": "1/R"})
	case 3:
		t["over"], t["weights"], t["factors"] = "micro-batch", "targets", ranks
	case 4:
		t["over"], t["factors"] = "micro-batch", append([]any{tree{"by": "trainer", "is": "n/N"}}, ranks...)
	case 5:
		t["over"], t["engines"] = "micro-batch", []any{"plain", "sharded"}
		t["factors"] = []any{tree{"by": "trainer", "is": "1/K", "engines": []any{"plain"}}, tree{"by": "engine", "is": "1/K", "engines": []any{"sharded"}}}
	}
	if m.x.text("window.normalize") == "sequences" && way == 0 {
		t["count"] = "samples"
	}
	return t
}

func (m *maker) batches() tree {
	k, b, r := m.x.int("window.microBatches"), m.x.int("window.microBatchSize"), m.x.int("window.replicas")
	t := m.each(tree{}, tree{"globalBatch": k * b * r, "gradients": []any{tree{"by": "embedding"}, tree{"by": "matmul", "writes": "add"}}, "accumulateIn": "f32",
		"batches": k * (1 + m.IntN(50)), "lastDividedBy": "its own"})
	if m.maybe(0.3) {
		t["nodes"], t["ranksPerNode"] = 1, r
	}
	if m.maybe(0.3) {
		t["example"] = []any{tree{"targets": 12, "unpadded": 14, "positions": 16, "loss": 2.5}, tree{"targets": 12, "unpadded": 13, "positions": 16, "loss": 1.5}}
	}
	return t
}

func (m *maker) steps() tree {
	order := []any{"scale", "backward", "reduce", "unscale", "check", "clip", "step", "rescale", "tick"}
	for i := len(order) - 1; i >= 0; i-- {
		if m.maybe(0.3) {
			order = append(order[:i:i], order[i+1:]...)
		}
	}
	if m.maybe(0.5) {
		order = append([]any{"clear"}, order...)
	} else {
		order = append(order, "clear")
	}
	t := m.each(tree{}, tree{"order": order, "clears": by("trainer"), "skip": tree{"limit": 10, "seen": m.IntN(3)}, "norm": tree{"over": "all", "shards": []any{3, 4}}})
	if m.x.get("precision.lossScale") != nil && m.maybe(0.5) {
		t["unscales"] = by("scaler")
	}
	if m.x.int("optimizer.clip.norm") > 0 && m.maybe(0.5) {
		t["clips"] = by("trainer")
	}
	switch m.IntN(5) {
	case 0:
		t["ticks"] = by("trainer")
	case 1:
		t["ticks"] = []any{tree{"by": "trainer", "per": "micro-batch"}}
		t["schedule"] = tree{"length": tree{"times": "K"}, "warmup": tree{"times": "K"}}
	case 2:
		t["ticks"] = []any{tree{"by": "accelerator", "per": "process"}}
		t["schedule"] = tree{"length": tree{"times": "R"}, "warmup": tree{"times": "R"}}
	case 3:
		t["schedule"] = tree{"length": tree{"in": "samples", "times": "K*B*R"}, "warmup": tree{"in": "tokens", "times": "K*B*R*T"}}
	}
	return t
}

func (m *maker) resume() tree {
	cursors := []any{tree{"counted": "samples"}, tree{"counted": "updates", "skipped": "micro-batches", "times": "K"}, tree{"counted": "micro-batches", "skipped": "samples", "times": "B*R"}, tree{"applied": "once", "epoch": "restored"}}
	t := m.each(tree{}, tree{"at": m.IntN(m.x.int("schedule.updates")), "schedule": m.of("counter", "saved object"), "scaler": []any{"scale", "cleanUpdates"}, "cursor": cursors[m.IntN(len(cursors))]})
	if m.maybe(0.6) {
		t["saves"] = []any{"parameters", "master", "moments", "updates", "schedule", "scaler", "random", "cursor", "epoch", "gradients", "average"}
	}
	if m.maybe(0.2) {
		t["before"], t["cursor"] = tree{"microBatches": m.oneOf(1, 2, 8), "microBatchSize": 3}, tree{"counted": "samples"}
	}
	return t
}

func (m *maker) attention() tree {
	t := tree{}
	w, layers, share := m.x.int("model.attention.window"), m.x.int("model.layers"), m.x.int("model.heads")/m.x.int("model.kvHeads")
	order := m.of("blocks", "interleaved")
	t["headOrder"] = order
	if m.maybe(0.3) {
		t["queries"], t["keys"], t["alignment"] = 4, 10, m.of("top-left", "bottom-right")
	}
	var scales []any
	switch m.IntN(3) {
	case 0:
		scales = []any{tree{"by": "model", "is": "1/sqrt(headDim)"}}
	case 1:
		t["scale"], scales = "1/headDim", []any{tree{"by": "kernel", "is": "1/sqrt(headDim)"}, tree{"by": "model", "is": "1 / sqrt(headDim)"}}
	}
	if m.maybe(0.3) {
		t["documents"] = []any{3, 5}
	}
	if m.maybe(0.2) {
		t["windows"], w = []any{tree{"layers": []any{0}}}, 0
	}
	var ends []any
	for i := range 1 + m.IntN(3) {
		b := m.each(tree{"name": fmt.Sprintf("path%d", i)}, tree{"causal": true, "pass": m.of("both", "forward", "backward"), "heads": tree{"divisor": share, "order": order, "gradient": "sum"}})
		if i == 2 && layers > 1 {
			b["layers"] = []any{0, layers - 1}
		}
		if scales != nil {
			b["scales"] = scales
		}
		switch {
		case w > 1 && m.maybe(0.5):
			b["window"] = tree{"size": w - 1, "counts": "own-extra"}
		case w > 0 && m.maybe(0.5):
			b["window"] = tree{"size": w}
		}
		if t["documents"] != nil && m.maybe(0.5) {
			b["separates"], b["lengths"] = "lengths", []any{3, 5}
		}
		if order == "interleaved" {
			delete(b, "heads")
		}
		ends = append(ends, b)
	}
	t["backends"] = ends
	return t
}

func (m *maker) recompute() tree {
	form := m.of("non-reentrant", "reentrant")
	t := tree{"settings": []any{tree{"by": "user", "on": true, "form": form}, tree{"by": "trainer", "form": form, "randomState": true}}[:m.IntN(3)]}
	s := m.each(tree{"name": "block", "count": m.x.int("model.layers"), "inputs": []any{tree{"name": "ids", "gradient": false}, tree{"name": "hidden"}}}, tree{"by": by("trainer")[0:0], "trainable": []any{"q", "k"},
		"random": []any{tree{"op": "dropout", "rate": 0.1}, tree{"op": "noise", "state": "saved"}}, "writes": []any{tree{"to": "tokens seen", "value": 10}}, "bytes": tree{"without": 1000, "with": 100}, "needs": m.of("any", "train")})
	t["segments"] = []any{s}
	if m.maybe(0.3) {
		t["segments"] = []any{s, tree{"name": "mlp", "inside": "block", "acceptRepeats": true}}
	}
	return t
}

func (m *maker) offload() tree {
	t := m.each(tree{}, tree{"sets": []any{tree{"name": "saved", "holds": []any{tree{"name": "hidden", "bytes": 4096, "count": 4}}}}, "groups": 3, "pool": tree{"allocated": "before-first-step"},
		"transfers": []any{tree{"name": "hidden", "ms": 3.5, "hiddenMs": 3}}, "host": tree{"budget": 16384, "rounding": m.of("exact", "power-of-two", "unit"), "buffers": []any{tree{"name": "slot", "bytes": 4000, "count": 3}}}})
	if t["groups"] != nil {
		t["turns"] = []any{tree{"group": 2}, tree{"group": 1, "stays": m.maybe(0.5)}, tree{"group": 0}}
	}
	if m.maybe(0.5) {
		t["storages"] = []any{tree{"name": "hidden", "managers": []any{"offloader"}, "slot": "0", "events": []any{
			tree{"does": "write", "start": 0, "end": 2}, tree{"does": "read", "start": 2, "end": 3}, tree{"does": "copy-out", "stream": "out", "start": 2, "end": 6}, tree{"does": "release", "start": 6},
			tree{"does": "copy-in", "stream": "in", "start": 8, "end": 12}, tree{"does": "read", "start": 12, "end": 14}, tree{"does": "release", "start": 15}}}}
	} else {
		t["storages"] = []any{tree{"name": "hidden", "events": []any{
			tree{"does": "write", "name": "made"}, tree{"does": "copy-out", "stream": "out", "name": "gone", "after": []any{"made"}}, tree{"does": "release", "name": "free", "after": []any{"gone"}},
			tree{"does": "copy-in", "stream": "in", "name": "back", "after": []any{"free"}}, tree{"does": "read", "after": []any{"back"}}}}}
	}
	return t
}

func (m *maker) graph() tree {
	return m.each(tree{"parameters": []any{
		tree{"name": "embed", "storage": "w", "uses": []any{tree{"by": "lookup", "example": 0.5}, tree{"by": "head", "example": 0.25}}, "rowsUsed": []any{1, 2}, "rowsWithoutGradient": []any{0}},
		tree{"name": "head", "storage": "w"}, tree{"name": "old", "trainable": false},
		tree{"name": "norm", "replicas": tree{"ranks": 4, "gradients": "partial", "reduce": "sum"}},
		tree{"name": "up", "shards": tree{"rows": 10, "ranks": 4, "perRank": 3}}}},
		tree{"tied": []any{tree{"names": []any{"embed", "head"}}}, "groups": []any{tree{"name": "decay", "params": []any{"embed", "up"}}, tree{"name": "plain", "params": []any{"norm"}}},
			"terms": []any{tree{"name": "main"}, tree{"name": "off", "coefficient": 0, "cutBy": "detach"}},
			"ops":   []any{tree{"name": "lookup", "reads": []any{"embed", "ids"}, "makes": []any{"x"}}, tree{"name": "norm", "reads": []any{"x", "norm"}, "makes": []any{"y"}, "saves": []any{"x"}}, tree{"name": "relu", "reads": []any{"y"}, "makes": []any{"z"}, "saves": []any{"z"}, "overwrites": []any{"y"}}},
			"casts": []any{tree{"of": "up"}, tree{"of": "up", "made": "without-gradients", "read": "without-gradients"}},
			"kernels": []any{tree{"name": "norm", "shape": []any{8, 100, 64}, "rows": 800, "columns": 64, "block": 32, "programs": 25, "partials": 25, "covers": 64},
				tree{"name": "attention", "proved": []any{tree{"headDim": 8}, tree{"headDim": m.x.int("model.headDim")}}}}})
}

func (m *maker) memory() tree {
	return m.each(tree{"owners": []any{tree{"name": "parameters", "is": "parameters", "perParameter": 4, "ranks": 2}, tree{"name": "activations", "is": "activations", "bytes": 1000, "from": "forward", "until": "backward", "without": 1 << 40},
		tree{"name": "logits", "is": "logits", "tokens": 8, "from": "head", "until": "backward"}, tree{"name": "scratch", "is": "temporary", "bytes": 10, "from": "step", "until": "step"}}},
		tree{"budget": 1 << 50, "backward": "each-micro-batch", "probe": tree{"phases": []any{"forward", "head", "backward", "reduce", "step"}}, "allocator": tree{"bytes": 4096, "live": []any{tree{"at": 0, "bytes": 512}}, "request": 2048},
			"report": tree{"readings": []any{tree{"number": "allocated", "bytes": 10, "at": "after the step"}, tree{"number": "reserved", "bytes": 11, "at": "after the step"}}}})
}

func (m *maker) aux() tree {
	return tree{"terms": []any{m.each(tree{"name": "balance", "coefficient": 0.01}, tree{"factors": []any{tree{"by": "router", "is": "coefficient*K"}, tree{"by": "trainer", "is": "1/K"}}, "divisor": "main", "counts": "valid", "reaches": "router",
		"computed": "before"})}}
}
