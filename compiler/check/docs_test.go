package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/spec"
)

// TestIDs compares the ids of the rules in Go, of the rules in the schema, of
// docs/rules.md, and of the rows of testdata/bugs.
func TestIDs(t *testing.T) {
	var ids, own []string
	for _, r := range check.Rules() {
		ids = append(ids, r.ID)
		if !r.Target && !strings.HasPrefix(r.ID, "spec.") {
			own = append(own, r.ID)
		}
	}
	ids = append(ids, spec.Codes()...)
	for _, id := range spec.RuleIDs() {
		if !slices.Contains(spec.Codes(), id) {
			t.Errorf("rule %s of the schema has no explanation", id)
		}
	}
	page, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, m := range regexp.MustCompile(`(?m)^### ([a-z]+\.[a-zA-Z]+)$`).FindAllStringSubmatch(string(page), -1) {
		written = append(written, m[1])
	}
	for _, id := range ids {
		if !slices.Contains(written, id) {
			t.Errorf("docs/rules.md has no %s", id)
		}
	}
	wanted := rowIDs(t)
	for _, id := range own {
		if !slices.Contains(wanted, id) {
			t.Errorf("no row of testdata/bugs fires %s", id)
		}
	}
	for _, id := range wanted {
		if !slices.Contains(ids, id) {
			t.Errorf("a row of testdata/bugs wants %s, which is no rule", id)
		}
	}
	if len(own)+1 != 40 { // scale.need is a rule of the schema
		t.Errorf("%d rules, the catalogue has 40", len(own)+1)
	}
}

// rowIDs are the rules that rows of testdata/bugs want.
func rowIDs(t *testing.T) (ids []string) {
	rows, err := filepath.Glob("testdata/bugs/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		a, err := txtar.ParseFile(row)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name != "want" {
				continue
			}
			for line := range strings.Lines(string(f.Data)) {
				id, _, _ := strings.Cut(line, " ")
				ids = append(ids, id)
			}
		}
	}
	return ids
}
