package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/gradcue/gradcue/spec/diag"
)

// Codes of findings that are not rules of the schema.
const (
	codeFile       = "spec.file"       // a path or argument that cannot be read
	codeTag        = "spec.tag"        // a -t that no file takes
	codeSyntax     = "spec.syntax"     // not CUE
	codeImport     = "spec.import"     // an import that leads nowhere
	codeLoad       = "spec.load"       // files that do not make a package
	codeReference  = "spec.reference"  // a name that stands for nothing
	codeNone       = "spec.experiment" // a package without an experiment
	codeUnknown    = "spec.unknown"    // a field the schema does not have
	codeRequired   = "spec.required"   // a field that must be there
	codeIncomplete = "spec.incomplete" // a field without a concrete value
	codeVersion    = "spec.version"    // written for another version of the spec
	codeValue      = "spec.value"      // a value of the wrong type, or out of its bounds
	codeVendor     = "spec.vendor"     // a vendored spec that differs from the embedded one
	codeInternal   = "spec.internal"   // a mistake of gradcue's, or of CUE's
)

// reporter turns CUE's errors about one package into diagnostics at the user's
// fields.
//
// CUE's own list of positions is often headed by the schema and at times has no
// user position at all, so a path is looked up in the user's syntax. An error
// in _rules is moved to the field that the rule blames.
type reporter struct {
	placer
	root  *node
	files []*ast.File
	user  map[string]bool
	rules map[string]rule
	unit  unit
	kept  *places // of root, once it is asked for
}

// placed are the places of the package, shared by its experiments.
func (r *reporter) placed() *places {
	if r.kept == nil {
		r.kept = r.places(r.root)
	}
	return r.kept
}

// finding is one error of CUE, taken apart.
type finding struct {
	msg string
	// path is without quotes, and ends before _rules.
	path []string
	// user and schema are the positions in the user's files and in others.
	user, schema []token.Pos
	// rule is the attribute on the first schema line that has one.
	rule rule
	// label is the name of the field in _rules; "" elsewhere.
	label string
	kind  kind
	// same are other errors about the same value, of the same cause.
	same []finding
}

func (r *reporter) take(e errors.Error) finding {
	var f finding
	for _, s := range e.Path() {
		f.path = append(f.path, unquote(s))
	}
	f.msg = e.Error()
	if p := strings.Join(e.Path(), "."); p != "" {
		f.msg = strings.TrimPrefix(f.msg, p+": ")
	}
	for _, p := range append([]token.Pos{e.Position()}, e.InputPositions()...) {
		switch {
		case !p.IsValid():
		case r.user[p.Filename()]:
			f.user = append(f.user, p)
		default:
			f.schema = append(f.schema, p)
		}
	}
	if i := slices.Index(f.path, "_rules"); i >= 0 {
		if i+1 < len(f.path) {
			f.label = f.path[i+1]
		}
		f.path = f.path[:i]
	}
	for _, p := range f.schema {
		q := p.Position()
		if x, ok := r.rules[fmt.Sprintf("%s:%d", q.Filename, q.Line)]; ok {
			f.rule = x
			break
		}
	}
	f.kind = kindOf(f)
	return f
}

// unquote undoes the quotes that CUE puts around labels that are no identifiers.
func unquote(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

// report converts the errors about the value at base, the path of an experiment
// (nil for the whole package), with one diagnostic for one cause.
func (r *reporter) report(err error, base []string) diag.List {
	var out diag.List
	for _, f := range r.causes(err) {
		out = append(out, r.one(f, base))
	}
	return out
}

// one makes the diagnostic of a finding.
func (r *reporter) one(f finding, base []string) diag.Diagnostic {
	d := diag.Diagnostic{Code: codeValue, Summary: f.msg}
	switch f.kind {
	case kindRule:
		d.Code = f.label
		at := f.rule.at
		if _, path, ok := strings.Cut(f.label, "/"); ok {
			at = path
		}
		f.path = append(f.path, split(at)...)
	case kindUnknown:
		return r.unknown(f.path, base, f.user)
	case kindRequired, kindMissing:
		return r.required(f, base)
	case kindIncomplete:
		d.Code = codeIncomplete
		d.Help = "give it one value"
	case kindReference:
		return r.reference(f)
	default:
		r.value(&d, f)
		if len(f.path) == len(base)+1 && f.path[len(base)] == "schema" {
			d.Code = codeVersion
			d.Help = fmt.Sprintf("this gradcue reads schema %q", Version)
		}
	}
	d.Path = dotted(f.path)
	d.Pos, d.End = r.locate(f.path, base, f.user, f.schema)
	return d
}

// locate finds the place of a path: the field itself; else the nearest field
// around it inside the experiment; else the user's line that CUE names last (a
// field made by a comprehension is in no file); else anything around it.
func (r *reporter) locate(path, base []string, user, schema []token.Pos) (start, end diag.Position) {
	n, depth := r.root.find(path)
	switch {
	case depth > 0 && (depth == len(path) || depth > len(base) || len(user) == 0):
		return r.span(n)
	case len(user) > 0:
		return r.at(user[len(user)-1]), diag.Position{}
	case len(schema) > 0:
		return r.at(schema[0]), diag.Position{}
	}
	return diag.Position{File: r.name(r.unit.String())}, diag.Position{}
}

func dotted(path []string) string { return strings.Join(path, ".") }

func split(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// lastName is the last name of a path, with the indexes that follow it.
func lastName(path []string) string {
	out := ""
	for i := len(path) - 1; i >= 0; i-- {
		if _, err := strconv.Atoi(path[i]); err != nil {
			return path[i] + out
		}
		out = "[" + path[i] + "]" + out
	}
	return "the package" + out
}
