package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/gradcheck"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

func newGradcheckCmd(a *app) *cobra.Command {
	var f specFlags
	o := gradcheckOptions{limit: gradcheck.Limit}
	c := &cobra.Command{
		Use:   "gradcheck SPEC",
		Short: "Compare the gradients of a plan with finite differences, in float64",
		Long: `gradcheck compiles an experiment and compares, for every parameter tensor, what
the plan's own commands leave in the gradient buffers with differences of the
window's loss. It runs on the engine ref, in float64, on a small window of the
text: at most 2 micro-batches of 2 rows of 8 tokens, unless --full is given.`,
		Example: `  gradcue gradcheck .
  gradcue gradcheck . --samples 100 --limit 1e-7
  gradcue gradcheck . -t layers=1 --full`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.gradcheck(c.Context(), f, o, args[0])
		},
	}
	f.add(c.Flags())
	c.Flags().IntVar(&o.samples, "samples", 8, "elements to check of each tensor; smaller tensors are checked whole")
	c.Flags().Float64Var(&o.limit, "limit", o.limit, "largest relative error that passes")
	c.Flags().Int64Var(&o.seed, "seed", 0, "which elements are checked")
	c.Flags().BoolVar(&o.full, "full", false, "the window of the spec")
	return c
}

type gradcheckOptions struct {
	samples int
	limit   float64
	seed    int64
	full    bool
}

// Sizes of the small window, and the largest work that is started: the engine
// ref makes about 10^9 FLOP a second, and five minutes are enough.
const (
	smallMicro, smallBatch, smallSeq = 2, 2, 8
	mostWork                         = 3e11
)

func (a *app) gradcheck(ctx context.Context, f specFlags, o gradcheckOptions, arg string) error {
	if o.samples < 1 || !(o.limit > 0) {
		return usage("--samples is at least 1 and --limit is above 0")
	}
	l, err := a.one(f, arg)
	if err != nil {
		return err
	}
	if !o.full {
		l = smallWindow(l)
	}
	r, err := a.must(l, compiler.Options{})
	if err != nil {
		return err
	}
	if err := tooLarge(l, r.Plan, o); err != nil {
		return err
	}
	in, from, err := a.checkInputs(l, r.Plan, o)
	if err != nil {
		return err
	}
	rep, err := a.checkGradients(ctx, r.Plan, in, o)
	if err != nil {
		return &exit{codeFailed, err}
	}
	return a.showGradcheck(r.Plan, &rep, from, o)
}

// smallWindow is the experiment with a window that is quick to run many times.
// The graph of an update is the same.
func smallWindow(l *spec.Loaded) *spec.Loaded {
	x, small := *l.Experiment, *l
	w := &x.Window
	w.MicroBatches, w.MicroBatchSize, w.SeqLen = min(w.MicroBatches, smallMicro), min(w.MicroBatchSize, smallBatch), min(w.SeqLen, smallSeq)
	w.Sequences = w.MicroBatches * w.MicroBatchSize * w.Replicas
	w.Tokens = w.Sequences * w.SeqLen
	small.Experiment = &x
	return &small
}

// tooLarge refuses a check that would take hours.
func tooLarge(l *spec.Loaded, p *plan.Plan, o gradcheckOptions) error {
	const perElement = 4 // losses of a difference of fourth order
	runs := float64(perElement * o.samples * len(p.Run.Params))
	work := runs * float64(p.Predictions.FLOPs)
	if work <= mostWork {
		return nil
	}
	return content1(diag.Diagnostic{Code: "gradcheck.size", Path: l.Name + ".model", Pos: l.Where("model"),
		Summary: fmt.Sprintf("too large to check: %s of %s parameters, %s losses of %s each, %s in all; at most %s are made", plural(len(p.Run.Params), "tensor"),
			group(p.Predictions.Parameters), group(int64(runs)), si(float64(p.Predictions.FLOPs), "FLOP"), si(work, "FLOP"), si(mostWork, "FLOP")),
		Help: "use fewer layers, a smaller width or vocabulary, or --samples 2"})
}

// checkInputs makes one window from the text of the experiment, or from random
// tokens when there is none.
func (a *app) checkInputs(l *spec.Loaded, p *plan.Plan, o gradcheckOptions) (in gradcheck.Inputs, from string, err error) {
	if l.Experiment.Data == nil {
		in, err = gradcheck.Synthetic(p, uint64(o.seed))
		return in, "random tokens, as the spec has no data", err
	}
	src, list := openData(l, p)
	if err := a.asError(list); err != nil {
		return in, "", err
	}
	rows, _, err := src.Window(data.Cursor{})
	if err == nil {
		in, err = gradcheck.FromRows(p, rows)
	}
	if err != nil {
		return in, "", &exit{codeFailed, err}
	}
	return in, strings.Join(l.Experiment.Data.Train, ", "), nil
}

func (a *app) checkGradients(ctx context.Context, p *plan.Plan, in gradcheck.Inputs, o gradcheckOptions) (rep gradcheck.Report, err error) {
	s, err := ref.Engine{}.Open(p, exec.Options{})
	if err != nil {
		return rep, err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	if err := train.Initialise(s, p); err != nil {
		return rep, err
	}
	// Ones and zeros of the first values can hide a missing factor or term.
	opt := gradcheck.Options{Inputs: in, Samples: o.samples, Seed: uint64(o.seed), Limit: o.limit, Jitter: 0.05}
	if a.errTTY {
		opt.Progress = func(done, total int) { fmt.Fprintf(a.stderr, "\r%d/%d elements\x1b[K", done, total) }
		defer fmt.Fprint(a.stderr, "\r\x1b[K")
	}
	return gradcheck.Run(ctx, p, s, opt)
}

func (a *app) showGradcheck(p *plan.Plan, rep *gradcheck.Report, from string, o gradcheckOptions) error {
	pg := newPage(a.stdout, a.outColor)
	w := &p.Run.Window
	pg.title(p.Name, fmt.Sprintf("gradients in float64 on a window of %d × %d × %d tokens from %s", w.MicroBatches, w.BatchSize, w.SeqLen, from))
	pg.blank()
	failed := rep.Failed()
	bad := map[string]bool{}
	for _, t := range failed {
		bad[t.Name] = true
	}
	var rows [][]string
	for _, t := range rep.Tensors {
		verdict := pg.paint(green, "good")
		switch {
		case bad[t.Name]:
			verdict = pg.paint(red, fmt.Sprintf("element %d: plan %.9g, difference %.9g", t.WorstIndex, t.Analytic, t.Numeric))
		case t.NoGradient:
			verdict = pg.paint(yellow, "nothing depends on it")
		}
		rows = append(rows, []string{t.Name, shapeText(t.Shape), group(int64(t.Checked)), fmt.Sprintf("%.1e", t.Rel), fmt.Sprintf("%.1e", t.Worst), verdict})
	}
	pg.table("  ", []column{{head: "tensor"}, {head: "shape", right: true}, {head: "checked", right: true}, {head: "error", right: true}, {head: "worst", right: true}, {head: "verdict", lead: true}}, rows)
	pg.blank()
	pg.line("loss", fmt.Sprintf("%.6f", rep.Loss), fmt.Sprintf("%s of the micro-batches", plural(rep.Runs, "run")))
	pg.line("limit", fmt.Sprintf("%.0e", o.limit), "‖plan − difference‖ / max(‖plan‖, ‖difference‖)")
	if err := pg.close(); err != nil {
		return err
	}
	if len(failed) == 0 {
		return nil
	}
	return content1(diag.Diagnostic{Code: "gradcheck.limit", Summary: fmt.Sprintf("%s of %d above the limit %.0e", plural(len(failed), "tensor"), len(rep.Tensors), o.limit),
		Help: "the table shows each one's worst element; please report it with the spec"})
}

func shapeText(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = strconv.Itoa(d)
	}
	return strings.Join(parts, "×")
}
