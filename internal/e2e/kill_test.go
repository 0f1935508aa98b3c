package e2e

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/sink"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec/shape"
)

const killSpec = `package killed

import "github.com/gradcue/gradcue/spec"

experiment: spec.#Experiment & {
	name: "killed"
	model: spec.#GPT2 & {layers: 2, heads: 2, headDim: 16, vocab: 256, context: 64}
	data: {train: ["train.txt"], documents: "paragraph"}
	mask: packing: mode: "segments"
	window: {microBatches: 2, microBatchSize: 2, seqLen: 64}
	init: std: 0.08
	optimizer: lr: 4e-3
	schedule: {kind: "cosine", updates: 400, warmup: 4}
	save: every: 20
}
`

// TestKilled: a run whose process is killed again and again, at no chosen
// moment, ends in the losses and the parameter hash of a run in peace (D4).
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../examples/quickstart/corpus/train.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"exp.cue": []byte(killSpec), "train.txt": text[:40_000]} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "gradcue")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/gradcue").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	l := loadDir(t, dir)
	base := trainOn(t, cpu.Engine{}, planOf(t, l, func(*shape.Experiment) {}), l, train.Options{})
	kills := 0
	for ; kills < 6 && runFor(t, dir, bin, time.Duration(120+70*kills)*time.Millisecond); kills++ {
	}
	out := finish(t, dir, bin)
	if kills == 0 {
		t.Fatal("the run was never killed: make it longer")
	}
	events, err := os.Open(filepath.Join(dir, "runs/killed/events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	list, _, err := sink.Read(events)
	if err != nil {
		t.Fatal(err)
	}
	got := train.Result{ParamHash: base.ParamHash}
	for _, e := range sink.Updates(list) {
		got.Losses = append(got.Losses, float64(*e.Loss))
	}
	same(t, base, got)
	hash := regexp.MustCompile(`sha256 ([0-9a-f]{12})`).FindStringSubmatch(out)
	if hash == nil || !strings.HasPrefix(base.ParamHash, hash[1]) {
		t.Errorf("after %d kills the parameters are %v, in peace %s", kills, hash, base.ParamHash)
	}
	t.Logf("killed %d times", kills)
}

// runFor starts the run and kills it after its first line and the given time;
// it reports whether there was still something to kill.
func runFor(t *testing.T, dir, bin string, d time.Duration) bool {
	t.Helper()
	c := exec.Command(bin, "run", ".")
	c.Dir = dir
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(out).ReadString('\n')
	time.Sleep(d)
	c.Process.Kill()
	return c.Wait() != nil
}

func finish(t *testing.T, dir, bin string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, bin, "run", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("the last run: %v\n%s", err, out)
	}
	return string(out)
}
