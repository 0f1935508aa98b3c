package spec

import (
	"cmp"
	"slices"
	"strings"

	"cuelang.org/go/cue/errors"

	"github.com/gradcue/gradcue/spec/diag"
)

// kind says what an error of CUE is about. The order of the kinds from
// kindEquality on is the order in which the errors about one value are preferred.
type kind int

const (
	kindHeading    kind = iota // "N errors in empty disjunction" over other errors
	kindRule                   // an error() of _rules
	kindUnknown                // a field that the schema does not have
	kindRequired               // a field that must be there
	kindMissing                // a missing field, said by an expression that reads it
	kindIncomplete             // no concrete value
	kindReference              // a name that stands for nothing, or is not used
	kindEquality               // a stated value that is not the computed one
	kindMust                   // an error() of the field: "x must be ..."
	kindBound                  // a bound without an error()
	kindType                   // a value of another type
	kindConflict               // another value than the one allowed
	kindOther
)

const missingPrefix = "required field missing: "

func kindOf(f finding) kind {
	has := func(prefix string) bool { return strings.HasPrefix(f.msg, prefix) }
	switch {
	case strings.Contains(f.msg, "errors in empty disjunction"):
		return kindHeading
	case f.label != "":
		return kindRule
	case has("field not allowed") && len(f.path) > 0:
		return kindUnknown
	case has("field is required but not present"):
		return kindRequired
	case has(missingPrefix):
		return kindMissing
	case has("incomplete value"), has("non-concrete value"):
		return kindIncomplete
	case has(`reference "`), has("undefined field: "), has("imported and not used: "), has("unreferenced alias or let clause "):
		return kindReference
	case mismatched.MatchString(f.msg):
		return kindType
	case conflicting.MatchString(f.msg):
		if f.rule.id != "" {
			return kindEquality
		}
		return kindConflict
	case outOfBound.MatchString(f.msg):
		return kindBound
	case f.saysMust():
		return kindMust
	}
	return kindOther
}

// saysMust reports whether the message is the error() of the field itself. A
// reference brings the error() of another field along, which is not about this one.
func (f finding) saysMust() bool {
	head, _, ok := strings.Cut(f.msg, " must be ")
	name, _, _ := strings.Cut(lastName(f.path), "[")
	return ok && (head == name || strings.HasSuffix(head, "."+name) || strings.HasSuffix(head, " "+name))
}

// causes takes CUE's errors apart and leaves one finding for one cause. Left
// out are headings over other errors, the alternatives of one value (they are
// kept as same), the echo of a missing field where it is read, repeats of an
// unknown name, and what is missing or open only because of another finding.
func (r *reporter) causes(err error) []finding {
	var all []finding
	values := map[string]int{}
	missing, names := map[string]bool{}, map[string]bool{}
	for _, e := range errors.Errors(err) {
		f := r.take(e)
		path := dotted(f.path)
		switch {
		case f.kind == kindHeading:
			continue
		case f.kind == kindRequired:
			missing[f.path[len(f.path)-1]] = true
		case f.kind == kindReference:
			if names[f.msg] {
				continue
			}
			names[f.msg] = true
		case f.kind >= kindEquality && path != "":
			if i, ok := values[path]; ok {
				all[i].same = append(all[i].same, f)
				continue
			}
			values[path] = len(all)
		}
		all = append(all, f)
	}
	var out []finding
	for _, f := range all {
		f = f.best()
		name, echo := strings.CutPrefix(f.msg, missingPrefix)
		if echo && missing[name] || r.follows(f, all) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// best puts the error that says most first.
func (f finding) best() finding {
	if len(f.same) == 0 {
		return f
	}
	all := append([]finding{f}, f.same...)
	all[0].same = nil
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(a.kind, b.kind) })
	out := all[0]
	out.same = all[1:]
	return out
}

// follows reports whether a finding is the consequence of another: a derived
// value is open where the user left something out.
func (r *reporter) follows(f finding, all []finding) bool {
	if f.kind != kindIncomplete || len(all) < 2 {
		return false
	}
	_, depth := r.root.find(f.path)
	return depth < len(f.path)
}

// dropFollowing leaves out what is missing or open only because the name that
// should bring it stands for nothing.
func dropFollowing(l diag.List) diag.List {
	var out diag.List
	for _, d := range l {
		follows := (d.Code == codeRequired || d.Code == codeIncomplete) && slices.ContainsFunc(l, func(o diag.Diagnostic) bool {
			return o.Code == codeReference && strings.HasPrefix(d.Path, o.Path+".")
		})
		if !follows {
			out = append(out, d)
		}
	}
	return out
}
