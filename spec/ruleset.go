package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/parser"
)

// rule is what an @rule attribute in the spec says about the line it stands on.
type rule struct {
	// at is the path of the blamed field, relative to the struct that holds
	// _rules; empty where the id carries it.
	at string
	// id is the rule of a plain equality; other rules have theirs as label.
	id string
	// is is the formula of a plain equality.
	is string
}

// rulesOf collects the @rule attributes of the packages that an instance
// imports, by "file:line".
func rulesOf(inst *build.Instance) map[string]rule {
	out := map[string]rule{}
	seen := map[*build.Instance]bool{}
	var walk func(*build.Instance)
	walk = func(in *build.Instance) {
		for _, imp := range in.Imports {
			if seen[imp] {
				continue
			}
			seen[imp] = true
			if strings.HasPrefix(imp.ImportPath, ImportPath) {
				for _, f := range imp.Files {
					fileRules(f, func(line string, _ string, r rule) { out[line] = r })
				}
			}
			walk(imp)
		}
	}
	walk(inst)
	return out
}

// fileRules calls found for each field with an @rule attribute, with the
// "file:line" of the field, its label and what the attribute says.
func fileRules(f *ast.File, found func(line, label string, r rule)) {
	ast.Walk(f, func(n ast.Node) bool {
		fl, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		for _, a := range fl.Attrs {
			if key, body := a.Split(); key == "rule" {
				p := fl.Pos().Position()
				found(fmt.Sprintf("%s:%d", p.Filename, p.Line), labelText(fl.Label), parseRule(body))
			}
		}
		if labelText(fl.Label) == "_rules" {
			withPath(fl.Value, found)
		}
		return true
	}, nil)
}

// withPath calls found for the rules inside _rules that carry their path in the
// label and so need no attribute.
func withPath(rules ast.Expr, found func(line, label string, r rule)) {
	ast.Walk(rules, func(n ast.Node) bool {
		if fl, ok := n.(*ast.Field); ok && strings.Contains(labelText(fl.Label), "/") {
			found("", labelText(fl.Label), rule{})
		}
		return true
	}, nil)
}

// RuleIDs returns the ids of all rules of the schema, sorted and each once:
// those of _rules, without what follows a slash, and of plain equalities.
func RuleIDs() []string {
	var out []string
	for _, src := range sources() {
		// An error leaves a partial file; a test loads every embedded file.
		f, _ := parser.ParseFile(src.Path, src.Data)
		fileRules(f, func(_, label string, r rule) {
			id := cmp.Or(r.id, label)
			id, _, _ = strings.Cut(id, "/")
			out = append(out, id)
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// parseRule reads at=PATH, id=ID and is=FORMULA; the formula is last and may
// hold commas.
func parseRule(body string) rule {
	var r rule
	for body != "" {
		key, rest, _ := strings.Cut(body, "=")
		if key == "is" {
			r.is = strings.Trim(rest, `"`)
			break
		}
		value, next, _ := strings.Cut(rest, ",")
		switch key {
		case "at":
			r.at = value
		case "id":
			r.id = value
		}
		body = next
	}
	return r
}

// labelText is a label without quotes; of a computed label, its constant start.
func labelText(l ast.Label) string {
	if x, ok := l.(*ast.Interpolation); ok {
		if b, ok := x.Elts[0].(*ast.BasicLit); ok {
			return strings.TrimSuffix(strings.TrimPrefix(b.Value, `"`), `\(`)
		}
	}
	name, _, err := ast.LabelName(l)
	if err != nil {
		return ""
	}
	return name
}
