package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/bench"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/spec"
)

// benchSpec is measured when no SPEC is named.
//
//go:embed bench/gpt2.cue
var benchSpec []byte

func newBenchCmd(a *app) *cobra.Command {
	var f specFlags
	o := benchOptions{engine: "cpu", updates: 10, warmup: 2}
	c := &cobra.Command{
		Use:   "bench [SPEC|PLAN]",
		Short: "Measure updates on this machine, beside what the machine can do",
		Long: `bench makes some updates of an experiment and prints how long they take, where
the time goes, and what part that is of the machine's own limits, which it
measures too: multiply-adds on registers, and copies of memory. Random tokens
stand in for the text where the spec has none. Nothing is kept.

Without SPEC it takes a GPT-2 small of 4 blocks, B=4, T=64; -t layers=12,
-t batch=N and -t tokens=N change that. Updates during which other processes
took more than 4 % of the processors are not counted, where the system tells.

On the engine cuda updates are timed as a run makes them, and single commands in
updates of their own, one after the other. The limits are the device's copies, and
the products that its multiprocessors could make at their highest clock.`,
		Example: `  gradcue bench                              this machine, in half a minute
  gradcue bench . --updates 20               the experiment of this folder
  gradcue bench -t layers=12 -t tokens=256   the whole GPT-2 small, longer rows
  gradcue bench . --benchfmt | tee -a log    for benchstat
  GRADCUE=cpu=avx2 gradcue bench .           on another instruction set
  gradcue bench . --engine cuda              in a build with -tags cuda`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.bench(c.Context(), f, o, args)
		},
	}
	f.add(c.Flags())
	o.addEngine(c)
	c.Flags().IntVar(&o.updates, "updates", o.updates, "updates to time")
	c.Flags().IntVar(&o.warmup, "warmup", o.warmup, "updates to make before")
	c.Flags().IntVarP(&o.workers, "workers", "j", 0, "threads (default: as many as there are processors)")
	c.Flags().BoolVar(&o.random, "random", false, "random tokens, although the spec has data")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	c.Flags().BoolVar(&o.benchfmt, "benchfmt", false, "print one line in the format of Go benchmarks")
	c.MarkFlagsMutuallyExclusive("json", "benchfmt")
	return c
}

type benchOptions struct {
	engine                   string
	updates, warmup, workers int
	random, json, benchfmt   bool
}

// addEngine adds the flag of the engine that is measured.
func (o *benchOptions) addEngine(c *cobra.Command) {
	c.Flags().StringVar(&o.engine, "engine", o.engine, "cpu, or cuda (in a build with -tags cuda)")
	complete(c, "engine", slices.DeleteFunc(engineNames(), func(e string) bool { return e == "ref" || e == "null" })...)
}

// memoryProbe is the bytes of each array that memory is measured with, more than
// the caches of today's processors have for one of them. A device's copies are
// measured with a quarter, which is pinned on the host too.
const memoryProbe = 256 << 20

// check refuses numbers that no measurement can be made with.
func (o *benchOptions) check() error {
	if o.updates < 1 || o.warmup < 0 || o.workers < 0 || o.workers > plan.MaxWorkers {
		return usage("--updates is at least 1, --warmup 0 or more and -j 0..%d", plan.MaxWorkers)
	}
	if o.engine == "ref" || o.engine == "null" {
		return usage("--engine is cpu or cuda to measure, not %s: its times say nothing of a run", o.engine)
	}
	return nil
}

func (a *app) bench(ctx context.Context, f specFlags, o benchOptions, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	e, err := a.engine(o.engine)
	if err != nil {
		return err
	}
	p, src, from, err := a.benchPlan(f, o, args)
	if err != nil {
		return err
	}
	r, err := a.measure(ctx, a.choosing(e), o, p, src)
	if err != nil {
		return err
	}
	r.Text = from
	switch {
	case o.json:
		v := a.version()
		return a.json(benchDocument{"gradcue " + v.Version, v.Go, v.OS + "/" + v.Arch, cpuName(), r})
	case o.benchfmt:
		return a.benchLine(r)
	}
	return a.showBench(r, len(p.Provenance.Profile.Ops) > 0)
}

// measure makes and times the updates of a plan; src is nil for random tokens.
func (a *app) measure(ctx context.Context, e exec.Engine, o benchOptions, p *plan.Plan, src *data.Source) (*bench.Report, error) {
	var texts [][]loss.Row
	if src != nil {
		var err error
		if texts, err = someWindows(src); err != nil {
			return nil, &exit{codeFailed, err}
		}
	}
	began := a.now()
	opt := bench.Options{Plan: p, Engine: e, Workers: o.workers, ISA: a.settings.cpu, Updates: o.updates, Warmup: o.warmup, Windows: texts, Memory: memoryProbe,
		Now: func() int64 { return int64(a.now().Sub(began)) }, Others: othersTime(), Peak: peakMemory}
	if onCUDA(o.engine) {
		opt.Apart, opt.Device = true, func() (bench.Machine, error) { return a.device(p.Run.Precision.Products, opt.Now) }
	}
	r, err := bench.Run(ctx, opt)
	if err != nil {
		if found := trainFindings(err, ""); found != nil {
			return nil, found
		}
		return nil, &exit{codeFailed, err}
	}
	return r, nil
}

// device measures the device for the products of a plan.
func (a *app) device(products string, now func() int64) (bench.Machine, error) {
	r, err := cuda.Measure(a.settings.libcuda, products, memoryProbe/4, now)
	return bench.Machine{Name: r.Name, ISA: fmt.Sprintf("sm_%d%d %s", r.Major, r.Minor, products), Workers: r.Multiprocessors,
		FLOPS: r.FLOPS, Bandwidth: r.Bandwidth, H2D: r.H2D, D2H: r.D2H, Launch: r.Launch}, err
}

// benchDocument is what --json prints.
type benchDocument struct {
	Tool     string `json:"tool"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	CPU      string `json:"cpu"`
	*bench.Report
}

// benchPlan is the plan to measure, and its text: nil for random tokens. from
// says in words where the tokens come from.
func (a *app) benchPlan(f specFlags, o benchOptions, args []string) (p *plan.Plan, src *data.Source, from string, err error) {
	if len(args) == 0 {
		p, err = a.benchDefault(f, o)
		return p, nil, "random tokens", err
	}
	if isPlan(args[0]) {
		if len(f.tags) > 0 {
			return nil, nil, "", usage("-t is for a spec; %s is compiled already", args[0])
		}
		p, err = a.readPlan(args[0])
		return p, nil, "random tokens, as with every plan file", err
	}
	l, err := a.one(f, args[0])
	if err != nil {
		return nil, nil, "", err
	}
	return a.benchSpecPlan(l, o)
}

// benchSpecPlan is benchPlan for a loaded spec.
func (a *app) benchSpecPlan(l *spec.Loaded, o benchOptions) (p *plan.Plan, src *data.Source, from string, err error) {
	if p, err = a.benchCompile(l, o); err != nil {
		return nil, nil, "", err
	}
	switch {
	case o.random:
		return p, nil, "random tokens", nil
	case l.Experiment.Data == nil:
		return p, nil, "random tokens, as the spec has no data", nil
	}
	src, list := openData(l, p)
	return p, src, strings.Join(l.Experiment.Data.Train, ", "), a.asError(list)
}

func (a *app) benchCompile(l *spec.Loaded, o benchOptions) (*plan.Plan, error) {
	r, err := a.must(l, compiler.Options{Target: target(o.engine), Workers: planned(o.workers, int(l.Experiment.Device.Workers))})
	if err != nil {
		return nil, err
	}
	return r.Plan, nil
}

// benchDefault compiles the built-in spec, which is read from a file like any other.
func (a *app) benchDefault(f specFlags, o benchOptions) (p *plan.Plan, err error) {
	dir, err := os.MkdirTemp("", "gradcue-bench-")
	if err != nil {
		return nil, world("", fileError(err), "name a SPEC, or a folder for temporary files that can be written")
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "gpt2.cue")
	if err := os.WriteFile(file, benchSpec, 0o600); err != nil {
		return nil, world(file, fileError(err), "name a SPEC")
	}
	l, err := a.one(f, file)
	if err != nil {
		return nil, err
	}
	return a.benchCompile(l, o)
}

// benchTexts is how many windows of a text are gone through, over and over.
const benchTexts = 4

// someWindows reads the first windows of a text.
func someWindows(src *data.Source) (texts [][]loss.Row, err error) {
	at := data.Cursor{}
	for range benchTexts {
		rows, next, err := src.Window(at)
		if err != nil {
			return nil, err
		}
		texts, at = append(texts, rows), next
	}
	return texts, nil
}
