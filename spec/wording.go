package spec

import (
	"fmt"
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"github.com/gradcue/gradcue/spec/diag"
)

var conflict = regexp.MustCompile(`^conflicting values (\S+) and (\S+)$`)

// value words a wrong value: what must be, and what was found.
func (r *reporter) value(d *diag.Diagnostic, f finding) {
	found := ""
	if n, depth := r.root.find(f.path); depth == len(f.path) && n.value != nil {
		found = source(n.value)
	}
	if m := conflict.FindStringSubmatch(f.msg); m != nil && f.rule.id != "" {
		d.Code = f.rule.id
		must := m[1]
		if found == m[1] {
			must = m[2]
		}
		d.Summary = fmt.Sprintf("%s must be %s (%s)", lastName(f.path), f.rule.is, must)
		d.Help = "leave the field out to have it computed, or change what it depends on"
	}
	head, tail, explained := strings.Cut(d.Summary, ": ")
	if found == "" || !strings.Contains(head, " must be ") {
		return
	}
	d.Summary = head + ", found " + found
	if explained {
		d.Summary += ": " + tail
	}
}

// source is a short literal as the user wrote it, or "".
func source(e ast.Expr) string {
	switch e.(type) {
	case *ast.BasicLit, *ast.UnaryExpr, *ast.ListLit:
	default:
		return ""
	}
	b, err := format.Node(e)
	if err != nil || len(b) > 40 || strings.Contains(string(b), "\n") {
		return ""
	}
	return string(b)
}

// unknown is the finding about a field that the schema does not have.
func (r *reporter) unknown(path, base []string, user []token.Pos) diag.Diagnostic {
	name, parent := path[len(path)-1], path[:len(path)-1]
	d := diag.Diagnostic{Code: codeUnknown, Path: dotted(path)}
	d.Summary = fmt.Sprintf("%s has no field %q", lastName(parent), name)
	d.Pos, d.End = r.locate(path, base, user, nil)
	fields := fieldsOf(parent, base)
	if near, ok := diag.Suggest(name, fields); ok {
		d.Help = fmt.Sprintf("did you mean %q?", near)
	} else if len(fields) > 0 {
		d.Help = "fields here: " + strings.Join(fields, ", ")
	}
	return d
}

// fieldsOf lists the fields of the struct at a path of the package.
func fieldsOf(path, base []string) []string {
	if len(path) < len(base) {
		return nil
	}
	return fieldsAt(path[len(base):])
}

// required is the finding about a field that must be there: at the struct to add it to.
func (r *reporter) required(f finding, base []string) diag.Diagnostic {
	path := f.path
	if name, ok := strings.CutPrefix(f.msg, msgMissing); ok {
		path = append(path[:len(path):len(path)], name)
	}
	parent := path[:max(0, len(path)-1)]
	d := diag.Diagnostic{Code: codeRequired, Path: dotted(path)}
	d.Summary = fmt.Sprintf("%s needs the field %s", lastName(parent), lastName(path))
	d.Help = fmt.Sprintf("add %s inside %s", lastName(path), dotted(parent))
	d.Pos, d.End = r.locate(path, base, nil, f.schema)
	return d
}

// addUnknown adds the fields that the schema does not have and the evaluator
// did not report, since it does not look for them in a struct that has another
// error. It drops the missing field that a misspelled one explains.
func (r *reporter) addUnknown(l diag.List, base []string) diag.List {
	known := map[string]bool{}
	for _, d := range l {
		if d.Code == codeUnknown {
			known[d.Path] = true
		}
	}
	top, depth := r.root.find(base)
	if depth == len(base) {
		for _, path := range unknownFields(top, nil) {
			full := append(base[:len(base):len(base)], path...)
			if !known[dotted(full)] {
				l = append(l, r.unknown(full, base, nil))
			}
		}
	}
	explained := map[string]bool{}
	for _, d := range l {
		if d.Code == codeUnknown {
			parent := split(d.Path)
			parent = parent[:len(parent)-1]
			if near, ok := diag.Suggest(lastPart(d.Path), fieldsOf(parent, base)); ok {
				explained[dotted(append(parent, near))] = true
			}
		}
	}
	var out diag.List
	for _, d := range l {
		if d.Code != codeRequired || !explained[d.Path] {
			out = append(out, d)
		}
	}
	return out
}

func lastPart(path string) string { return path[strings.LastIndex(path, ".")+1:] }
