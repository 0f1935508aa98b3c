package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	cueload "cuelang.org/go/cue/load"

	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// schemaIn returns #Experiment in the context, from the package that the user
// imports, or else from the embedded one.
func schemaIn(ctx *cue.Context, inst *build.Instance) (cue.Value, error) {
	schema := importOf(inst, map[*build.Instance]bool{})
	if schema == nil {
		cfg := loadConfig(virtualRoot(inst.Dir), nil)
		schema = cueload.Instances([]string{"./spec"}, cfg)[0]
		if schema.Err != nil {
			return cue.Value{}, schema.Err
		}
	}
	v := ctx.BuildInstance(schema).LookupPath(cue.MakePath(cue.Def("Experiment")))
	return v, v.Err()
}

func importOf(inst *build.Instance, seen map[*build.Instance]bool) *build.Instance {
	for _, imp := range inst.Imports {
		if seen[imp] {
			continue
		}
		seen[imp] = true
		if path, _, _ := cutVersion(imp.ImportPath); path == ImportPath {
			return imp
		}
		if found := importOf(imp, seen); found != nil {
			return found
		}
	}
	return nil
}

// experiments returns the paths of the package's experiments.
func experiments(v cue.Value) [][]string {
	var out [][]string
	if x := v.LookupPath(cue.ParsePath("experiment")); x.Exists() {
		out = append(out, []string{"experiment"})
	}
	it, err := v.LookupPath(cue.ParsePath("experiments")).Fields()
	if err != nil {
		return out
	}
	for it.Next() {
		out = append(out, []string{"experiments", it.Selector().Unquoted()})
	}
	return out
}

// experiment checks and decodes one experiment. It is unified with the schema
// here unless the user's files do, since nothing makes the user say so.
func (r *reporter) experiment(v cue.Value, schema func() (cue.Value, error), path []string, inst *build.Instance) (*Loaded, diag.List) {
	var sels []cue.Selector
	for _, s := range path {
		sels = append(sels, cue.Str(s))
	}
	x := v.LookupPath(cue.MakePath(sels...))
	if !r.bound(path) {
		s, err := schema()
		if err != nil {
			return nil, r.loadErrors(err, r.unit)
		}
		x = x.Unify(s)
	}
	diags := r.report(x.Validate(cue.Concrete(true), cue.Attributes(true), cue.Definitions(true), cue.Hidden(true)), path)
	diags = r.addUnknown(diags, path)
	if diags.HasErrors() {
		return nil, diags
	}
	e := &shape.Experiment{}
	if err := x.Decode(e); err != nil {
		l := r.report(err, path)
		for i := range l {
			if !l[i].Pos.IsValid() {
				// A number that no Go type can hold is reported without its path.
				l[i].Path = dotted(path)
				l[i].Pos, l[i].End = r.locate(path, path, nil, nil)
			}
		}
		return nil, append(diags, l...)
	}
	resolved, err := json.Marshal(e)
	if err != nil {
		return nil, append(diags, diag.Diagnostic{Code: codeInternal, Path: dotted(path), Summary: err.Error()})
	}
	sum := sha256.Sum256(resolved)
	at, file := r.placed(), diag.Position{File: r.name(r.unit.String())}
	l := &Loaded{
		Name: dotted(path), Experiment: e, Dir: inst.Dir, Resolved: resolved, Hash: hex.EncodeToString(sum[:]),
		where: func(p string) diag.Position {
			if x, depth := at.find(append(path[:len(path):len(path)], split(p)...)); depth > 0 {
				return x.at
			}
			return file
		},
	}
	for _, f := range inst.Files {
		l.Files = append(l.Files, r.name(f.Filename))
	}
	return l, diags
}
