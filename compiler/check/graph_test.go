package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

// described loads a small experiment (8 heads of 16, 2 key heads, window of 4
// keys, 8 positions, 4 micro-batches) with one more text and gives its findings.
func described(t *testing.T, text string) []string {
	t.Helper()
	dir := t.TempDir()
	file := `package exp

import "github.com/gradcue/gradcue/spec"

experiment: spec.#Experiment & {
	name: "described"
	model: spec.#Llama & {layers: 4, heads: 8, kvHeads: 2, headDim: 16, ffn: 64, vocab: 256, context: 8, attention: window: 4}
	window: {microBatches: 4, microBatchSize: 2, seqLen: 8}
	optimizer: lr: 3e-4
	schedule: updates: 100
	` + text + "\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "exp.cue"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	ls, list := spec.Load(spec.Options{Dir: dir}, "exp.cue")
	if len(list) > 0 || len(ls) != 1 {
		t.Fatal(list)
	}
	cfg := model.FromSpec(ls[0].Experiment)
	in := &check.Input{Experiment: ls[0].Experiment, Model: &cfg, Where: func(path string) diag.Position { return diag.Position{File: path, Line: 1} }}
	return found(check.Spec(in))
}

// TestGraphRules has kinds of mistakes that no report of testdata/bugs shows,
// each beside the nearest right spec.
func TestGraphRules(t *testing.T) {
	const (
		att   = "pipeline: attention: "
		seg   = "pipeline: recompute: segments: "
		off   = "pipeline: offload: "
		graph = "pipeline: graph: "
		mem   = "pipeline: memory: "
		aux   = "pipeline: aux: terms: "
	)
	for _, c := range []struct {
		name, text string
		want       []string // code, field and part of the summary
	}{
		{"nothing described", `pipeline: trainer: "other"`, nil},
		{"back ends as wanted", att + `backends: [{name: "a"}, {name: "b", causal: true, window: size: 4, scales: [{by: "kernel", is: 0.25}], heads: divisor: 4}]`, nil},
		{"a window of nothing", att + `backends: [{name: "a", window: size: 0}]`, []string{"attn.visible pipeline.attention.backends.0.window.size: sees 0 keys at row 7, the spec says 4 keys (4 to 7)"}},
		{"backward alone is different", att + `backends: [{name: "a", pass: "forward"}, {name: "a", pass: "backward", window: used: false}]`,
			[]string{"attn.visible pipeline.attention.backends.1.window.used: at row 7 in backward, the spec says 4 keys"}},
		{"windows in turns", att + `{windows: [{layers: [0, 2]}], backends: [{name: "full", layers: [0, 2], window: used: false}, {name: "sliding", layers: [1, 3]}]}`, nil},
		{"windows in the wrong blocks", att + `{windows: [{layers: [0, 2]}], backends: [{name: "full", layers: [1, 3], window: used: false}]}`,
			[]string{"attn.visible pipeline.attention.backends.0.window.used: of block 1"}},
		{"a block that is not there", att + `backends: [{name: "a", layers: [3, 4]}]`, []string{"attn.visible pipeline.attention.backends.0.layers.1: names block 4, but the blocks are 0..3"}},
		{"no alignment", att + `{queries: 2, keys: 5, backends: [{name: "a"}]}`, []string{"attn.visible pipeline.attention.keys: see 1 and 2 keys, bottom-right 4 and 5"}},
		{"an encoder", att + `{objective: "any", backends: [{name: "a"}]}`, nil},
		{"an encoder with a causal path", att + `{objective: "any", backends: [{name: "a", causal: true}]}`, []string{"attn.visible pipeline.attention.backends.0.causal: it hides keys after the query"}},
		{"scaled twice", att + `backends: [{name: "a", scales: [{by: "model", is: "1/sqrt(headDim)"}, {by: "kernel", is: "1/sqrt(headDim)"}]}]`,
			[]string{"attn.scale pipeline.attention.backends.0.scales: by 0.0625, the spec says 1/sqrt(headDim) = 0.25"}},
		{"scaled by nobody", att + `backends: [{name: "a", scales: []}]`, []string{"attn.scale pipeline.attention.backends.0.scales: nobody scales them"}},
		{"a cap on one path", att + `{cap: 50, backends: [{name: "eager"}, {name: "fused", capped: false}]}`, []string{"attn.scale pipeline.attention.backends.1.capped: back end fused leaves out the cap of 50"}},
		{"not a formula", att + `backends: [{name: "a", scales: [{by: "model", is: "1/sqrt(width)"}]}]`, []string{`attn.scale pipeline.attention.backends.0.scales.0.is: "width" is not a name`}},
		{"half each", att + `backends: [{name: "a", scales: [{by: "queries", is: "1/sqrt(sqrt(headDim))"}, {by: "keys", is: "1 / sqrt(sqrt(headDim))"}]}]`, nil},
		{"documents by wrong lengths", `mask: packing: mode: "segments"
	pipeline: attention: {documents: [3, 5], backends: [{name: "a", separates: "lengths", lengths: [4, 4]}]}`,
			[]string{"attn.docs pipeline.attention.backends.0.lengths: documents of [4 4], the row has [3 5]: 5 of 8 positions see other keys, the first is 3"}},
		{"documents may see each other", `mask: packing: {mode: "segments", crossAttention: true}
	pipeline: attention: backends: [{name: "a", separates: "nothing"}]`, nil},
		{"interleaved heads on one path", att + `backends: [{name: "a", heads: order: "interleaved"}]`, []string{"attn.heads pipeline.attention.backends.0.heads.order: query head 1 reads key head 1 instead of 0"}},
		{"interleaved heads everywhere", att + `{headOrder: "interleaved", backends: [{name: "a"}]}`, nil},

		{"reentrant with a gradient", seg + `[{name: "a", form: "reentrant", inputs: [{name: "x"}, {name: "ids", gradient: false}]}]`, nil},
		{"reentrant, all frozen", seg + `[{name: "a", form: "reentrant", inputs: [{name: "x", gradient: false}], trainable: []}]`, nil},
		{"reentrant by a setting", `pipeline: recompute: {settings: [{by: "trainer", form: "reentrant"}], segments: [{name: "a", inputs: [{name: "x", gradient: false}]}]}`,
			[]string{"remat.input pipeline.recompute.segments.0.inputs: none of its parameters gets one"}},
		{"another generator", seg + `[{name: "a", random: [{op: "dropout", state: "saved", generator: "tensor parallel"}]}]`,
			[]string{"remat.rng pipeline.recompute.segments.0.random.0.generator: its generator is tensor parallel, and only default is put back"}},
		{"nothing is drawn", seg + `[{name: "a", random: [{op: "dropout", rate: 0, state: "fresh"}]}]`, nil},
		{"random state given up", `dropout: rate: 0.25
	pipeline: recompute: settings: [{by: "trainer", on: true, randomState: false}]`, []string{"remat.rng pipeline.recompute.settings.0.randomState: in 37.5 % of the elements"}},
		{"segments in each other", seg + `[{name: "stage"}, {name: "block", inside: "stage"}]`, []string{"remat.pure pipeline.recompute.segments.1.inside: recomputed 2 times (by segment block, segment stage)"}},
		{"nested and accepted", seg + `[{name: "stage"}, {name: "block", inside: "stage", acceptRepeats: true}]`, nil},
		{"a mode that is not put back", seg + `[{name: "block", state: [{name: "autocast mode", restored: false}]}]`, []string{"remat.pure pipeline.recompute.segments.0.state.0: reads autocast mode, which is not put back"}},
		{"inside nothing", seg + `[{name: "block", inside: "stage"}]`, []string{"remat.pure pipeline.recompute.segments.0.inside: inside stage, which is no other segment"}},

		{"a slot in use", off + `storages: [
		{name: "a", slot: "0", events: [{does: "write", start: 0, end: 2}, {does: "copy-out", stream: "out", start: 2, end: 6}]},
		{name: "b", slot: "0", events: [{does: "write", start: 4, end: 5}]}]`, []string{"place.order pipeline.offload.storages.1.slot: b is in slot 0 from t=4 to t=5, and a from t=0 to t=6"}},
		{"a slot without a wait", off + `storages: [
		{name: "a", slot: "0", events: [{does: "write", name: "made"}, {does: "copy-out", stream: "out", name: "a out", after: ["made"]}]},
		{name: "b", slot: "0", events: [{does: "write"}]}]`, []string{"place.order pipeline.offload.storages.1.events.0: nothing makes that wait for the copy out of a"}},
		{"a slot with a wait", off + `storages: [
		{name: "a", slot: "0", events: [{does: "write", name: "made"}, {does: "copy-out", stream: "out", name: "a out", after: ["made"]}]},
		{name: "b", slot: "0", events: [{does: "write", after: ["a out"]}]}]`, nil},
		{"a name that is not there", off + `storages: [{name: "a", events: [{does: "write"}, {does: "copy-out", stream: "out", after: ["made"]}]}]`,
			[]string{`place.order pipeline.offload.storages.0.events.1.after.0: waits for "made", which is no event before it`}},
		{"a circle", off + `storages: [{name: "a", events: [{does: "write", name: "x", after: ["y"]}]}, {name: "b", events: [{does: "write", name: "y", after: ["x"]}]}]`,
			[]string{"place.order pipeline.offload.storages.0.events.0: waits for itself"}},
		{"a chain of waits", off + `storages: [{name: "a", events: [{does: "copy-in", stream: "in", name: "here"}, {does: "read", stream: "side", name: "side", after: ["here"]}, {does: "release", after: ["side"]}]}]`, nil},
		{"turns without groups", off + `turns: [{group: 1}, {group: 0}]`, nil},
		{"a turn too few", off + `{groups: 3, turns: [{group: 2}, {group: 1}]}`, []string{"place.order pipeline.offload.turns: 2 turns for 3 groups: group 0 is never there"}},
		{"rounded to units", off + `host: {budget: 8192, rounding: "unit", buffers: [{name: "a", bytes: 4097, count: 2}]}`, []string{"place.host pipeline.offload.host.budget: are asked for, 16.00 KiB are taken (rounded to multiples of 4.00 KiB"}},

		{"two slots for one storage", graph + `parameters: [{name: "a", storage: "w"}, {name: "b", storage: "w", slot: "other"}]`, []string{"grad.alias pipeline.graph.parameters.0: a and b share storage w, but have 2 optimizer slots"}},
		{"in no group", graph + `{parameters: [{name: "adapter"}, {name: "base", trainable: false}], groups: [{name: "all", params: ["head"]}]}`, []string{"grad.alias pipeline.graph.parameters.0: adapter is trained, but in none of the optimizer's 1 group"}},
		{"twice in one group", graph + `groups: [{name: "all", params: ["w", "w"]}]`, []string{"grad.alias pipeline.graph.groups.0.params.1: w is 2 times"}},
		{"averaged parts", graph + `parameters: [{name: "w", replicas: {ranks: 4, gradients: "partial", reduce: "mean"}}]`, []string{"grad.alias pipeline.graph.parameters.0.replicas.reduce: 1/4 of the right one"}},
		{"summed wholes", graph + `parameters: [{name: "w", replicas: {ranks: 4, reduce: "sum"}}]`, []string{"grad.alias pipeline.graph.parameters.0.replicas.reduce: 4 times the right one"}},
		{"rows rounded down", graph + `parameters: [{name: "w", shards: {rows: 10, ranks: 4, perRank: 2}}]`, []string{"grad.alias pipeline.graph.parameters.0.shards.perRank: cover 8: 2 rows (20 %) belong to no rank"}},
		{"a use left out", graph + `parameters: [{name: "w", uses: [{by: "lookup", gradient: "left-out", example: 2}, {by: "head", example: 3}]}]`, []string{"grad.alias pipeline.graph.parameters.0.uses.0: is left out instead of being added: 3 instead of 5"}},
		{"a path that is cut", graph + `{
		parameters: [{name: "a"}, {name: "b"}]
		ops: [{name: "encoder", reads: ["x", "a"], makes: ["h"]}, {name: "no_grad", reads: ["h"], makes: ["c"], cuts: true}, {name: "head", reads: ["c", "b"], makes: ["loss"]}]
		terms: [{name: "main", of: "loss"}]}`, []string{"grad.reach pipeline.graph.parameters.0: a gets no gradient: its path is cut at no_grad"}},
		{"a term that is off", graph + `terms: [{name: "reg", coefficient: 0, cutBy: "detach"}]`, nil},
		{"a term that is cut", graph + `terms: [{name: "reg", coefficient: 2, cutBy: "detach"}]`, []string{"grad.reach pipeline.graph.terms.0.cutBy: its path is cut by detach"}},
		{"rows of padding in use", graph + `parameters: [{name: "embed", rowsUsed: [0, 5], rowsWithoutGradient: [0]}]`, []string{"grad.reach pipeline.graph.parameters.0.rowsWithoutGradient: 1 row of embed never get a gradient"}},
		{"saved and left alone", graph + `ops: [{name: "relu", reads: ["x"], makes: ["y"], saves: ["y"], overwrites: ["x"]}]`, nil},
		{"saving nothing that exists", graph + `ops: [{name: "relu", reads: ["x"], makes: ["y"], saves: ["z"]}]`, []string{"grad.save pipeline.graph.ops.0.saves.0: names z, which no op reads or makes"}},
		{"part of a row", graph + `kernels: [{name: "softmax", shape: [32, 50257], covers: 32768}]`, []string{"grad.cover pipeline.graph.kernels.0.covers: 32768 elements of a row of 50257: 17489 are lost"}},
		{"short indices", graph + `kernels: [{name: "cross-entropy", shape: [16, 4096, 50257], indexBits: 32}]`, []string{"grad.cover pipeline.graph.kernels.0.indexBits: numbers 3293642752 elements with 32 bits"}},
		{"proved for all that is used", graph + `kernels: [{name: "a", proved: [{headDim: 16, valueDim: 16}], runs: [{valueDim: 16}]}]`, nil},

		{"state is loaded beside the model", mem + `{budget: 1000, owners: [{name: "state", bytes: 800}, {name: "loaded copy", bytes: 800, only: "resume", until: "forward"}]}`,
			[]string{"mem.peak pipeline.memory.budget: peak 1.56 KiB in forward of the first update after a resume"}},
		{"an owner without a size", mem + `owners: [{name: "cache"}]`, []string{"mem.peak pipeline.memory.owners.0: memory owner cache has no size"}},
		{"graphs kept in a list", mem + `{budget: 1000, owners: [{name: "losses with graphs", bytes: 300, from: "head", grows: true}]}`,
			[]string{"mem.peak pipeline.memory.owners.0.grows: every update adds 300 B of losses with graphs and frees none: 29.30 KiB after the 100 updates of the run; the budget of 1000 B ends after 3 updates"}},
		{"an owner that ends before it starts", mem + `owners: [{name: "logits", is: "logits", from: "head", until: "forward"}]`, []string{"mem.peak pipeline.memory.owners.0.until: ends in forward, before it starts in head"}},
		{"the peak is elsewhere", mem + `owners: [{name: "activations", bytes: 100, without: 400, until: "backward"}, {name: "temporaries", bytes: 900, from: "step", until: "step"}]`,
			[]string{"place.useless pipeline.memory.owners.0: removes 300 B from activations, but the peak is 900 B in step of every update (temporaries 900 B) with it and 900 B without"}},
		{"the peak is lower", mem + `owners: [{name: "activations", bytes: 100, without: 400, until: "backward"}]`, nil},
		{"different moments", mem + `report: readings: [{number: "allocated", bytes: 10, at: "after backward"}, {number: "reserved", bytes: 11, at: "after the step"}]`,
			[]string{"mem.report pipeline.memory.report.readings.1: read at different moments: after the step and after backward"}},

		{"an auxiliary loss per micro-batch", aux + `[{name: "balance", coefficient: 0.01, divisor: "micro-batch"}]`, []string{"aux.loss pipeline.aux.terms.0.divisor: about 4 times too large"}},
		{"an auxiliary loss that is off", aux + `[{name: "balance", coefficient: 0, reaches: "nothing", counts: "all"}]`, nil},
		{"the coefficient twice", aux + `[{name: "z", coefficient: 0.01, factors: [{by: "router", is: "coefficient"}, {by: "trainer", is: "coefficient/K"}, {by: "trainer", is: "4"}]}]`,
			[]string{"aux.loss pipeline.aux.terms.0.factors: besides its coefficient, factor coefficient (router coefficient"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := described(t, c.text)
			if len(got) != len(c.want) {
				t.Fatalf("want %d findings\n%s", len(c.want), strings.Join(got, "\n"))
			}
			for i, w := range c.want {
				head, text, _ := strings.Cut(w, ": ")
				if !strings.Contains(got[i], " "+head+": ") || !strings.Contains(got[i], text) {
					t.Errorf("want %s\ngot  %s", w, got[i])
				}
			}
		})
	}
}

// TestUselessPlacement: recompute of a plan whose peak is in the update saves
// nothing, and is said to; where it lowers the peak nothing is said.
func TestUselessPlacement(t *testing.T) {
	x := *base(t)
	x.Offload.Place.Activations, x.Offload.Place.Optimizer = "device", "device"
	x.Checkpointing.Policy = "full"
	in := planned(t, &x)
	if got := found(check.Plan(in)); len(got) > 0 {
		t.Error(got)
	}
	low, high := *in.Plan, *in.Plan
	low.Predictions.Peak.Bytes, high.Predictions.Peak.Bytes = 1<<20, 1<<20
	low.Predictions.Recomputed = 5e9
	in.Plan = &low
	for _, c := range []struct {
		name    string
		without int64
		want    []string
	}{
		{"lower without", 1<<20 - 1, []string{"the peak is 1.00 MiB in micro at ", "and 1024.00 KiB without recompute and offload: nothing is saved; 5e+09 FLOP are computed again per update"}},
		{"as high without", 1 << 20, []string{"and 1.00 MiB without"}},
		{"higher without", 1<<20 + 1, nil},
	} {
		base := high
		base.Predictions.Peak.Bytes = c.without
		in.Without = func() *plan.Plan { return &base }
		got := found(check.Plan(in))
		if (len(got) > 0) != (c.want != nil) {
			t.Errorf("%s: %v", c.name, got)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(got[0], "warning place.useless experiment.checkpointing: ") || !strings.Contains(got[0], w) {
				t.Errorf("%s: %s\nwant %s", c.name, got[0], w)
			}
		}
	}
	if d := cmp.Diff([]string(nil), found(check.Spec(input(&x)))); d != "" {
		t.Error(d)
	}
}
