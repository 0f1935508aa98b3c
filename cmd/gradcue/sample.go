package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/sample"
	"github.com/gradcue/gradcue/runtime/state"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

func newSampleCmd(a *app) *cobra.Command {
	var f specFlags
	o := sampleOptions{n: 600, temperature: 0.5, topK: 40, engine: "cpu"}
	c := &cobra.Command{
		Use:   "sample RUN",
		Short: "Write text with the model of a run",
		Long: `sample continues a prompt with the newest state of a run folder and writes it to
stdout while it is made. Equal arguments give equal text. Products are those of the
spec on the engine cuda, and plain float32 on the processors.

There is no cache of keys and values: every token runs the whole window again.`,
		Example: `  gradcue sample runs/NAME
  gradcue sample runs/NAME --prompt "One day" -n 200
  gradcue sample runs/NAME --temperature 0       the likeliest text
  gradcue sample runs/NAME --seed 7              another text`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.sample(c.Context(), f, o, args[0])
		},
	}
	f.add(c.Flags())
	c.Flags().StringVar(&o.prompt, "prompt", "", "text to continue (default: the start of a document)")
	c.Flags().IntVarP(&o.n, "bytes", "n", o.n, "length of the text in tokens, which are bytes")
	c.Flags().Float64Var(&o.temperature, "temperature", o.temperature, "0 takes the likeliest, higher is more surprising")
	c.Flags().IntVar(&o.topK, "top-k", o.topK, "choose among the k likeliest, 0 for all")
	c.Flags().Int64Var(&o.seed, "seed", 0, "of the choices")
	c.Flags().StringVar(&o.engine, "engine", o.engine, "cpu, ref, or cuda (in a build with -tags cuda)")
	c.Flags().IntVarP(&o.workers, "workers", "j", 0, "threads (default: as many as there are processors, at most the plan's)")
	c.Flags().StringVar(&o.spec, "spec", "", "the SPEC of a run that was made from a plan file")
	complete(c, "engine", slices.DeleteFunc(engineNames(), func(e string) bool { return e == "null" })...)
	return c
}

type sampleOptions struct {
	prompt, engine, spec string
	n, topK, workers     int
	temperature          float64
	seed                 int64
}

func (a *app) sample(ctx context.Context, f specFlags, o sampleOptions, dir string) error {
	if o.engine == "null" {
		return usage("--engine null computes nothing, so there is no text to sample: use cpu, ref or cuda")
	}
	e, err := a.engine(o.engine)
	if err != nil {
		return err
	}
	p, err := a.samplePlan(f, o, dir)
	if err != nil {
		return err
	}
	out := &textWriter{w: a.stdout, safe: a.outTTY}
	if o.prompt != "" {
		if _, err := io.WriteString(a.stdout, paint(a.outColor, dim, o.prompt)); err != nil {
			return err
		}
	}
	res, err := sample.Generate(ctx, sample.Options{Plan: p, Engine: e, Workers: o.workers, Dir: dir, Prompt: []byte(o.prompt), N: o.n,
		Temperature: o.temperature, TopK: o.topK, Seed: o.seed, Out: out, Warn: func(d diag.Diagnostic) { a.print(diag.List{d}) }})
	if err != nil {
		if found := trainFindings(err, ""); found != nil {
			return found
		}
		return &exit{codeFailed, err}
	}
	if !out.ended {
		fmt.Fprintln(a.stdout)
	}
	if a.errTTY {
		fmt.Fprintln(a.stderr, paint(a.errColor, dim, fmt.Sprintf("%s after update %s, temperature %g, top %d, seed %d", p.Name, group(int64(res.U)), o.temperature, o.topK, o.seed)))
	}
	return nil
}

// samplePlan compiles the program that makes logits from the spec of a run.
func (a *app) samplePlan(f specFlags, o sampleOptions, dir string) (*plan.Plan, error) {
	l, err := a.runSpec(f, o, dir)
	if err != nil {
		return nil, err
	}
	if !onCUDA(o.engine) && !inF32(l.Experiment) {
		// Only training promises the products of the spec.
		x, plain := *l.Experiment, *l
		x.Precision.Products, plain.Experiment = "f32", &x
		l = &plain
	}
	r, err := a.must(l, compiler.Options{Program: compiler.Sample, Target: target(o.engine), Workers: planned(o.workers, int(l.Experiment.Device.Workers))})
	if err != nil {
		return nil, err
	}
	return r.Plan, nil
}

// runSpec is the spec that a run was made from.
func (a *app) runSpec(f specFlags, o sampleOptions, dir string) (*spec.Loaded, error) {
	if _, err := os.Stat(a.abs(dir)); err != nil {
		return nil, world(dir, fileError(err), "name a folder written by gradcue run")
	}
	if o.spec != "" {
		return a.one(f, o.spec)
	}
	if !a.isRun(dir) {
		return nil, content("run.folder", dir, "this is no run folder: it has no "+state.PlanName, "name a folder written by gradcue run, such as runs/NAME")
	}
	file := filepath.Join(dir, state.SpecName)
	data, err := os.ReadFile(a.abs(file))
	if errors.Is(err, os.ErrNotExist) {
		return nil, content("run.spec", dir, "the run was made from a plan file, so its spec is not known", "name it with --spec SPEC")
	}
	if err != nil {
		return nil, world(file, fileError(err), "")
	}
	x := &shape.Experiment{}
	if err := json.Unmarshal(data, x); err != nil {
		return nil, content("run.folder", file, "cannot be read as a spec: "+err.Error(), "name the spec with --spec SPEC")
	}
	return &spec.Loaded{Name: "experiment", Experiment: x, Dir: a.abs(dir)}, nil
}

// textWriter writes the bytes of a model. Control characters would act on a
// terminal, so there they are shown as a dot.
type textWriter struct {
	w     io.Writer
	safe  bool
	ended bool // the last byte ended a line
}

func (t *textWriter) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	t.ended = b[len(b)-1] == '\n'
	if !t.safe {
		return t.w.Write(b)
	}
	shown := make([]byte, len(b))
	for i, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			c = '.'
		}
		shown[i] = c
	}
	return t.w.Write(shown)
}
