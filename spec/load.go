package spec

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	cueload "cuelang.org/go/cue/load"

	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// Options are the options of Load.
type Options struct {
	// Dir is the working directory: arguments and the file names of positions
	// are relative to it. Empty is the process's own.
	Dir string
	// Tags are values for @tag fields, each "key=value" or "name".
	Tags []string
}

// Loaded is one experiment without errors, with every default and derived value filled in.
type Loaded struct {
	// Name is its field in the package: "experiment" or "experiments.NAME".
	Name string
	// Experiment is the resolved experiment.
	Experiment *shape.Experiment
	// Dir is the folder of the spec file, absolute: data paths are relative to it.
	Dir string
	// Files are the package's files, named like the File of a position.
	Files []string
	// Resolved is the experiment as JSON in the schema's order of fields, every
	// default and derived value included: the canonical form.
	Resolved []byte
	// Hash is the SHA-256 of Resolved in hexadecimal.
	Hash string

	where func(path string) diag.Position
}

// Where returns the position of a field of the experiment, such as
// "model.kvHeads" or "checkpointing.overrides.0.layers"; of a field that the
// user did not write, the nearest one around it.
func (l *Loaded) Where(path string) diag.Position {
	if l.where == nil {
		return diag.Position{}
	}
	return l.where(path)
}

// Load loads the experiments that the arguments name: files, folders (a CUE
// package, all its files) or patterns ("./...": every package below). Without
// arguments it loads the folder opts.Dir. A package's experiments are its field
// `experiment` and the fields of `experiments`.
//
// The list has every finding about every argument, sorted and without repeats;
// findings about the surroundings, such as a missing file, have World set.
// Experiments without errors are returned in the order of the arguments. Load
// reads files and nothing else, and does not panic on any input.
func Load(opts Options, args ...string) ([]*Loaded, diag.List) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, diag.List{{Code: codeFile, Summary: err.Error(), World: true}}
	}
	units, all := expand(dir, args)
	type result struct {
		loaded []*Loaded
		diags  diag.List
	}
	results := make([]result, len(units))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(units)) {
		wg.Go(func() {
			for i := range next {
				results[i].loaded, results[i].diags = loadUnit(dir, opts.Tags, units[i])
			}
		})
	}
	for i := range units {
		next <- i
	}
	close(next)
	wg.Wait()

	var out []*Loaded
	found := len(all) > 0
	for _, r := range results {
		out = append(out, r.loaded...)
		all = append(all, r.diags...)
		found = found || len(r.loaded) > 0 || r.diags.HasErrors()
	}
	if !found {
		all = append(all, diag.Diagnostic{Code: codeNone, Summary: "no experiment in any package that was named", Help: helpExperiment})
	}
	all = all.Dedupe()
	all.Sort()
	return out, all
}

const helpExperiment = "write `experiment: spec.#Experiment & {...}`, or several under `experiments:`"

// loadUnit loads one package in a context of its own, which keeps the memory of
// many specs flat and lets packages load in parallel.
func loadUnit(dir string, tags []string, u unit) (out []*Loaded, diags diag.List) {
	p := newPlacer(dir)
	defer func() {
		if x := recover(); x != nil {
			out, diags = nil, diag.List{{
				Code: codeInternal, Pos: diag.Position{File: p.name(u.String())},
				Summary: fmt.Sprintf("internal error while reading the spec: %v", x),
				Help:    "this is a mistake of gradcue's, not yours; please report it with the file\n" + string(debug.Stack()),
			}}
		}
	}()
	insts := cueload.Instances([]string{u.arg}, loadConfig(u.dir, tags))
	for _, inst := range insts {
		l, d := loadInstance(p, u, inst)
		out, diags = append(out, l...), append(diags, d...)
	}
	return out, diags
}

func loadInstance(p placer, u unit, inst *build.Instance) ([]*Loaded, diag.List) {
	r := &reporter{placer: p, root: index(inst.Files), files: inst.Files, user: map[string]bool{}, rules: rulesOf(inst), unit: u}
	for _, f := range inst.Files {
		r.user[f.Filename] = true
	}
	if inst.Err != nil {
		return nil, r.loadErrors(inst.Err, u)
	}
	ctx := cuecontext.New()
	v := ctx.BuildInstance(inst)
	schema := sync.OnceValues(func() (cue.Value, error) { return schemaIn(ctx, inst) })
	var out []*Loaded
	var diags diag.List
	paths := experiments(v)
	for _, path := range paths {
		l, d := r.experiment(v, schema, path, inst)
		diags = append(diags, d...)
		if l != nil {
			out = append(out, l)
		}
	}
	diags = dropFollowing(append(diags, r.outside(v, paths)...))
	if len(paths) == 0 && !diags.HasErrors() && !u.optional {
		diags = append(diags, diag.Diagnostic{Code: codeNone, Pos: r.top(inst), Summary: "this package has no experiment", Help: helpExperiment})
	}
	if diags.HasErrors() {
		return nil, diags
	}
	return out, append(diags, r.vendorWarning(inst)...)
}

// outside reports errors of the package that are not inside an experiment,
// which has its own report.
func (r *reporter) outside(v cue.Value, paths [][]string) diag.List {
	var out diag.List
	for _, d := range r.report(v.Validate(cue.Definitions(true), cue.Hidden(true)), nil) {
		inside := slices.ContainsFunc(paths, func(p []string) bool {
			return d.Path == dotted(p) || strings.HasPrefix(d.Path, dotted(p)+".")
		})
		if !inside {
			out = append(out, d)
		}
	}
	return out
}

// top is the start of the package's first file.
func (r *reporter) top(inst *build.Instance) diag.Position {
	if len(inst.Files) == 0 {
		return diag.Position{File: r.name(r.unit.String())}
	}
	return diag.Position{File: r.name(inst.Files[0].Filename), Line: 1, Col: 1}
}
