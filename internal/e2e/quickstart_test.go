package e2e

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/sample"
	"github.com/gradcue/gradcue/runtime/train"
)

// TestQuickstartLearns runs the README's main job to its end: the held-out loss
// is far below that of guessing, and a sample is made of the corpus's words.
func TestQuickstartLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for about half a minute")
	}
	l := example(t, "quickstart")
	dir := filepath.Join(t.TempDir(), "run")
	r := trainOn(t, cpu.Engine{}, planOf(t, l, nil), l, train.Options{Dir: dir})
	if limit := 0.3 * math.Log(256); !(r.EvalLoss < limit) {
		t.Errorf("held-out loss %.3f after %d updates, want below %.3f", r.EvalLoss, r.U, limit)
	}
	res, list, err := compiler.Compile(compiler.Source{Experiment: l.Experiment}, compiler.Options{Program: compiler.Sample})
	if err != nil || list.HasErrors() {
		t.Fatal(err, list)
	}
	out, err := sample.Generate(context.Background(), sample.Options{Plan: res.Plan, Engine: cpu.Engine{}, Dir: dir, N: 1500, Temperature: 0.5, TopK: 40, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := os.ReadFile(filepath.Join(l.Dir, "corpus/train.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, w := range words(string(corpus)) {
		known[w] = true
	}
	made, found := words(string(out.Texts[0])), 0
	for _, w := range made {
		if known[w] {
			found++
		}
	}
	if len(made) < 150 || found*5 < len(made)*4 {
		t.Errorf("%d of %d sampled words occur in the corpus, want four fifths:\n%s", found, len(made), out.Texts[0])
	}
	t.Logf("held-out loss %.3f, %d of %d words", r.EvalLoss, found, len(made))
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}
