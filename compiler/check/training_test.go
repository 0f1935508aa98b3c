package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

// trainedBy loads a spec with the given fields beside those of a small model, on
// which no rule finds fault.
func trainedBy(t *testing.T, fields string) *check.Input {
	t.Helper()
	text := `package exp

import "github.com/gradcue/gradcue/spec"

experiment: spec.#Experiment & {
	name: "described"
	model: spec.#GPT2 & {layers: 2, heads: 2, headDim: 16, vocab: 256, context: 64}
	window: {microBatches: int | *4, microBatchSize: 2, seqLen: 64}
	optimizer: lr:     1e-3
	schedule: updates: 1000
	pipeline: {}
	` + fields + `
}
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "exp.cue"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ls, list := spec.Load(spec.Options{Dir: dir}, "exp.cue")
	if len(list) > 0 || len(ls) != 1 {
		t.Fatalf("%s: %v", fields, list)
	}
	cfg := model.FromSpec(ls[0].Experiment)
	return &check.Input{Experiment: ls[0].Experiment, Model: &cfg, Prefix: "experiment", Where: func(path string) diag.Position { return diag.Position{File: path, Line: 1} }}
}

// brief is "rule path: summary" without the path of the experiment.
func brief(list diag.List) (out []string) {
	for _, d := range list {
		out = append(out, d.Code+" "+strings.TrimPrefix(d.Path, "experiment.")+": "+d.Summary)
	}
	return out
}

const (
	halfPrecision = `precision: {compute: "f16", lossScale: kind: "dynamic"}` + "\n"
	eightRanks    = "window: replicas: 8\n"
)

// TestDescribedRight: each kind of pipeline done right, in another way than the default.
func TestDescribedRight(t *testing.T) {
	for _, fields := range []string{
		`pipeline: {}`,
		`pipeline: {data: {}, targets: {}, mask: {}, loss: {}, window: {}, update: {}, resume: {}}`,
		`pipeline: targets: shifts: [{by: "dataset"}, {by: "loss", positions: 0}]`,
		`pipeline: targets: shifts: [{by: "a", layouts: ["padded"]}, {by: "b", layouts: ["packed", "sharded"]}]`,
		`pipeline: targets: shifts: [{by: "a", on: "shard"}]`,
		`pipeline: targets: {shifts: [{by: "a", on: "stream"}], documentBorders: "trained", acceptBorders: true}`,
		`pipeline: {targets: shifts: [{by: "a"}], mask: shifts: [{by: "b"}]}`,
		`mask: shift: offset: 0` + "\npipeline: {targets: shifts: [], mask: {shifts: [], promptSlots: \"P\"}}",
		`pipeline: {data: ids: {pad: 0, eos: 2, bos: 1, template: [5, 6]}, mask: padding: foundBy: "id"}`,
		`pipeline: {data: ids: {pad: 2, eos: 2}, mask: padding: {foundBy: "length", side: "left"}}`,
		`pipeline: {data: ids: pad: 5, mask: padding: zeroIsAbsent: true}`,
		`pipeline: {data: ids: {pad: 3, bos: 3, eos: 2}, mask: padding: foundBy: "trailing id"}`,
		`mask: eos: "none"` + "\npipeline: data: ends: []",
		`pipeline: mask: emptySamples: {count: 1, of: 1000, limit: 0.01}`,
		`pipeline: mask: {roles: {foundBy: "marker", marker: [1, 2]}, order: ["roles", "pad", "ignore"]}`,
		`pipeline: mask: ignore: [{by: "dataset", value: -1}, {by: "loss", value: -1}, {by: "metrics", value: -1}]`,
		`pipeline: mask: scores: {how: "add", fill: -1e4, type: "f16", planes: 2}`,
		`pipeline: mask: scores: {how: "add", type: "bf16"}`,
		`pipeline: mask: scores: {how: "add", type: "f32", smallest: -1e6, order: ["scale", "cap", "mask", "softmax"]}`,
		`pipeline: mask: scores: emptyRow: "softmax"`,
		`pipeline: mask: {padding: most: 63, scores: emptyRow: "softmax"}`,
		`pipeline: loss: {over: "update", factors: []}`,
		eightRanks + `pipeline: loss: {over: "update", factors: [{by: "engine", is: "1/R"}, {by: "loss", is: "R"}]}`,
		eightRanks + `pipeline: {loss: {over: "micro-batch", factors: [{by: "trainer", is: "1/K"}, {by: "engine", is: "1/R"}]}, window: equalTargets: true}`,
		eightRanks + `pipeline: loss: {over: "micro-batch", factors: [{by: "trainer", is: "n/N"}]}`,
		`pipeline: loss: {over: "nothing", factors: [{by: "trainer", is: "1/N"}]}`,
		`pipeline: loss: factors: [{by: "loss", is: "1/N"}]`,
		`pipeline: loss: factors: [{by: "trainer", is: "0.5"}, {by: "engine", is: "1/2"}]`,
		`pipeline: loss: {over: "micro-batch", weights: "targets"}`,
		`pipeline: {loss: weights: "samples", window: equalTargets: true}`,
		`window: {normalize: "microbatch-mean", acceptBias: true}` + "\npipeline: loss: {over: \"micro-batch\", factors: [{by: \"trainer\", is: \"1/K\"}]}",
		`window: normalize: "sequences"` + "\npipeline: loss: count: \"samples\"",
		`pipeline: loss: {over: "update", emptyMicroBatch: "0/0"}`,
		`pipeline: loss: implementations: [{name: "a", empty: "zero"}, {name: "b", empty: "zero"}]`,
		`pipeline: window: {batches: 12, last: "drop", lastDividedBy: "K"}`,
		`pipeline: window: {batches: 10, last: "carry", lastDividedBy: "K"}`,
		`window: last: "drop"` + "\npipeline: window: {batches: 10, last: \"drop\"}",
		eightRanks + `pipeline: window: {globalBatch: 64, nodes: 2, ranksPerNode: 4}`,
		`pipeline: {window: batches: 12, update: clears: [{by: "a"}, {by: "b", per: "epoch"}]}`,
		`pipeline: update: ticks: [{by: "a", per: "micro-batch"}]` + "\npipeline: update: schedule: {length: times: \"K\", warmup: times: \"K\"}",
		`schedule: warmup: 10` + "\npipeline: update: schedule: {length: {in: \"samples\", times: \"K*B*R\"}, warmup: {in: \"tokens\", times: \"K*B*R*T\"}}",
		halfPrecision + `pipeline: update: {order: ["clear", "scale", "backward", "reduce", "unscale", "check", "clip", "step", "rescale", "tick"], unscales: [{by: "scaler"}], clips: [{by: "trainer"}]}`,
		`pipeline: update: {order: ["backward", "clip", "step", "clear"], unscales: []}`,
		`optimizer: clip: norm: 0` + "\npipeline: update: {clips: [], norm: over: \"shard\"}",
		`pipeline: update: {skip: {limit: 5, seen: 3, decidedBy: "each rank"}, norm: replicated: "each rank"}`,
		`pipeline: resume: {saves: ["parameters", "moments", "updates", "cursor"], restarts: ["scaler"], scaler: []}`,
		`optimizer: {kind: "sgd", momentum: 0}` + "\npipeline: resume: saves: [\"parameters\", \"updates\", \"cursor\"]",
		`pipeline: resume: {schedule: "saved object", saves: ["parameters", "moments", "updates", "schedule", "cursor"]}`,
		`pipeline: resume: cursor: {counted: "updates", skipped: "samples", times: "K*B*R"}`,
		`pipeline: {window: batches: 12, resume: cursor: {counted: "epochs", skipped: "micro-batches", times: "12"}}`,
		`pipeline: resume: {before: microBatches: 8, cursor: {counted: "updates", times: "2"}}`,
		`pipeline: {data: order: "sequential", resume: cursor: epoch: "starts at 0"}`,
		`window: microBatches: 1` + "\npipeline: {window: gradients: [{by: \"a\", writes: \"set\"}], update: clears: [{by: \"a\", per: \"micro-batch\"}]}",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if got := brief(check.Spec(trainedBy(t, fields))); len(got) > 0 {
				t.Errorf("%s\n%s", fields, strings.Join(got, "\n"))
			}
		})
	}
}

// TestDescribedWrong: mistakes that no report in testdata/bugs has.
func TestDescribedWrong(t *testing.T) {
	for _, c := range []struct{ fields, want string }{
		{`pipeline: targets: shifts: [{by: "a", positions: -1}]`, "loss.shift pipeline.targets.shifts.0: targets are shifted by -1 in all (a -1), expected 1 position: position t would learn token t-1"},
		{`pipeline: targets: shifts: [{by: "a"}, {by: "b", positions: 2}, {by: "c", positions: -2}]`, "loss.shift pipeline.targets.shifts.2: targets are shifted by 1 in all (a 1, b 2, c -2), expected 1 position: position t would learn token t+1"},
		{`pipeline: targets: shifts: [{by: "loss", on: "ring"}]`, "loss.edge pipeline.targets.shifts.0.on: the loss rolls each row: its last position learns the row's first token, 1 of 64 targets"},
		{`pipeline: targets: documentBorders: "trained"`, "loss.edge pipeline.targets.documentBorders: the last token of a document is trained to predict the first one of the next document"},
		{`pipeline: mask: shifts: []`, "mask.align pipeline.mask.shifts: the mask is moved by 0 (nobody) and the targets by 1: the mask is off by 1: the first response token is not trained"},
		{`pipeline: mask: promptSlots: "P-3"`, "mask.align pipeline.mask.promptSlots: P-3 target positions are ignored for a prompt of P tokens, expected P-1: the mask is off by 2: the last 2 prompt tokens are trained, the end token is not trained"},
		{`pipeline: mask: padding: foundBy: "id"`, "mask.pad pipeline.mask.padding.foundBy: padding is found by its id, but pipeline.data.ids.pad is not stated, so it cannot be told from text"},
		{`pipeline: mask: padding: {foundBy: "nothing", most: 4}`, "mask.pad pipeline.mask.padding.foundBy: padding is not masked: padded positions are treated like text (a row of 64 attends 64 keys, expected 60)"},
		{`pipeline: data: ends: [{by: "tokenizer"}, {by: "trainer"}]`, "mask.eos pipeline.data.ends.1: 2 components (tokenizer, trainer) put an end token behind each sample: the end token is followed by another"},
		{`pipeline: mask: emptySamples: {count: 12, of: 100, limit: 0.1}`, "mask.empty pipeline.mask.emptySamples.count: 12 of 100 samples (12 %) carry no loss, at most 10 % are accepted"},
		{`pipeline: mask: roles: unmatched: "ignore"`, "mask.empty pipeline.mask.roles.unmatched: a sample in which no role is found is kept, with every position ignored"},
		{`pipeline: loss: emptyWindow: "0/0"`, "mask.empty pipeline.loss.emptyWindow: a window without a trained token gives 0/0, and then every parameter is not a number"},
		{`pipeline: loss: implementations: [{name: "a", empty: "zero"}, {name: "b", empty: "stop"}]`, "mask.empty pipeline.loss.implementations.1.empty: without a trained token loss a gives zero and loss b gives stop"},
		{`pipeline: mask: ignore: [{by: "dataset", value: -100}, {by: "metrics", value: -1}]`, "mask.ignore pipeline.mask.ignore.1.value: the metrics ignores -1, but labels are ignored with -100"},
		{`pipeline: mask: ignore: [{by: "loss", value: -1}]`, "mask.ignore pipeline.mask.ignore.0.value: the loss ignores -1, but labels are ignored with -100"},
		{`pipeline: mask: scores: {planes: 2, type: "f32"}`, "mask.value pipeline.mask.scores.how: 2 planes with fill -3.4028e+38 add up to -6.8056e+38, below the limit of f32 (-3.4028e+38): the sum is -inf"},
		{`pipeline: mask: ignore: [{by: "dataset", value: 0}, {by: "loss", value: 0}]`, "mask.ignore pipeline.mask.ignore.0.value: ignore index 0 of the dataset is a legal class: ids are 0..255"},
		{`pipeline: mask: scores: {how: "add", type: "f16"}`, "mask.value pipeline.mask.scores.how: fill -65504 overflows f16 when added to -100: -65604 is -inf"},
		{`pipeline: mask: scores: order: ["score", "mask", "cap", "softmax"]`, "mask.order pipeline.mask.scores.order: cap is applied after mask, expected before it"},
		{`mask: packing: mode: "none"` + "\nmodel: attention: window: 8\npipeline: mask: scores: emptyRow: \"softmax\"", "mask.row pipeline.mask.scores.emptyRow: 56 of 64 query rows can see no key (first: row 8), and their softmax is 0/0"},
		{`pipeline: mask: {padding: {side: "left", most: 3}, scores: emptyRow: "softmax"}`, "mask.row pipeline.mask.scores.emptyRow: 3 of 64 query rows see no key (first: row 0), and their softmax is 0/0"},
		{`pipeline: loss: over: "nothing"`, "loss.once pipeline.loss.factors: the gradient is off by a factor that depends on the number of targets: no factor, the loss is a sum (K = 4, R = 1)"},
		{`pipeline: loss: factors: [{by: "a", is: "1//K"}]`, `loss.once pipeline.loss.factors.0.is: "1//K" is not a product of numbers and symbols`},
		{eightRanks + `pipeline: loss: {over: "update", factors: [{by: "engine", is: "1/R"}]}`, "loss.once pipeline.loss.factors: the gradient is 8 times too small: factors engine 1/R, the loss is a mean over the update (K = 4, R = 8)"},
		{`pipeline: {data: sequenceShards: 4, loss: {over: "update", factors: [{by: "engine", is: "C"}]}}`, "loss.once pipeline.loss.factors: the gradient is 4 times too large: factors engine C, the loss is a mean over the update (K = 4, R = 1); a clip at 1 acts like one at 0.25"},
		{`pipeline: loss: count: "samples"`, "loss.tokens pipeline.loss.count: the loss is a mean over samples, but window.normalize is tokens"},
		{`pipeline: window: lastDividedBy: "K"`, "window.last pipeline.window.lastDividedBy: the last window of an epoch can have fewer than 4 micro-batches, and is divided by 4"},
		{`pipeline: window: last: "drop"`, "window.last pipeline.window.last: micro-batches that do not fill a window of 4 are dropped in each epoch, and window.last is carry"},
		{`pipeline: update: ticks: []`, "cadence.unit pipeline.update.ticks: nobody moves the schedule on: the rate stays where it starts"},
		{`pipeline: update: ticks: [{by: "trainer"}, {by: "callback"}]`, "cadence.unit pipeline.update.ticks.1: the schedule of 1000 updates ends after 500 updates (the trainer ticks per update, the callback ticks per update)"},
		{`pipeline: update: schedule: length: in: "epochs"`, "cadence.unit pipeline.update.schedule.length: the schedule counts epochs, but the micro-batches of an epoch are not stated"},
		{`pipeline: update: {ticks: [{by: "a", per: "micro-batch"}], schedule: length: times: "K"}` + "\nschedule: warmup: 100", "cadence.unit pipeline.update.ticks.0: the warm-up of 100 updates ends after 25 of 1000 updates (the a ticks per micro-batch)"},
		{eightRanks + `pipeline: window: {nodes: 2, ranksPerNode: 8}`, "cadence.batch window.replicas: window.replicas is 8, expected nodes × ranksPerNode = 2 × 8 = 16"},
		{`pipeline: update: clears: []`, "cadence.zero pipeline.update.clears: nobody clears gradients: each update adds to those of all updates before"},
		{`pipeline: update: clears: [{by: "a"}, {by: "b"}]`, "cadence.zero pipeline.update.clears.1: gradients are cleared 2 times an update (a, b), expected once"},
		{`pipeline: update: clears: [{by: "a", per: "epoch"}]`, "cadence.zero pipeline.update.clears.0: the a clears gradients at the start of an epoch, while a window is pending"},
		{`pipeline: update: order: ["backward", "clear", "step"]`, "cadence.zero pipeline.update.order.1: gradients are cleared between backward and step: the step sees a gradient of zero"},
		{`pipeline: update: order: ["tick", "step"]`, "scale.order pipeline.update.order.1: step comes after tick, expected before it"},
		{`pipeline: update: order: ["step", "clip", "step"]`, "scale.order pipeline.update.order.2: step is done twice in an update"},
		{halfPrecision + `pipeline: update: unscales: []`, "scale.order pipeline.update.unscales: nobody divides gradients by the loss scale: they are 65536 times too large"},
		{halfPrecision + `pipeline: update: unscales: [{by: "scaler"}, {by: "trainer"}]`, "scale.order pipeline.update.unscales.1: gradients are unscaled 2 times (scaler, trainer), expected once"},
		{halfPrecision + `pipeline: update: unscales: [{by: "scaler", per: "micro-batch"}]`, "scale.order pipeline.update.unscales.0: the scaler unscales after each micro-batch: the sum of the micro-batches before is divided by the scale again"},
		{halfPrecision + `pipeline: update: unscales: [{by: "scaler", with: "new scale"}]`, "scale.order pipeline.update.unscales.0.with: the scaler unscales with a scale that has changed since the loss was multiplied"},
		{`pipeline: update: clips: []`, "scale.order pipeline.update.clips: nobody clips the gradient, but optimizer.clip.norm is 1"},
		{`pipeline: update: clips: [{by: "engine"}, {by: "trainer"}]`, "scale.order pipeline.update.clips.1: the gradient is clipped 2 times an update (engine, trainer), expected once"},
		{`pipeline: update: skip: when: "never"`, "scale.skip pipeline.update.skip.when: a gradient that is not finite is applied: every parameter becomes not a number"},
		{`pipeline: update: skip: changes: ["decay", "counter"]`, "scale.skip pipeline.update.skip.changes: a skipped update changes decay and counter"},
		{`pipeline: update: skip: limit: 0`, "scale.skip pipeline.update.skip.limit: there is no limit of skipped updates in a row"},
		{eightRanks + `pipeline: update: skip: decidedBy: "each rank"`, "scale.skip pipeline.update.skip.decidedBy: each of 8 ranks decides on its own whether to skip: ranks that step and ranks that skip drift apart"},
		{`pipeline: update: norm: shared: "each name"`, "clip.norm pipeline.update.norm.shared: the norm counts a tensor with two names twice"},
		{eightRanks + `pipeline: update: order: ["backward", "clip", "reduce", "step"]`, "clip.norm pipeline.update.order.1: the gradient is clipped before it is reduced over ranks: the norm is that of one rank's part"},
		{`pipeline: window: accumulateIn: "bf16"`, "accum.add pipeline.window.accumulateIn: bf16 accumulation of 4 micro-batches loses terms below 1/256 of the sum"},
		{`dropout: rate: 0.1` + "\npipeline: resume: saves: [\"parameters\", \"moments\", \"updates\", \"cursor\"]", "resume.state pipeline.resume.saves: a checkpoint lacks the random streams: a resumed run differs from the next update on"},
		{`pipeline: resume: {schedule: "saved object", saves: ["parameters", "moments", "updates", "cursor"]}`, "resume.state pipeline.resume.saves: a checkpoint lacks the schedule: a resumed run differs from the next update on"},
		{`pipeline: resume: cursor: {counted: "samples", skipped: "micro-batches"}`, "resume.cursor pipeline.resume.cursor.skipped: for each of the samples counted, 1 micro-batches are skipped, but 0.5 were used"},
		{`pipeline: resume: {before: replicas: 4, cursor: counted: "micro-batches"}`, "resume.cursor pipeline.resume.cursor.skipped: for each of the micro-batches counted, 1 micro-batches are skipped, but 4 were used"},
		{`pipeline: resume: cursor: counted: "epochs"` + "\npipeline: resume: cursor: skipped: \"samples\"", "resume.cursor pipeline.resume.cursor: the place in the data is counted in epochs, but the micro-batches of an epoch are not stated"},
		{`pipeline: resume: at: 1000`, "resume.cursor pipeline.resume.at: the run is resumed after update 1000 and ends at update 1000: nothing is left to do"},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			list := check.Spec(trainedBy(t, c.fields))
			if diff := cmp.Diff([]string{c.want}, brief(list)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.fields, diff)
			}
			for _, d := range list {
				if d.Help == "" {
					t.Errorf("%s: no help", d.Code)
				}
			}
		})
	}
}
