package spec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gradcue/gradcue/spec/diag"
)

// FuzzLoad loads any bytes as a file: there is a finding or an experiment, no
// finding is a mistake of the loader's, and each has a place.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/right/*/exp.cue", "testdata/wrong/*/exp.cue"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	for _, s := range []string{
		"", "package", "\xff", "experiment: experiment", "experiment: _|_", "experiment: {...}", "a: b\nb: a\nexperiment: a & b",
		"experiment: {model: experiment}", "experiments: {for k, v in experiments {\"\\(k)x\": v}}", "experiments: [string]: {}",
		"let x = x\nexperiment: x", "import \"strings\"\nexperiment: strings", "X=experiment: {model: X.model}", "experiment: \"x\\(1)\": 2",
		"experiment!: name: \"x\"", "experiment?: name: \"x\"", "experiment: name: 1, experiment: name: 2", "\"experiment\": null", "experiment: {\"_rules\": 1}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "exp.cue"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		loaded, diags := Load(Options{Dir: dir}, "exp.cue")
		if (len(loaded) > 0) == diags.HasErrors() {
			t.Errorf("%d experiments and %+v", len(loaded), diags)
		}
		for _, d := range diags {
			if d.Code == codeInternal || (d.Pos == diag.Position{} && !d.World) || d.Summary == "" {
				t.Errorf("%+v", d)
			}
			if d.Rule() == "" || Explain(d.Rule()) == "" {
				t.Errorf("code %q is not explained", d.Code)
			}
		}
	})
}
