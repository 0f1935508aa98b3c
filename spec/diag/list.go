package diag

import (
	"cmp"
	"slices"
)

// List is all findings of a run. The nil List is empty and valid.
type List []Diagnostic

// Sort orders by file, line, column, severity, code, path and summary, so that
// the order does not depend on how the findings were made.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Summary, b.Summary),
		)
	})
}

// HasErrors reports whether a finding has severity Error.
func (l List) HasErrors() bool { return l.Count(Error) > 0 }

// HasWorld reports whether an Error is about the surroundings and not about content.
func (l List) HasWorld() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.World && d.Severity == Error })
}

// Count returns the number of findings of one severity.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Dedupe returns the list without repeats: of findings with the same rule,
// position and summary the first stays. Paths are not compared, so one wrong
// line that many runs of a sweep share is said once.
func (l List) Dedupe() List {
	type key struct {
		rule, summary string
		pos           Position
		path          string
	}
	seen := make(map[key]bool, len(l))
	var out List
	for _, d := range l {
		k := key{rule: d.Rule(), summary: d.Summary, pos: d.Pos}
		if !d.Pos.IsValid() {
			k.path = d.Path
		}
		if seen[k] {
			continue
		}
		seen[k] = true
		out = append(out, d)
	}
	return out
}
