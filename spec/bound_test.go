package spec

import (
	"slices"
	"strings"
	"testing"

	cueload "cuelang.org/go/cue/load"

	"github.com/gradcue/gradcue/spec/diag"
)

// TestUnboundIsChecked has files that do not force the schema on the experiment;
// a field that the schema does not have must be found in each.
func TestUnboundIsChecked(t *testing.T) {
	const body = `{name: "x", model: spec.#GPT2 & {layers: 2, heads: 2, headDim: 16, vocab: 256, context: 64},
	window: {microBatches: 2, microBatchSize: 2, seqLen: 64}, optimizer: lr: 1e-3, schedule: updates: 10, window: {("e" + "xtra"): 1}}`
	tests := []struct {
		name, text string
		bound      bool
	}{
		{"direct", "experiment: spec.#Experiment & BODY", true},
		{"operand order", "experiment: BODY & (spec.#Experiment)", true},
		{"by reference", "experiment: base & BODY\nlet base = E\nE: spec.#Experiment", true},
		{"another name", "experiment: s.#Experiment & BODY", true},
		{"computed", "experiments: {for k in [\"a\"] {\"\\(k)\": spec.#Experiment & BODY}}", true},
		{"nothing", "experiment: BODY", false},
		{"embedded", "experiment: {spec.#Experiment, BODY}", false},
		{"disjunction", "experiment: BODY | spec.#Experiment", false},
		{"dead branch", "experiment: BODY\nif false {experiment: spec.#Experiment}", false},
		{"two places", "experiment: BODY\nexperiment: spec.#Experiment", false},
		{"a definition of one's own", "#Experiment: {...}\nexperiment: #Experiment & BODY", false},
		{"one of two computed", "experiments: {for k in [\"a\"] {\"\\(k)\": spec.#Experiment & BODY}, for k in [\"b\"] {\"\\(k)\": BODY}}", false},
		{"computed beside a reference", "runs: a: BODY\nexperiments: runs & {for k in [\"b\"] {\"\\(k)\": spec.#Experiment & BODY}}", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := strings.ReplaceAll(tt.text, "BODY", body)
			imports := "import \"github.com/gradcue/gradcue/spec\"\n"
			if strings.Contains(text, "s.#Experiment") && !strings.Contains(text, "spec.#Experiment") {
				imports += "import s \"github.com/gradcue/gradcue/spec\"\n"
			}
			write(t, dir, map[string]string{"exp.cue": "package exp\n\n" + imports + "\n" + text + "\n"})
			inst := cueload.Instances([]string{"./exp.cue"}, loadConfig(dir, nil))[0]
			r := &reporter{root: index(inst.Files), files: inst.Files}
			path := []string{"experiment"}
			if strings.Contains(text, "experiments:") {
				path = []string{"experiments", "a"}
			}
			if got := r.bound(path); got != tt.bound {
				t.Errorf("bound: got %v, want %v", got, tt.bound)
			}
			loaded, diags := Load(Options{Dir: dir}, "exp.cue")
			if len(loaded) > 0 || !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == codeUnknown }) {
				t.Errorf("the extra field passes: %d experiments, %+v", len(loaded), diags)
			}
		})
	}
}
