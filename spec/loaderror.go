package spec

import (
	stderrors "errors"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue/errors"

	"github.com/gradcue/gradcue/spec/diag"
)

func isError(err, target error) bool { return stderrors.Is(err, target) }

// loadErrors converts errors of parsing and loading, which have no path into an
// experiment, and at times no position.
func (r *reporter) loadErrors(err error, u unit) diag.List {
	var out diag.List
	broken := map[string]bool{}
	for _, e := range errors.Errors(errors.Promote(err, "")) {
		d := diag.Diagnostic{Code: codeLoad, Summary: loadMessage(e)}
		if p := e.Position(); p.IsValid() {
			d.Pos = r.at(p)
		} else if ps := e.InputPositions(); len(ps) > 0 {
			d.Pos = r.at(ps[0])
		}
		switch has := func(text string) bool { return strings.Contains(d.Summary, text) }; {
		case has("injection tag") || has("no tag for") || has("@tag") || strings.HasPrefix(d.Summary, "tag \""):
			d.Code, d.World = codeTag, !d.Pos.IsValid()
			d.Help = "write -t KEY=VALUE for a field with @tag(KEY) in the spec"
		case has("is not on this machine"):
			d.Code = codeImport
			d.Summary = d.Summary[strings.LastIndex(d.Summary, ": module ")+2:]
			d.Help = "gradcue uses no network: vendor it under cue.mod/pkg"
		case has("import"):
			d.Code = codeImport
			d.Help = "the spec is imported as " + strconv.Quote(ImportPath)
		case has("language version"):
			d.Help = "lower language.version in cue.mod/module.cue, or use a newer gradcue"
		case d.Pos.IsValid():
			d.Code = codeSyntax
			// What a parser says after its first error in a file is mostly a consequence.
			if broken[d.Pos.File] {
				continue
			}
			broken[d.Pos.File] = true
		}
		if !d.Pos.IsValid() && !d.World {
			d.Pos = diag.Position{File: r.name(u.String())}
		}
		out = append(out, d)
	}
	return out
}

var leadingPlace = regexp.MustCompile(`^(import failed: )?(\S+:\d+:\d+: )`)

// loadMessage is the text of a load error without the position that it repeats.
func loadMessage(e errors.Error) string {
	return leadingPlace.ReplaceAllString(strings.Join(strings.Fields(e.Error()), " "), "$1")
}
