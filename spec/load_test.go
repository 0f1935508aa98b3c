package spec

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/spec/diag"
)

// small is a right spec of a package.
const small = `package exp

import "github.com/gradcue/gradcue/spec"

experiment: spec.#Experiment & {
	name: "small"
	model: spec.#GPT2 & {layers: 2, heads: 2, headDim: 16, vocab: 256, context: 64}
	window: {microBatches: 2, microBatchSize: 2, seqLen: 64}
	optimizer: lr:     1e-3
	schedule: updates: 10
}
`

const userMod = "module: \"example.com/lab@v0\"\nlanguage: version: "

// TestModules loads the same file in every kind of place that a user's file can
// be in, and asserts whether the official cue can check it there as well.
func TestModules(t *testing.T) {
	vendoredFiles := map[string]string{}
	for _, f := range Files() {
		vendoredFiles[f.Path] = string(f.Data)
	}
	with := func(files map[string]string, more ...string) map[string]string {
		out := map[string]string{}
		for k, v := range files {
			out[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	replaced := map[string]string{
		"cue.mod/local-module.cue": "deps: \"" + moduleMajor + "\": {v: \"" + Version + "\", replaceWith: \"./copy\"}\n",
		"copy/cue.mod/module.cue":  moduleFile,
	}
	for _, f := range sources() {
		replaced["copy/spec/"+f.Path] = string(f.Data)
	}
	dep := userMod + "\"v0.17.0\"\ndeps: \"" + moduleMajor + "\": v: \"" + Version + "\"\n"
	tests := []struct {
		name  string
		files map[string]string
		plain bool
	}{
		{"no module", nil, false},
		{"module that does not know us", map[string]string{"cue.mod/module.cue": userMod + "\"v0.17.0\"\n"}, false},
		{"module of an older language", map[string]string{"cue.mod/module.cue": userMod + "\"v0.9.0\"\n"}, false},
		{"dependency", map[string]string{"cue.mod/module.cue": dep}, false},
		{"vendored", vendoredFiles, true},
		{"vendored, language v0.14.0", with(vendoredFiles, "cue.mod/module.cue", userMod+"\"v0.14.0\"\n"), true},
		{"replaced", with(replaced, "cue.mod/module.cue", dep), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tt.files)
			write(t, dir, map[string]string{"lab/one/exp.cue": small})
			loaded, diags := Load(Options{Dir: dir}, "lab/one/exp.cue")
			if len(loaded) != 1 || len(diags) > 0 {
				t.Fatalf("%d experiments, %+v", len(loaded), diags)
			}
			l := loaded[0]
			if l.Name != "experiment" || l.Dir != filepath.Join(dir, "lab", "one") || !slices.Equal(l.Files, []string{"lab/one/exp.cue"}) {
				t.Errorf("got %q in %q, files %q", l.Name, l.Dir, l.Files)
			}
			code, out := officialCue(t, dir, "vet", "-c", "./lab/one")
			if (code == 0) != tt.plain {
				t.Errorf("cue vet -c: exit code %d\n%s", code, out)
			}
		})
	}
}

func TestWhere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"exp.cue": small + `
experiment: checkpointing: overrides: [{layers: [0], policy: "full"}]
experiments: {
	for depth in [1, 2] {
		"d\(depth)": _shared & {model: layers: depth}
	}
}
_shared: spec.#Experiment & {
	name: "ö", model: spec.#GPT2 & {layers: int, heads: 2, headDim: 16, vocab: 256, context: 64}
}
_shared: _rest
_rest: {
	window: {microBatches: 2, microBatchSize: 2, seqLen: 64}
	optimizer: lr:     1e-3
	schedule: updates: 10
}
`})
	loaded, diags := Load(Options{Dir: dir}, ".")
	var names []string
	for _, l := range loaded {
		names = append(names, l.Name)
	}
	if diff := cmp.Diff([]string(nil), names); diff != "" {
		t.Fatalf("a wrong name must stop all of them: %s %v", diff, diags)
	}
	if len(diags) != 1 || diags[0].Pos != (diag.Position{File: "exp.cue", Line: 20, Col: 2}) {
		t.Fatalf("one wrong line in the base of two runs: %+v", diags)
	}
	write(t, dir, map[string]string{"exp.cue": strings.Replace(mustRead(t, filepath.Join(dir, "exp.cue")), "ö", "o", 1)})
	loaded, diags = Load(Options{Dir: dir}, "exp.cue")
	if len(loaded) != 3 || len(diags) > 0 {
		t.Fatal(len(loaded), diags)
	}
	tests := []struct {
		i    int
		path string
		want string
	}{
		{0, "model.layers", "exp.cue:7:23"},
		{0, "model.kvHeads", "exp.cue:7:2"},
		{0, "optimizer.lr", "exp.cue:9:13"},
		{0, "checkpointing.overrides.0.layers", "exp.cue:13:41"},
		{0, "checkpointing.overrides.7.layers", "exp.cue:13:28"},
		{0, "device.workers", "exp.cue:5:1"},
		{0, "", "exp.cue:5:1"},
		{1, "model.layers", "exp.cue:16:34"},
		{2, "model.heads", "exp.cue:20:47"},
		{2, "window.seqLen", "exp.cue:24:47"},
	}
	for _, tt := range tests {
		if got := loaded[tt.i].Where(tt.path).String(); got != tt.want {
			t.Errorf("%s of %s: got %s, want %s", tt.path, loaded[tt.i].Name, got, tt.want)
		}
	}
}

// codes returns "code file" for each finding, and whether all are of the world.
func codes(l diag.List) (out []string) {
	for _, d := range l {
		s := d.Code + " " + d.Pos.File
		if d.World {
			s += " (world)"
		}
		out = append(out, s)
	}
	return out
}

func TestArguments(t *testing.T) {
	dir := t.TempDir()
	other := strings.Replace(small, "package exp", "package other", 1)
	write(t, dir, map[string]string{
		"a/exp.cue":               small,
		"a/sub/b.cue":             strings.Replace(small, "heads: 2", "heads: 2, kvHeads: 3", 1),
		"two/x.cue":               small,
		"two/y.cue":               other,
		"split/x.cue":             "package s\nexperiment: model: layers: depth\n",
		"split/y.cue":             strings.Replace(strings.Replace(small, "package exp", "package s", 1), "layers: 2, ", "", 1) + "depth: 3\n",
		"lib/lib.cue":             "package lib\nwidth: 16\n",
		"bare/exp.cue":            "experiment: name: \"bare\"\n",
		"notes/readme.txt":        "no spec",
		"a/testdata/wrong.cue":    "package broken",
		"a/_skip/wrong.cue":       "package broken\n}",
		"a/exp_test.cue":          "package broken\n",
		"broken/exp.cue":          "package exp\n\nexperiment: {\n",
		"conflict/exp.cue":        "package exp\n\nx: 1 & 2\n",
		"foreign/exp.cue":         "package exp\n\nimport \"example.com/other\"\n\nexperiment: other.x\n",
		"scalar/exp.cue":          "package exp\n\nexperiment: 5\n",
		"list/exp.cue":            "package exp\n\nexperiments: [1, 2]\n",
		"empty/exp.cue":           "",
		"embedded/exp.cue":        "package exp\n\nimport \"github.com/gradcue/gradcue/spec\"\n\nspec.#Experiment & {name: \"x\"}\n",
		"opened/exp.cue":          strings.Replace(small, "spec.#Experiment & {", "{\n\tspec.#Experiment\n\textra: 1", 1),
		"disabled/exp.cue":        strings.Replace(small, "\tname:", "\tif false {nmae: 1}\n\tname:", 1),
		"with-hidden/exp.cue":     strings.Replace(small, "\tname:", "\t_note: 1\n\t#K:    2\n\tname:", 1),
		"attributes-only/exp.cue": strings.Replace(small, "layers: 2", "layers: 2 @note(x)", 1),
	})
	tests := []struct {
		args  string
		names int
		want  []string
	}{
		{"a/exp.cue", 1, nil},
		{"a", 1, nil},
		{"a a/ a/exp.cue", 2, nil},
		{"./a/...", 1, []string{"attn.heads a/sub/b.cue"}},
		{"a a/sub", 1, []string{"attn.heads a/sub/b.cue"}},
		{"two", 2, nil},
		{"split", 1, nil},
		{"split/x.cue", 0, []string{"spec.reference split/x.cue"}},
		{"lib", 0, []string{"spec.experiment lib/lib.cue"}},
		{"./lib/...", 0, []string{"spec.experiment "}},
		{"gone.cue", 0, []string{"spec.file gone.cue (world)"}},
		{"gone/...", 0, []string{"spec.file gone/... (world)"}},
		{"notes", 0, []string{"spec.file notes (world)"}},
		{"notes/readme.txt", 0, []string{"spec.file notes/readme.txt (world)"}},
		{"a/exp_test.cue", 0, []string{"spec.file a/exp_test.cue (world)"}},
		{"gone.cue a/exp.cue", 1, []string{"spec.file gone.cue (world)"}},
		{"broken", 0, []string{"spec.syntax broken/exp.cue"}},
		{"conflict", 0, []string{"spec.value conflict/exp.cue"}},
		{"foreign", 0, []string{"spec.import foreign/exp.cue"}},
		{"scalar", 0, []string{"spec.value scalar/exp.cue"}},
		{"list", 0, []string{"spec.experiment list/exp.cue"}},
		{"empty/exp.cue", 0, []string{"spec.experiment empty/exp.cue"}},
		{"embedded", 0, []string{"spec.experiment embedded/exp.cue"}},
		{"opened", 0, []string{"spec.unknown opened/exp.cue"}},
		{"disabled", 1, nil},
		{"with-hidden", 1, nil},
		{"attributes-only", 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			loaded, diags := Load(Options{Dir: dir}, strings.Fields(tt.args)...)
			if diff := cmp.Diff(tt.want, codes(diags)); diff != "" || len(loaded) != tt.names {
				t.Errorf("%d experiments, want %d; -want +got:\n%s%+v", len(loaded), tt.names, diff, diags)
			}
		})
	}
	loaded, diags := Load(Options{Dir: filepath.Join(dir, "a")})
	if len(loaded) != 1 || diags != nil {
		t.Errorf("without arguments: %d experiments, %v", len(loaded), diags)
	}
}
