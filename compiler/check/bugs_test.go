package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

// TestBugs loads, for each public report in testdata/bugs, the spec with the
// mistake and the repaired one. Of the wrong one exactly the wanted findings are
// made, at their lines and with the numbers of the report; of the right one none.
//
// A file `want` has a finding a line: rule, line of wrong.cue, part of the
// summary. A file `sample` has rows of data (see parseSample); then the rules on
// data run too.
func TestBugs(t *testing.T) {
	files, err := filepath.Glob("testdata/bugs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no bugs", err)
	}
	report := regexp.MustCompile(`(?m)^# report: [\w.-]+/[\w.-]+#\d+`)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !report.Match(a.Comment) {
				t.Error("the comment names no report")
			}
			c := bugCase{dir: t.TempDir(), files: map[string]string{}}
			for _, f := range a.Files {
				c.files[f.Name] = string(f.Data)
			}
			c.match(t, c.vet(t, "wrong.cue"))
			for _, d := range c.vet(t, "right.cue") {
				t.Errorf("right.cue: %s", line(d))
			}
		})
	}
}

// bugCase is one report: its files, and a folder of its own.
type bugCase struct {
	dir   string
	files map[string]string
}

// vet is every finding about one of the specs.
func (c *bugCase) vet(t *testing.T, name string) diag.List {
	t.Helper()
	text, ok := c.files[name]
	if !ok {
		t.Fatalf("no file %s", name)
	}
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ls, list := spec.Load(spec.Options{Dir: c.dir}, name)
	for _, l := range ls {
		cfg := model.FromSpec(l.Experiment)
		in := &check.Input{Experiment: l.Experiment, Model: &cfg, Where: l.Where, Prefix: l.Name}
		if text, ok := c.files["sample"]; ok {
			s := parseSample(t, text)
			s.Batch = int(l.Experiment.Window.MicroBatchSize)
			list = append(list, check.Data(in, s)...)
			continue
		}
		list = append(list, check.Spec(in)...)
	}
	return list
}

func line(d diag.Diagnostic) string {
	return fmt.Sprintf("%s %d %s %s", d.Rule(), d.Pos.Line, d.Severity, d.Summary)
}

// match compares findings with the lines of `want`, one for one.
func (c *bugCase) match(t *testing.T, got diag.List) {
	t.Helper()
	want := strings.Split(strings.TrimSpace(c.files["want"]), "\n")
	for _, w := range want {
		f := strings.SplitN(w, " ", 3)
		if len(f) != 3 {
			t.Fatalf("want %q: rule, line and text", w)
		}
		i := slices.IndexFunc(got, func(d diag.Diagnostic) bool {
			return d.Rule() == f[0] && strconv.Itoa(d.Pos.Line) == f[1] && strings.Contains(d.Summary, f[2])
		})
		if i < 0 {
			t.Errorf("not found: %s", w)
			continue
		}
		fromSchema := slices.Contains(spec.RuleIDs(), got[i].Rule())
		if d := got[i]; d.Help == "" && !fromSchema || d.Pos.Col == 0 || d.Pos.File != "wrong.cue" {
			t.Errorf("help %q, position %v: %s", d.Help, d.Pos, w)
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, d := range got {
		t.Errorf("not wanted: %s", line(d))
	}
}

// parseSample reads rows of tokens, one row a line. A token is an id behind a
// letter for its role (p prompt, r response, e end, t text); "." with or without
// an id is padding; "|" alone begins another document. A line "labels" is
// followed by one line a row of the targets that the trainer made.
func parseSample(t *testing.T, text string) (s check.Sample) {
	t.Helper()
	rows, labels, _ := strings.Cut(text, "labels\n")
	doc := int32(0)
	for l := range strings.Lines(rows) {
		r := loss.Row{Next: -1, NextDoc: -1}
		for _, f := range strings.Fields(l) {
			if f == "|" {
				doc++
				continue
			}
			role := loss.Role(strings.IndexByte(".tpre", f[0]))
			id, err := strconv.Atoi("0" + f[1:])
			if role > loss.EOS || err != nil {
				t.Fatalf("sample: token %q", f)
			}
			r.IDs, r.Roles, r.Docs = append(r.IDs, int32(id)), append(r.Roles, role), append(r.Docs, doc)
		}
		if len(r.IDs) > 0 {
			s.Rows = append(s.Rows, r)
			doc++
		}
	}
	for l := range strings.Lines(labels) {
		var ids []int32
		for _, f := range strings.Fields(l) {
			id, err := strconv.Atoi(f)
			if err != nil {
				t.Fatalf("sample: label %q", f)
			}
			ids = append(ids, int32(id))
		}
		if len(ids) > 0 {
			s.Labels = append(s.Labels, ids)
		}
	}
	return s
}
