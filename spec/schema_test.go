package spec

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryRuleHasAWrongFile keeps rules from passing silently: each id of the
// schema is marked in a wrong file, which TestWrong holds to that id.
func TestEveryRuleHasAWrongFile(t *testing.T) {
	marked := map[string]bool{}
	for _, file := range wrongCases(t) {
		for _, w := range wantsOf(t, file) {
			id, _, _ := strings.Cut(w, " ")
			marked[id] = true
		}
	}
	ids := RuleIDs()
	if len(ids) < 20 {
		t.Fatalf("only %d rules: %v", len(ids), ids)
	}
	for _, id := range ids {
		if !marked[id] {
			t.Errorf("rule %s has no wrong file", id)
		}
		if Explain(id) == "" {
			t.Errorf("rule %s is not explained", id)
		}
	}
	for id := range marked {
		if Explain(id) == "" {
			t.Errorf("finding %s is not explained", id)
		}
	}
	for _, id := range Codes() {
		if !slices.Contains(ids, id) && !strings.HasPrefix(id, "spec.") {
			t.Errorf("%s is explained and is no rule", id)
		}
	}
}

// TestRuleLabels asserts that every field of _rules is an id of two words, and
// that rules of one path name the same id.
func TestRuleLabels(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+\.[a-z]+$`)
	for _, id := range RuleIDs() {
		if !form.MatchString(id) {
			t.Errorf("%q is not a dotted id", id)
		}
	}
}

// TestEverySourceIsEmbedded walks the folder, since an embed pattern leaves out
// a new sub-folder without a word.
func TestEverySourceIsEmbedded(t *testing.T) {
	var want []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".cue" {
			want = append(want, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range sources() {
		got = append(got, f.Path)
		onDisk, err := os.ReadFile(filepath.FromSlash(f.Path))
		if err != nil || !bytes.Equal(onDisk, f.Data) {
			t.Errorf("%s: not what is on disk, %v", f.Path, err)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-folder +embedded:\n%s", diff)
	}
}

func TestModuleFileIsTheOneOnDisk(t *testing.T) {
	data, err := os.ReadFile("../cue.mod/module.cue")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), moduleFile); diff != "" {
		t.Errorf("-disk +constant:\n%s", diff)
	}
}

// TestGeneratedTypesAreFresh generates the Go types in a copy of the module.
func TestGeneratedTypesAreFresh(t *testing.T) {
	const name = "cue_types_gen.go"
	dir := t.TempDir()
	files := map[string]string{"cue.mod/module.cue": moduleFile}
	for _, f := range sources() {
		if strings.HasPrefix(f.Path, "shape/") {
			files["spec/"+f.Path] = string(f.Data)
		}
	}
	write(t, dir, files)
	if code, out := officialCue(t, dir, "exp", "gengotypes", "./spec/shape"); code != 0 {
		t.Fatal(out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "spec/shape", name))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("shape", name))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run go generate ./spec/shape; -committed +generated:\n%s", diff)
	}
	// Only a field that says so, because it takes a number or a formula, has no type.
	stated := 0
	for _, text := range files {
		stated += strings.Count(text, "@go(,type=any)")
	}
	if m := regexp.MustCompile(`(?m)^\t\w+ .*\bany\b.* .json`).FindAll(got, -1); len(m) != stated {
		t.Errorf("%d fields without a type, want %d: %s", len(m), stated, bytes.Join(m, []byte("\n")))
	}
}

// TestSchemaIsFormattedAndValid runs the official commands on the schema.
func TestSchemaIsFormattedAndValid(t *testing.T) {
	for _, args := range [][]string{
		{"fmt", "--check", ".", "./shape"},
		{"vet", "-c", ".", "./shape"},
		{"fmt", "--check", "./testdata/right/gpt2/exp.cue", "./testdata/right/llama/exp.cue", "./testdata/right/tags/exp.cue", "./testdata/right/sweep/exp.cue"},
		{"def", "--out", "jsonschema", "-e", "#Experiment", "./shape"},
	} {
		if code, out := officialCue(t, ".", args...); code != 0 {
			t.Errorf("cue %s: %s", strings.Join(args, " "), out)
		}
	}
}

// TestEveryFieldIsDocumented asserts a comment before each field and definition
// of the shape, which editors show.
func TestEveryFieldIsDocumented(t *testing.T) {
	field := regexp.MustCompile(`^\t?(#?\w+)[?!]?:`)
	for _, f := range sources() {
		if !strings.HasPrefix(f.Path, "shape/") {
			continue
		}
		lines := strings.Split(string(f.Data), "\n")
		for i, line := range lines {
			if m := field.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(lines[i-1]), "//") {
				t.Errorf("%s:%d: %s has no comment", f.Path, i+1, m[1])
			}
		}
	}
}

// write writes files into dir.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
