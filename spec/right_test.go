package spec

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	cueload "cuelang.org/go/cue/load"
	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/spec/shape"
)

func rightFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/right/*/exp.cue")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d right files, %v", len(files), err)
	}
	return files
}

// TestRight loads every right file without a finding, and keeps the resolved
// experiments, every default filled in, as a golden.
func TestRight(t *testing.T) {
	for _, file := range rightFiles(t) {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			loaded, diags := Load(Options{}, file)
			if len(diags) > 0 || len(loaded) == 0 {
				t.Fatalf("%d experiments, %v", len(loaded), diags)
			}
			var out bytes.Buffer
			for _, l := range loaded {
				out.WriteString("// " + l.Name + "\n")
				if err := json.Indent(&out, l.Resolved, "", "  "); err != nil {
					t.Fatal(err)
				}
				out.WriteByte('\n')
			}
			goldenText(t, filepath.Join(filepath.Dir(file), "golden.json"), out.String())
			if strings.Contains(file, "plain") {
				return // the official cue needs an import to know the schema
			}
			if code, out := officialCue(t, ".", "vet", "-c", "./"+file); code != 0 {
				t.Errorf("cue vet -c: %s", out)
			}
		})
	}
}

// resolvedValues returns the experiments of a file as CUE values, unified with the schema.
func resolvedValues(t *testing.T, file string) map[string]cue.Value {
	t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	inst := cueload.Instances([]string{"./" + filepath.Base(abs)}, loadConfig(filepath.Dir(abs), nil))[0]
	ctx := cuecontext.New()
	v := ctx.BuildInstance(inst)
	schema, err := schemaIn(ctx, inst)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]cue.Value{}
	for _, path := range experiments(v) {
		var sels []cue.Selector
		for _, s := range path {
			sels = append(sels, cue.Str(s))
		}
		out[dotted(path)] = v.LookupPath(cue.MakePath(sels...)).Unify(schema)
	}
	return out
}

// TestThreeDecodersAgree holds the Go types to the schema in both directions:
// CUE's decoder, a strict JSON decoder and what Go encodes again give the same.
func TestThreeDecodersAgree(t *testing.T) {
	for _, file := range rightFiles(t) {
		for name, v := range resolvedValues(t, file) {
			t.Run(filepath.Base(filepath.Dir(file))+"/"+name, func(t *testing.T) {
				var decoded, strict shape.Experiment
				if err := v.Decode(&decoded); err != nil {
					t.Fatal(err)
				}
				fromCUE, err := v.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				d := json.NewDecoder(bytes.NewReader(fromCUE))
				d.DisallowUnknownFields()
				if err := d.Decode(&strict); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(decoded, strict); diff != "" {
					t.Errorf("-cue +json:\n%s", diff)
				}
				fromGo, err := json.Marshal(decoded)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(anyJSON(t, fromCUE), anyJSON(t, fromGo)); diff != "" {
					t.Errorf("-cue +go:\n%s", diff)
				}
			})
		}
	}
}

func anyJSON(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func goldenText(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s, -want +got:\n%s", file, diff)
	}
}

// TestDerived asserts the derived values of the simplest spec.
func TestDerived(t *testing.T) {
	loaded, diags := Load(Options{}, "testdata/right/gpt2/exp.cue")
	if len(loaded) != 1 {
		t.Fatal(diags)
	}
	e := loaded[0].Experiment
	type derived struct {
		KVHeads, DModel, FFN, Sequences, Tokens, Buffers int64
		QKVBias                                          bool
		Params                                           shape.DType
		Beta1, Beta2, Eps, WeightDecay                   float64
		NoMomentum                                       bool
	}
	want := derived{12, 768, 3072, 32, 32768, 2, true, "f32", 0.9, 0.95, 1e-8, 0.1, true}
	got := derived{
		e.Model.KVHeads, e.Model.DModel, e.Model.FFN, e.Window.Sequences, e.Window.Tokens, e.Offload.Prefetch.Buffers,
		*e.Model.QKVBias, e.Precision.Params, e.Optimizer.Beta1, e.Optimizer.Beta2, e.Optimizer.Eps,
		*e.Optimizer.WeightDecay, e.Optimizer.Momentum == nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
