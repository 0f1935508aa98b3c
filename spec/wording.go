package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"github.com/gradcue/gradcue/spec/diag"
)

var (
	conflicting = regexp.MustCompile(`^conflicting values (.+) and (.+)$`)
	mismatched  = regexp.MustCompile(`^conflicting values (.+) \(mismatched types (\S+) and (\S+)\)$`)
	outOfBound  = regexp.MustCompile(`^invalid value (.+) \(out of bound (.+)\)$`)
)

// value words a wrong value: what must be, and what was found.
func (r *reporter) value(d *diag.Diagnostic, f finding) {
	n, depth := r.root.find(f.path)
	written := depth == len(f.path) && depth > 0
	found := ""
	if written {
		found = source(n.value)
		if r.twice(d, f, n) {
			return
		}
	}
	name := lastName(f.path)
	must := ""
	switch f.kind {
	case kindEquality:
		d.Code = f.rule.id
		d.Help = "leave the field out to have it computed, or change what it depends on"
		must = fmt.Sprintf("%s (%s)", f.rule.is, otherSides([]finding{f}, found)[0])
	case kindMust:
		head, tail, explained := strings.Cut(d.Summary, ": ")
		if found == "" {
			return
		}
		d.Summary = head + ", found " + found
		if explained {
			d.Summary += ": " + tail
		}
		return
	case kindBound:
		m := outOfBound.FindStringSubmatch(f.msg)
		must, found = m[2], m[1]
	case kindType:
		m := mismatched.FindStringSubmatch(f.msg)
		types := m[2:]
		if strings.HasPrefix(m[1], found+" and ") {
			types = m[3:]
		}
		must = typeName(types[0])
	case kindConflict:
		if found == "" {
			return
		}
		must = enumerate(otherSides(append([]finding{f}, f.same...), found))
	default:
		return
	}
	d.Summary = fmt.Sprintf("%s must be %s", name, must)
	if found != "" {
		d.Summary += ", found " + found
	}
}

// twice words the mistake of two different literals for one field.
func (r *reporter) twice(d *diag.Diagnostic, f finding, n *node) bool {
	first := source(n.value)
	if first == "" || f.kind == kindRule {
		return false
	}
	for _, o := range n.others {
		if second := source(o); second != "" && second != first && second[0] != '[' {
			d.Summary = fmt.Sprintf("%s is given twice, as %s and as %s", lastName(f.path), first, second)
			d.Related = []diag.Related{{Pos: r.at(o.Pos()), Message: "the other value"}}
			return true
		}
	}
	return false
}

// otherSides returns the values that conflicts name beside the user's, each once.
func otherSides(fs []finding, found string) []string {
	var out []string
	for _, f := range fs {
		m := conflicting.FindStringSubmatch(f.msg)
		if m == nil {
			continue
		}
		side := m[1]
		if side == found {
			side = m[2]
		}
		if !slices.Contains(out, side) {
			out = append(out, side)
		}
	}
	return out
}

func enumerate(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

func typeName(t string) string {
	switch t {
	case "struct":
		return "a struct, {...}"
	case "list":
		return "a list, [...]"
	case "int":
		return "an integer"
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	}
	return "a " + t
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

// reference is the finding about a name that stands for nothing: at the name,
// which the compiler knows exactly.
func (r *reporter) reference(f finding) diag.Diagnostic {
	d := diag.Diagnostic{Code: codeReference, Path: dotted(f.path), Summary: f.msg}
	for _, p := range append(f.user, f.schema...) {
		d.Pos = r.at(p)
		break
	}
	name, undefined := strings.CutPrefix(f.msg, "undefined field: ")
	switch {
	case strings.HasPrefix(f.msg, `reference "spec" `):
		d.Help = "add: import " + strconv.Quote(ImportPath)
	case undefined && strings.HasPrefix(name, "#"):
		d.Help = "the models of the spec are spec.#GPT2, spec.#Llama and spec.#Model"
	case strings.HasPrefix(f.msg, "reference "):
		d.Help = "check the spelling; for a name from another file of the folder, name the folder and not the file"
	case strings.Contains(f.msg, "not used"), strings.HasPrefix(f.msg, "unreferenced"):
		d.Help = "use it, or remove it"
	}
	return d
}

// required is the finding about a field that must be there: at the struct to add it to.
func (r *reporter) required(f finding, base []string) diag.Diagnostic {
	path := f.path
	if name, ok := strings.CutPrefix(f.msg, missingPrefix); ok {
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
