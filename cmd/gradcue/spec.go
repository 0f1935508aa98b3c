package main

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

// specFlags are the flags of every command that reads a SPEC.
type specFlags struct {
	tags []string
}

func (f *specFlags) add(s *pflag.FlagSet) {
	s.StringArrayVarP(&f.tags, "tag", "t", nil, "value for a @tag field of the spec, as key=value")
}

// load loads the experiments that arguments name. An argument may end in #NAME,
// which chooses one of its experiments.
func (a *app) load(f specFlags, args ...string) ([]*spec.Loaded, diag.List) {
	o := spec.Options{Dir: a.dir, Tags: f.tags}
	if !slices.ContainsFunc(args, func(s string) bool { return strings.Contains(s, "#") }) {
		return spec.Load(o, args...)
	}
	var out []*spec.Loaded
	var all diag.List
	for _, arg := range args {
		path, name, chosen := strings.Cut(arg, "#")
		if path == "" {
			path = "."
		}
		ls, l := spec.Load(o, path)
		all = append(all, l...)
		if chosen && !l.HasErrors() {
			ls, l = choose(arg, name, ls)
			all = append(all, l...)
		}
		out = append(out, ls...)
	}
	all = all.Dedupe()
	all.Sort()
	return out, all
}

// choose picks the experiments with a name, which may leave out "experiments.".
func choose(arg, name string, ls []*spec.Loaded) (out []*spec.Loaded, l diag.List) {
	for _, x := range ls {
		if x.Name == name || x.Name == "experiments."+name {
			out = append(out, x)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	return nil, diag.List{{Code: "cli.experiment", Summary: arg + " names no experiment; there is " + strings.Join(names(ls), ", "), World: true,
		Help: "write one of these names behind #"}}
}

func names(ls []*spec.Loaded) (out []string) {
	for _, x := range ls {
		out = append(out, x.Name)
	}
	return out
}

// one loads exactly one experiment.
func (a *app) one(f specFlags, arg string) (*spec.Loaded, error) {
	ls, l := a.load(f, arg)
	if l.HasErrors() {
		return nil, &findings{list: l}
	}
	a.print(l)
	if len(ls) != 1 {
		first := strings.TrimPrefix(ls[0].Name, "experiments.")
		return nil, usage("%s has %d experiments: %s\nhelp: name one, as in %s#%s", arg, len(ls), strings.Join(names(ls), ", "), arg, first)
	}
	return ls[0], nil
}

// compile compiles a loaded experiment. The error is an internal one; findings
// are in the list, and with an error among them there is no result.
// Without a target it is compiled for the one that suits it.
func (a *app) compile(l *spec.Loaded, o compiler.Options) (*compiler.Result, diag.List, error) {
	o.Tool = "gradcue " + a.version().Version
	if o.Target == "" {
		o.Target = suited(l.Experiment)
	}
	src := compiler.Source{Experiment: l.Experiment, Name: l.Name, Where: l.Where, Hash: l.Hash}
	for _, f := range l.Files {
		if rel, err := filepath.Rel(l.Dir, a.abs(filepath.FromSlash(f))); err == nil {
			f = filepath.ToSlash(rel)
		}
		src.Files = append(src.Files, f)
	}
	return compiler.Compile(src, o)
}

// must is compile for a command that needs the result: its findings are printed
// or returned as the error.
func (a *app) must(l *spec.Loaded, o compiler.Options) (*compiler.Result, error) {
	r, list, err := a.compile(l, o)
	if err != nil {
		return nil, err
	}
	return r, a.asError(list)
}

// compileAll compiles many experiments, as many at a time as there are
// processors. Results and findings are in the order of the experiments.
func (a *app) compileAll(ls []*spec.Loaded, o compiler.Options) ([]*compiler.Result, diag.List, error) {
	results := make([]*compiler.Result, len(ls))
	lists := make([]diag.List, len(ls))
	errs := make([]error, len(ls))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ls)) {
		wg.Go(func() {
			for i := range next {
				results[i], lists[i], errs[i] = a.compile(ls[i], o)
			}
		})
	}
	for i := range ls {
		next <- i
	}
	close(next)
	wg.Wait()
	return results, slices.Concat(lists...), errors.Join(errs...)
}
