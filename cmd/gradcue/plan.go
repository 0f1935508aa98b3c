package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/spec"
)

func newPlanCmd(a *app) *cobra.Command {
	var f specFlags
	o := planOptions{}
	c := &cobra.Command{
		Use:   "plan [SPEC]",
		Short: "Compile an experiment and say what it needs, before anything runs",
		Long: `plan compiles an experiment and prints what one update of it computes, holds in
memory and moves. Bytes are exact and are what a run allocates; times are
predicted from the rates of the spec's device. No device is needed to plan for it.

With -o it writes the plan, which is all that run needs beside the data.`,
		Example: `  gradcue plan                                 the experiment of this folder
  gradcue plan examples/gpt3-175b              no device is needed
  gradcue plan examples/gpt2-124m --engine cuda
  gradcue plan exp.cue -t layers=24            with a value for a @tag field
  gradcue plan exp.cue#experiments.wide        one of several
  gradcue plan exp.cue -o plan.json && gradcue run plan.json
  gradcue plan exp.cue --json | jq .predictions.peak`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.plan(f, o, args)
		},
	}
	f.add(c.Flags())
	c.Flags().StringVarP(&o.out, "output", "o", "", "write the plan to this file")
	c.Flags().BoolVar(&o.json, "json", false, "print predictions and settings as one JSON document")
	c.Flags().StringVar(&o.engine, "engine", "", "the engine to compile for: cpu, cuda, or cuda:sm_70 for older devices (default: cpu, or cuda where only it has the spec's products)")
	c.Flags().IntVarP(&o.workers, "workers", "j", 0, "threads to plan scratch memory for (default: device.workers of the spec)")
	complete(c, "engine", "cpu", "cuda", cuda.BaseTarget)
	return c
}

type planOptions struct {
	out, engine string
	json        bool
	workers     int
}

func (a *app) plan(f specFlags, o planOptions, args []string) error {
	if o.engine != "" && target(o.engine) == "" {
		return usage("--engine is cpu or cuda for a plan, not %q: the engines ref and null run either", o.engine)
	}
	if o.workers < 0 || o.workers > plan.MaxWorkers {
		return usage("-j is 1..%d, not %d", plan.MaxWorkers, o.workers)
	}
	ls, l := a.load(f, args...)
	if l.HasErrors() {
		return &findings{list: l}
	}
	if o.out != "" && len(ls) != 1 {
		return usage("-o writes one plan, but there are %d experiments: %s\nhelp: name one with #NAME", len(ls), strings.Join(names(ls), ", "))
	}
	rs, found, err := a.compileAll(ls, compiler.Options{Target: target(o.engine), Workers: o.workers})
	if err != nil {
		return err
	}
	l = append(l, found...).Dedupe()
	l.Sort()
	for i, r := range rs {
		if r == nil {
			continue
		}
		if err := a.onePlan(ls[i], r.Plan, o, i > 0); err != nil {
			return err
		}
	}
	return a.asError(l)
}

func (a *app) onePlan(l *spec.Loaded, p *plan.Plan, o planOptions, again bool) error {
	if o.out != "" {
		data, err := plan.Encode(p)
		if err != nil {
			return &compiler.InternalError{Pass: "encode", Cause: err}
		}
		if err := a.writeFile(o.out, data); err != nil {
			return err
		}
	}
	if o.json {
		return a.json(summaryOf(p))
	}
	pg := newPage(a.stdout, a.outColor)
	if again {
		pg.blank()
	}
	pg.summary(p, a.where(l))
	if o.out != "" {
		pg.line("written", o.out)
	}
	return pg.close()
}

// where is the file of an experiment, or its folder when it has several, with
// its name there.
func (a *app) where(l *spec.Loaded) string {
	s := filepath.ToSlash(a.rel(l.Dir))
	if len(l.Files) == 1 {
		s = l.Files[0]
	}
	if l.Name != "experiment" {
		s += "#" + l.Name
	}
	return s
}

// document is what --json prints of a plan.
type document struct {
	Version     int               `json:"version"` // of this document
	Name        string            `json:"name"`
	Target      string            `json:"target"`
	Workers     int               `json:"workers"`
	Arenas      []plan.Arena      `json:"arenas"`
	Commands    []sectionCount    `json:"commands"`
	Buffers     int               `json:"buffers"`
	Predictions *plan.Predictions `json:"predictions"`
	Run         *plan.Run         `json:"run"`
	Provenance  origin            `json:"provenance"`
	Hashes      plan.Hashes       `json:"hashes"`
}

type sectionCount struct {
	Section  string `json:"section"`
	Commands int    `json:"commands"`
}

type origin struct {
	Tool    string       `json:"tool"`
	Spec    string       `json:"spec"`
	Files   []string     `json:"files"`
	Profile plan.Profile `json:"profile"`
}

// documentVersion grows when a field changes its meaning or goes.
const documentVersion = 1

func summaryOf(p *plan.Plan) document {
	d := document{Version: documentVersion, Name: p.Name, Target: p.Target, Workers: p.Workers, Arenas: p.Arenas, Buffers: len(p.Buffers),
		Predictions: &p.Predictions, Run: &p.Run, Hashes: p.Hashes,
		Provenance: origin{p.Provenance.Tool, p.Provenance.Spec, p.Provenance.Files, p.Provenance.Profile}}
	for i := range p.Sections {
		if n := len(p.Sections[i].Commands); n > 0 {
			d.Commands = append(d.Commands, sectionCount{p.Sections[i].Name, n})
		}
	}
	return d
}
