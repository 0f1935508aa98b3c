package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/measure"
	"github.com/gradcue/gradcue/runtime/sink"
	"github.com/gradcue/gradcue/runtime/state"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

func newRunCmd(a *app) *cobra.Command {
	var f specFlags
	o := runOptions{engine: "cpu"}
	c := &cobra.Command{
		Use:   "run SPEC|PLAN",
		Short: "Train; the same command goes on where it stopped",
		Long: `run compiles an experiment, checks the plan and trains until the last update of
its schedule. Everything about the run is in its folder, runs/NAME unless -o says
otherwise; the same command on that folder goes on, to the same bits.

Ctrl-C finishes the update, saves and leaves with code 75; a second one leaves at
once. Paths of the data are relative to the folder of the spec or plan file.`,
		Example: `  gradcue run .                       train the experiment of this folder
  gradcue run . --steps 20            leave after 20 updates, saved
  gradcue run plan.json -o runs/b     a plan file, in another folder
  gradcue run . --steps 20 --times    and say where the time went
  gradcue run . --engine null         check every command and compute nothing`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.run(c.Context(), f, o, args[0])
		},
	}
	f.add(c.Flags())
	c.Flags().StringVarP(&o.dir, "output", "o", "", "run folder (default runs/NAME)")
	c.Flags().StringVar(&o.engine, "engine", o.engine, "cpu, ref (float64, slow), null (computes nothing) or cuda (in a build with -tags cuda)")
	c.Flags().IntVar(&o.steps, "steps", 0, "leave after so many updates (default: at the end of the schedule)")
	c.Flags().IntVarP(&o.workers, "workers", "j", 0, "threads (default: as many as there are processors, at most the plan's)")
	c.Flags().BoolVar(&o.times, "times", false, "measure every command and print where the time went")
	c.Flags().StringVar(&o.kernels, "kernels", "", "kernels.json or folder of a run whose choice of kernels a new run takes (--engine cuda)")
	c.Flags().StringVar(&o.root, "data-root", "", "folder that paths of the data start from")
	complete(c, "engine", engineNames()...)
	return c
}

type runOptions struct {
	dir, engine, root, kernels string
	steps, workers             int
	times                      bool
}

// lines is how many updates a line of a log stands for when only some are made.
func lines(steps int) int {
	if steps == 0 {
		return 0
	}
	return max(1, steps/10)
}

// job is what run trains: a plan and what is known of where it comes from.
type job struct {
	plan   *plan.Plan
	name   string                          // of the experiment in its spec, "" for a plan file
	spec   []byte                          // resolved, nil for a plan file
	root   string                          // of data paths
	where  func(path string) diag.Position // never nil
	others func(room int64) string         // which placements need less of the device; nil for a plan file
}

// run trains. The run folder is named as the user named it, so that messages do.
func (a *app) run(ctx context.Context, f specFlags, o runOptions, arg string) error {
	if o.steps < 0 || o.workers < 0 || o.workers > plan.MaxWorkers {
		return usage("--steps is 0 or more and -j is 0..%d", plan.MaxWorkers)
	}
	e, err := a.engine(o.engine)
	if err != nil {
		return err
	}
	kernels, err := a.kernels(o)
	if err != nil {
		return err
	}
	e = a.choosing(e)
	j, err := a.job(f, o, arg)
	if err != nil {
		return err
	}
	if err := a.libraryUnused(o, j.plan); err != nil {
		return err
	}
	dir := o.dir
	if dir == "" {
		dir = filepath.Join("runs", j.plan.Name)
	}
	a.announce(j.plan, e, o, dir)
	if onCUDA(o.engine) && j.others != nil {
		e = fitting{e, j.others}
	}
	ctx, stop, end := a.interrupts(ctx, o.engine != "null")
	defer end()
	v := a.version()
	var times *measure.Collector
	var observer exec.Observer
	if o.times {
		began := a.now()
		times = measure.New(j.plan, func() int64 { return int64(a.now().Sub(began)) })
		observer = times
	}
	res, err := train.Run(ctx, train.Options{
		Observer: observer,
		Plan:     j.plan, Engine: e, Workers: o.workers, Root: j.root, Dir: dir, Spec: j.spec, Kernels: kernels,
		Env:   state.Env{Tool: "gradcue " + v.Version, Go: v.Go, OS: v.OS, Arch: v.Arch, CPU: cpuName()},
		Train: j.where("data.train"), Eval: j.where("data.eval"),
		Steps: o.steps, Stop: stop, Now: a.now,
		Status: &sink.Status{W: a.stderr, Terminal: a.errTTY, Color: a.errColor, Every: lines(o.steps)},
		Warn:   func(d diag.Diagnostic) { a.print(diag.List{d}) },
	})
	if err != nil {
		return a.runError(ctx, err, &res, j.name)
	}
	return a.runEnd(j.plan, &res, times, dir)
}

// job compiles the spec or reads the plan that an argument names.
func (a *app) job(f specFlags, o runOptions, arg string) (*job, error) {
	j := &job{where: func(string) diag.Position { return diag.Position{} }}
	switch {
	case isPlan(arg):
		p, err := a.readPlan(arg)
		if err != nil {
			return nil, err
		}
		if len(f.tags) > 0 {
			return nil, usage("-t is for a spec; %s is compiled already", arg)
		}
		j.plan, j.root = p, filepath.Dir(a.abs(arg))
	case a.isRun(arg):
		return nil, usage("%s is a run folder: name the spec or plan that it was made from, and the folder with -o %s", arg, arg)
	default:
		l, err := a.one(f, arg)
		if err != nil {
			return nil, err
		}
		if l.Experiment.Data == nil {
			return nil, noData(l)
		}
		how := compiler.Options{Target: target(o.engine), Workers: planned(o.workers, int(l.Experiment.Device.Workers))}
		r, err := a.must(l, how)
		if err != nil {
			return nil, err
		}
		j.plan, j.name, j.spec, j.root, j.where = r.Plan, l.Name, l.Resolved, l.Dir, l.Where
		j.others = a.others(l, how)
	}
	if o.root != "" {
		j.root = a.abs(o.root)
	}
	return j, nil
}

// noData is the finding about an experiment that can be planned only.
func noData(l *spec.Loaded) error {
	return &findings{list: diag.List{{Code: "data.none", Path: l.Name, Pos: l.Where(""), Summary: "there is no text to train on",
		Help: "write data: train: [\"FILE\"]; to plan, no text is needed"}}}
}

// planned is the workers to compile for: more than the spec's where more are
// asked for, as a plan has scratch memory for so many and no more.
func planned(asked, spec int) int {
	if asked > spec {
		return asked
	}
	return 0
}

// announce says in one line what will run, and where.
func (a *app) announce(p *plan.Plan, e exec.Engine, o runOptions, dir string) {
	pr := &p.Predictions
	where := "in " + filepath.ToSlash(dir)
	if o.engine == "null" {
		where = "nothing is computed or kept"
	}
	fmt.Fprintf(a.stderr, "%s · %s parameters · %s tokens an update · device arena %s · engine %s · %s\n",
		paint(a.errColor, bold, p.Name), group(pr.Parameters), group(pr.Tokens), plan.Bytes(p.Arenas[ir.Device].Bytes), described(e), where)
}

// runError turns what train.Run returns into what the command returns.
func (a *app) runError(ctx context.Context, err error, res *train.Result, name string) error {
	if found := trainFindings(err, name); found != nil {
		return found
	}
	switch {
	case ctx.Err() != nil && res.Saved != "":
		return &exit{codeStopped, fmt.Errorf("stopped at once; %s is saved, the same command goes on from there", a.rel(res.Saved))}
	case ctx.Err() != nil:
		return &exit{codeInterrupted, errors.New("interrupted before anything was saved")}
	}
	if res.Saved == "" && res.Dir != "" {
		err = fmt.Errorf("failed after update %d: %w\nhelp: nothing is saved yet; the same command begins again", res.U, err)
	}
	if res.Saved != "" {
		err = fmt.Errorf("failed after update %d: %w\nhelp: %s is saved; the same command goes on from there", res.U, err, a.rel(res.Saved))
	}
	return &exit{codeFailed, err}
}

// trainFindings is the findings in an error of the runtime, nil when it has
// none. The runtime knows the fields of one experiment; name is where that
// stands in its file.
func trainFindings(err error, name string) error {
	var (
		wrong *train.ContentError
		env   *train.WorldError
		l     diag.List
	)
	switch {
	case errors.As(err, &wrong):
		l = wrong.List
	case errors.As(err, &env):
		l = env.List
	default:
		return nil
	}
	for i := range l {
		l[i].World = l[i].World || env != nil && l[i].Severity == diag.Error
		if name != "" && l[i].Path != "" && !strings.HasPrefix(l[i].Path, name+".") {
			l[i].Path = name + "." + l[i].Path
		}
	}
	return &findings{list: l}
}

// runEnd says what was reached.
func (a *app) runEnd(p *plan.Plan, res *train.Result, times *measure.Collector, dir string) error {
	pg := newPage(a.stdout, a.outColor)
	if times != nil {
		pg.times(times.Totals())
		pg.blank()
	}
	pg.reached(p, res, filepath.ToSlash(dir))
	if res.Dir != "" && !res.Stopped {
		next := [][]string{{"gradcue sample " + filepath.ToSlash(dir), "text from the model"}}
		if !res.Done {
			next = append(next, []string{"the same command", "goes on with update " + group(int64(res.U)+1)})
		}
		pg.labelled("next", []column{{style: bold}, {style: dim}}, next)
	}
	if err := pg.close(); err != nil {
		return err
	}
	if res.Stopped {
		return &exit{codeStopped, fmt.Errorf("stopped after update %d of %d, saved; the same command goes on", res.U, res.Updates)}
	}
	return nil
}

// cpuName is the processor as the system calls it, for the notes of a run.
func cpuName() string {
	// Only Linux has this file; elsewhere the name is left out.
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return field(string(data), "model name")
}
