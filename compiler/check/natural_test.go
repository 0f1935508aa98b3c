package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/spec"
)

// TestRightInOtherWords: set-ups that are right and that a hasty rule would
// refuse.
func TestRightInOtherWords(t *testing.T) {
	for i, text := range []string{
		// Every position of joined text is a target, so both counts are one.
		`pipeline: {loss: {over: "micro-batch", count: "positions", factors: [{by: "t", is: "1/K"}]}, window: equalTargets: true}`,
		`pipeline: {loss: {over: "nothing", factors: [{by: "t", is: "1/(B*T)"}, {by: "t", is: "1/K"}, {by: "ddp", is: "1/R"}]}, window: equalTargets: true}`,
		`pipeline: {loss: {over: "nothing", factors: [{by: "t", is: "1/(K*B*T)"}]}, window: equalTargets: true, targets: shifts: [{by: "dataset", on: "stream"}]}`,
		// A factor as a number, and one that cancels another.
		`pipeline: {loss: {over: "micro-batch", factors: [{by: "t", is: "0.25"}]}, window: equalTargets: true}`,
		`pipeline: loss: {over: "update", factors: [{by: "t", is: "K"}, {by: "engine", is: "1/K"}]}`,
		`pipeline: {loss: {over: "rank", factors: [{by: "ddp", is: "1/R"}]}, window: equalTargets: true}`,
		// A schedule in other units, all of them converted.
		`pipeline: {update: {ticks: [{by: "t", per: "epoch"}], schedule: {length: times: "1/32", warmup: times: "1/32"}}, window: batches: 128}`,
		`pipeline: update: {ticks: [{by: "t", per: "micro-batch"}], schedule: {length: in: "updates", warmup: in: "updates"}}`,
		// Steps that are left out, and clears on both sides of an update.
		`pipeline: update: order: ["clear", "backward", "reduce", "clip", "step", "tick"]`,
		`pipeline: update: order: ["backward", "reduce", "clip", "step", "clear", "tick"]`,
		// A cursor in epochs, in tokens' worth of samples, in updates.
		`pipeline: {resume: cursor: {counted: "epochs", skipped: "samples", times: "256"}, window: batches: 64}`,
		`pipeline: resume: cursor: {counted: "updates", skipped: "samples", times: "K*B*R"}`,
		`pipeline: {data: order: "sequential", resume: cursor: epoch: "starts at 0"}`,
		// Another objective, another scale, heads in another order, everywhere.
		`pipeline: attention: {objective: "any", backends: [{name: "x", causal: false}]}`,
		`pipeline: attention: {scale: "1/headDim", backends: [{name: "x", scales: [{by: "q", is: "1/sqrt(headDim)"}, {by: "k", is: "1/sqrt(headDim)"}]}]}`,
		// A pad id of 0 that nothing else has; masks that are added without overflow.
		`pipeline: {mask: padding: foundBy: "id", data: ids: {pad: 0, eos: 2}}`,
		`pipeline: mask: scores: {how: "add", type: "bf16"}`,
		`pipeline: mask: scores: {how: "add", fill: -65504, type: "f16", smallest: -10}`,
		// A control that learns to copy, with everything else by default.
		`mask: shift: offset: 0
	pipeline: mask: order: ["roles", "pad"]`,
		// An epoch shorter than a window that is flushed, a prediction within its tolerance.
		`pipeline: window: {batches: 3, last: "flush"}`,
		`pipeline: memory: {predicted: 1040, owners: [{name: "a", bytes: 1000}]}`,
		// In place, on what backward does not read.
		`pipeline: graph: ops: [{name: "relu_", reads: ["x"], makes: ["x"], saves: ["x"], overwrites: ["x"]}]`,
		// State that begins on the host, and is written there only.
		`pipeline: offload: storages: [{name: "moments", events: [{does: "copy-in", stream: "in", start: 0, end: 1}, {does: "write", start: 1, end: 2}, {does: "copy-out", stream: "out", start: 2, end: 3}, {does: "release", start: 3}, {does: "copy-in", stream: "in", start: 4, end: 5}]}]`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := `package exp

import "github.com/gradcue/gradcue/spec"

experiment: spec.#Experiment & {
	name: "right"
	model: spec.#GPT2 & {layers: 4, heads: 8, headDim: 16, vocab: 257, context: 64}
	mask: shift: by: "data"
	window: {microBatches: 4, microBatchSize: 2, seqLen: 64, replicas: 2}
	optimizer: lr: 3e-4
	schedule: {kind: "cosine", updates: 1000, warmup: 100}
	` + text + "\n}\n"
			if err := os.WriteFile(filepath.Join(dir, "exp.cue"), []byte(file), 0o644); err != nil {
				t.Fatal(err)
			}
			ls, list := spec.Load(spec.Options{Dir: dir}, "exp.cue")
			if len(list) > 0 || len(ls) != 1 {
				t.Fatalf("%v\n%s", found(list), text)
			}
			if got := found(specFindings(ls[0])); len(got) > 0 {
				t.Errorf("%s\n%s", text, strings.Join(got, "\n"))
			}
		})
	}
}
