package spec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gradcue/gradcue/spec/diag"
)

// wantComment marks the line of a finding in a wrong file: its rule and its path.
var wantComment = regexp.MustCompile(`// want (\S+) (\S+)`)

// wantsOf returns "rule path line" for each mark of a file.
func wantsOf(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, line := range strings.Split(string(data), "\n") {
		if m := wantComment.FindStringSubmatch(line); m != nil {
			out = append(out, fmt.Sprintf("%s %s %d", m[1], strings.TrimPrefix(m[2], "-"), i+1))
		}
	}
	return out
}

func wrongCases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/wrong/*/exp.cue")
	if err != nil || len(files) < 42 {
		t.Fatalf("%d wrong files, %v", len(files), err)
	}
	return files
}

// TestWrong asserts the rule, the path and the line of every finding of every
// wrong file, that nothing else is found, and both outputs as a golden.
func TestWrong(t *testing.T) {
	for _, file := range wrongCases(t) {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded, diags := Load(Options{}, file)
			if len(loaded) > 0 {
				t.Errorf("a wrong file gave %d experiments", len(loaded))
			}
			var got []string
			for _, d := range diags {
				if d.Pos.File != filepath.ToSlash(file) || d.Pos.Col < 1 || d.World {
					t.Errorf("not a finding inside the file: %+v", d)
				}
				got = append(got, fmt.Sprintf("%s %s %d", d.Rule(), d.Path, d.Pos.Line))
			}
			want := wantsOf(t, file)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings, -want +got:\n%s", diff)
			}
			var text bytes.Buffer
			if err := diag.Text(&text, diags, diag.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			code, official := officialCue(t, ".", "vet", "-c", "./"+file)
			if code == 0 && !plainPasses[name] {
				t.Errorf("cue vet -c passes")
			}
			golden(t, filepath.Join(filepath.Dir(file), "golden.txtar"), &txtar.Archive{Files: []txtar.File{
				{Name: "cue vet -c", Data: []byte(official)},
				{Name: "gradcue", Data: text.Bytes()},
			}})
		})
	}
}

// plainPasses are the mistakes that the official cue cannot see: a file that
// forgot the schema, or has no experiment.
var plainPasses = map[string]bool{"unbound": true, "forgotten": true, "noexperiment": true}

func golden(t *testing.T, file string, got *txtar.Archive) {
	t.Helper()
	data := txtar.Format(got)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(data)); diff != "" {
		t.Errorf("%s, -want +got:\n%s", file, diff)
	}
}
