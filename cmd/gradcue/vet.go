package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

func newVetCmd(a *app) *cobra.Command {
	var f specFlags
	format, withData := "", false
	c := &cobra.Command{
		Use:   "vet [SPEC...]",
		Short: "Report everything that is wrong with experiments; silent when good",
		Long: `vet checks experiments against the schema and its rules, compiles them, and
checks the plans. It reports all findings at the lines they are about. Text goes
to stderr, every other format to stdout. A spec that describes another trainer
(pipeline) is checked and not compiled.

With --data the rules that need ids look at the first windows of data.train and
at rows drawn at random with the spec's seed.`,
		Example: `  gradcue vet                          the folder you are in
  gradcue vet ./...                    and every package below it
  gradcue vet exp.cue -t layers=24     with a value for a @tag field
  gradcue vet exp.cue --data           its text as well
  gradcue vet ./... --format sarif > findings.sarif`,
		RunE: func(_ *cobra.Command, args []string) error {
			if format == "" {
				format = a.vetFormat()
			}
			write, ok := vetWriters[format]
			if !ok {
				return usage("--format is text, json, sarif or github, not %q", format)
			}
			l, err := a.vet(f, args, withData)
			if err != nil {
				return err
			}
			return a.reportVet(l, write)
		},
	}
	f.add(c.Flags())
	c.Flags().StringVar(&format, "format", "", "text, json, sarif or github (the default in a GitHub job)")
	c.Flags().BoolVar(&withData, "data", false, "look at the text of data.train too")
	complete(c, "format", "text", "json", "sarif", "github")
	return c
}

func (a *app) vetFormat() string {
	if a.getenv("GITHUB_ACTIONS") == "true" {
		return "github"
	}
	return "text"
}

// Garbage is collected late, since one spec needs little, and before the whole
// of many specs does: measured on 100 of them, this is faster than collecting
// often and stays under 100 MiB.
const (
	vetGarbage = 400
	vetMemory  = 72 << 20
)

// vet is all findings about experiments, many at a time. Plans are dropped as
// soon as they are checked, so that the memory for many specs stays that of a few.
func (a *app) vet(f specFlags, args []string, withData bool) (diag.List, error) {
	if a.getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(vetGarbage))
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(vetMemory))
	}
	ls, l := a.load(f, args...)
	lists, errs := make([]diag.List, len(ls)), make([]error, len(ls))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ls)) {
		wg.Go(func() {
			for i := range next {
				lists[i], errs[i] = a.vetOne(ls[i], withData)
			}
		})
	}
	for i := range ls {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	l = append(l, slices.Concat(lists...)...).Dedupe()
	l.Sort()
	return l, nil
}

// vetOne is what the rules find in a loaded experiment: one that describes
// another trainer is only checked, any other is compiled too.
func (a *app) vetOne(x *spec.Loaded, withData bool) (l diag.List, err error) {
	if check.Foreign(x.Experiment) {
		l = compiler.Vet(compiler.Source{Experiment: x.Experiment, Name: x.Name, Where: x.Where})
	} else if _, l, err = a.compile(x, compiler.Options{Unsealed: true}); err != nil {
		return nil, err
	}
	if withData {
		l = withSample(l, vetData(x))
	}
	return l, nil
}

// vetWriters are the machine formats of findings; nil is text.
var vetWriters = map[string]func(*app, io.Writer, diag.List) error{
	"text":   nil,
	"json":   func(_ *app, w io.Writer, l diag.List) error { return diag.JSON(w, l) },
	"github": func(_ *app, w io.Writer, l diag.List) error { return diag.GitHub(w, l) },
	"sarif": func(a *app, w io.Writer, l diag.List) error {
		return diag.SARIF(w, l, diag.Tool{Name: "gradcue", Version: a.version().Version, Titles: titles()})
	},
}

func (a *app) reportVet(l diag.List, write func(*app, io.Writer, diag.List) error) error {
	if write == nil {
		return a.asError(l)
	}
	if err := write(a, a.stdout, l); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	if l.HasErrors() {
		return &findings{list: l, shown: true}
	}
	return nil
}

// titles says in one line what each rule is about.
func titles() map[string]string {
	out := map[string]string{}
	for _, code := range spec.Codes() {
		out[code] = spec.Explain(code)
	}
	for _, r := range check.Rules() {
		out[r.ID] = r.Title
	}
	return out
}
