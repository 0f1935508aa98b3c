package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/spec"
)

// TestPagesHaveAllCodes: explain has one page for each rule in Go, each code of
// the schema and the loader, and each code that the source gives to a finding;
// and no page for anything else.
func TestPagesHaveAllCodes(t *testing.T) {
	var want []string
	for _, r := range check.Rules() {
		want = append(want, r.ID)
	}
	want = append(append(want, spec.Codes()...), spec.RuleIDs()...)
	want = append(want, codesInSource(t)...)
	slices.Sort(want)
	want = slices.Compact(want)
	var got []string
	for _, p := range codePages() {
		got = append(got, p.id)
		if p.title == "" || len(p.doc) == 0 || p.group == "" {
			t.Errorf("%s has no title, text or group", p.id)
		}
		if rule := p.group == "rules"; rule && (p.formula == "" || p.do == "" || p.fact == nil) {
			t.Errorf("%s is a rule without formula, advice or fields", p.id)
		}
	}
	for _, id := range want {
		if !slices.Contains(got, id) {
			t.Errorf("explain has no page for %s", id)
		}
	}
	for _, id := range got {
		if !slices.Contains(want, id) {
			t.Errorf("explain has a page for %s, which nothing reports", id)
		}
	}
	for i := range facts {
		if !slices.Contains(got, facts[i].id) {
			t.Errorf("facts about %s, which is no code", facts[i].id)
		}
	}
	for _, y := range symptoms {
		for _, id := range y.rules {
			if !slices.Contains(got, id) {
				t.Errorf("symptom %s names %s, which is no code", y.name, id)
			}
		}
	}
}

var codeText = regexp.MustCompile(`^(cli|data|engine|gradcheck|init|plan|prove|run|scale|state)\.[a-z]+$`)

// codesInSource are the codes that the source gives to findings: the field Code
// of a diagnostic, and the first text of a call that makes one.
func codesInSource(t *testing.T) (codes []string) {
	calls := []string{"finding", "content", "mistake", "add", "unreadable"}
	for _, root := range []string{"../../runtime", "../../compiler/plan", "."} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				var x ast.Expr
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
						x = n.Value
					}
				case *ast.AssignStmt:
					if name, ok := n.Lhs[0].(*ast.Ident); ok && name.Name == "code" {
						x = n.Rhs[0]
					}
				case *ast.CallExpr:
					name := ""
					switch f := n.Fun.(type) {
					case *ast.Ident:
						name = f.Name
					case *ast.SelectorExpr:
						name = f.Sel.Name
					}
					if slices.Contains(calls, name) && len(n.Args) > 0 {
						x = n.Args[0]
					}
				}
				if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if s, err := strconv.Unquote(lit.Value); err == nil && codeText.MatchString(s) {
						codes = append(codes, s)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return codes
}

// TestFactsNameFields: every path that a page reads is a field of the spec, or a
// section or list in it.
func TestFactsNameFields(t *testing.T) {
	schema, err := os.ReadFile("../../spec/shape/cue_types_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", schema, 0)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]map[string]string{} // type → json name → type of the field
	ast.Inspect(f, func(n ast.Node) bool {
		d, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if st, ok := d.Type.(*ast.StructType); ok {
			fields := map[string]string{}
			for _, x := range st.Fields.List {
				name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(x.Tag.Value, "`json:\""), "`"), ",")
				fields[strings.TrimSuffix(name, `"`)] = strings.TrimLeft(string(schema[x.Type.Pos()-1:x.Type.End()-1]), "*[]")
			}
			types[d.Name.Name] = fields
		}
		return true
	})
	for i := range facts {
		for _, path := range facts[i].reads {
			at := "Experiment"
			for _, name := range strings.Split(path, ".") {
				next, ok := types[at][name]
				if !ok {
					t.Errorf("%s reads %s, which is no field of the spec", facts[i].id, path)
					break
				}
				at = next
			}
		}
	}
}

const rulesPage = "../../docs/rules.md"

// TestRulesPage keeps docs/rules.md equal to what explain says; UPDATE=1 writes it.
func TestRulesPage(t *testing.T) {
	want := rulesText(t)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(rulesPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(rulesPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/rules.md is not what explain says: run UPDATE=1 go test -run TestRulesPage ./cmd/gradcue")
	}
}

// rulesText is the page: symptoms, then codes by group, each with the public
// reports whose mistake it refuses.
func rulesText(t *testing.T) []byte {
	reports := reportsOf(t)
	var b bytes.Buffer
	b.WriteString("<!-- Generated from what gradcue explain says by UPDATE=1 go test -run TestRulesPage ./cmd/gradcue; do not edit. -->\n\n# Rules\n\n" +
		"`gradcue explain NAME SPEC` prints the same text with the numbers of a spec and the lines they come from.\n\n## Symptoms\n")
	for _, y := range symptoms {
		fmt.Fprintf(&b, "\n### %s\n\n%s. Look first at %s: %s\n\n", y.name, capital(y.title), y.look, y.question)
		for _, f := range y.formulas {
			fmt.Fprintf(&b, "    %s\n", f)
		}
		fmt.Fprintf(&b, "\n%s\n\nRules: %s.\n\n", y.doc, strings.Join(y.rules, ", "))
		for _, c := range y.commands {
			fmt.Fprintf(&b, "- `%s`: %s\n", c[0], c[1])
		}
	}
	for _, g := range codeGroups {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", capital(g.name), capital(g.about))
		for _, p := range codePages() {
			if p.group != g.name {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n%s.\n", p.id, capital(p.title))
			if p.formula != "" {
				fmt.Fprintf(&b, "\n    %s\n", p.formula)
			}
			for _, d := range p.doc {
				fmt.Fprintf(&b, "\n%s\n", d)
			}
			if p.do != "" {
				fmt.Fprintf(&b, "\nTo do: %s.\n", p.do)
			}
			if p.fact != nil {
				fmt.Fprintf(&b, "\nReads: %s.\n", strings.Join(p.fact.reads, ", "))
			}
			if r := reports[p.id]; len(r) > 0 {
				fmt.Fprintf(&b, "\nReported as: %s.\n", strings.Join(r, ", "))
			}
		}
	}
	b.WriteString("\nOperations are on a page of their own, [ops.md](ops.md).\n")
	return b.Bytes()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// reportsOf are the public reports of each rule, from the rows of compiler/check.
func reportsOf(t *testing.T) map[string][]string {
	out := map[string][]string{}
	rows, err := filepath.Glob("../../compiler/check/testdata/bugs/*.txtar")
	if err != nil || len(rows) == 0 {
		t.Fatal("no rows", err)
	}
	for _, row := range rows {
		a, err := txtar.ParseFile(row)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(a.Comment), "\n")
		report, ok := strings.CutPrefix(head, "# report: ")
		if !ok {
			t.Errorf("%s names no report", row)
			continue
		}
		for _, f := range a.Files {
			if f.Name != "want" {
				continue
			}
			for line := range strings.Lines(string(f.Data)) {
				id, _, _ := strings.Cut(line, " ")
				out[id] = append(out[id], strings.TrimSpace(report))
			}
		}
	}
	for id := range out {
		slices.SortFunc(out[id], func(a, b string) int {
			ra, na, _ := strings.Cut(a, "#")
			rb, nb, _ := strings.Cut(b, "#")
			x, _ := strconv.Atoi(na)
			y, _ := strconv.Atoi(nb)
			return cmp.Or(strings.Compare(ra, rb), cmp.Compare(x, y), strings.Compare(a, b))
		})
		out[id] = slices.Compact(out[id])
	}
	return out
}
