package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/runtime/bench"
)

func newCalibrateCmd(a *app) *cobra.Command {
	var f specFlags
	// The median of five updates is off by more than half for single small ops, that of fifteen by a tenth.
	o := benchOptions{engine: "cpu", updates: 15, warmup: 2}
	out := ""
	c := &cobra.Command{
		Use:   "calibrate SPEC",
		Short: "Measure this machine for a spec and write its device profile",
		Long: `calibrate makes some updates of an experiment, as bench does, and writes what
the machine reached as a device profile in CUE: the rates of products, memory
and copies, and the rate of every op at the shapes of this spec. With the file
beside the spec, plan predicts times from it, and bench prints predicted beside
measured times.`,
		Example: `  gradcue calibrate . -o device.cue   a file of the package of this folder
  gradcue plan .                      predicts with it
  gradcue calibrate . --engine cuda   in a build with -tags cuda`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.calibrate(c.Context(), f, o, args[0], out)
		},
	}
	f.add(c.Flags())
	o.addEngine(c)
	c.Flags().StringVarP(&out, "output", "o", "", "file to write (default: stdout)")
	c.Flags().IntVar(&o.updates, "updates", o.updates, "updates to time")
	c.Flags().IntVar(&o.warmup, "warmup", o.warmup, "updates to make before")
	c.Flags().IntVarP(&o.workers, "workers", "j", 0, "threads (default: as many as there are processors)")
	return c
}

func (a *app) calibrate(ctx context.Context, f specFlags, o benchOptions, path, out string) error {
	if isPlan(path) {
		return usage("calibrate takes a spec, whose package the profile joins; %s is a plan", path)
	}
	if err := o.check(); err != nil {
		return err
	}
	e, err := a.engine(o.engine)
	if err != nil {
		return err
	}
	l, err := a.one(f, path)
	if err != nil {
		return err
	}
	p, src, _, err := a.benchSpecPlan(l, o)
	if err != nil {
		return err
	}
	r, err := a.measure(ctx, a.choosing(e), o, p, src)
	if err != nil {
		return err
	}
	rates := opRates(r)
	text, err := format.Source([]byte(profileText(r, rates, packageOf(a, l.Files), l.Name)))
	if err != nil {
		return err
	}
	if out == "" {
		_, err := a.stdout.Write(text)
		return err
	}
	if err := a.writeFile(out, text); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %s: %s of products, %s of memory, %d ops\n", out, si(r.FLOPS, "FLOP/s"), si(r.Machine.Bandwidth, "B/s"), len(rates))
	if r.Counted != r.Clean {
		fmt.Fprintln(a.stderr, "other processes were in the way: calibrate again on an idle machine")
	}
	return nil
}

// opRates are the FLOP/s of each op that has any FLOPs, over all its commands.
func opRates(r *bench.Report) map[string]float64 {
	flops, nanos := map[string]int64{}, map[string]int64{}
	for _, o := range r.Ops {
		flops[o.Op] += o.FLOPs
		nanos[o.Op] += o.Nanos
	}
	rates := map[string]float64{}
	for op, n := range nanos {
		if n > 0 && flops[op] > 0 {
			rates[op] = float64(flops[op]) / float64(n) * 1e9
		}
	}
	return rates
}

// profileText is the profile as a file of the spec's package. On the processors a
// copy to the host moves each byte once where the measured rate counts reading and
// writing it.
func profileText(r *bench.Report, rates map[string]float64, pkg, name string) string {
	var b strings.Builder
	m := &r.Machine
	fmt.Fprintf(&b, "// Measured by gradcue calibrate at the shapes of %s.\n", r.Name)
	h2d, d2h, label := m.Bandwidth/2, m.Bandwidth/2, fmt.Sprintf("%s, %s, %s", cpuName(), plural(m.Workers, "worker"), m.ISA)
	if m.Name != "" {
		h2d, d2h, label = m.H2D, m.D2H, m.Name+", "+m.ISA
	}
	fmt.Fprintf(&b, "package %s\n\n", pkg)
	head, second, _ := strings.Cut(name, ".")
	if second != "" {
		head += ": " + fmt.Sprintf("%q", second)
	}
	fmt.Fprintf(&b, "%s: device: {\n\tname:      %q\n\tflops:     %.4g\n\tbandwidth: %.4g\n\th2d:       %.4g\n\td2h:       %.4g\n",
		head, label, r.FLOPS, m.Bandwidth, h2d, d2h)
	if m.Launch > 0 {
		fmt.Fprintf(&b, "\tlaunch: %.3g\n", m.Launch/1e9)
	}
	b.WriteString("\tops: {\n")
	for _, op := range slices.Sorted(maps.Keys(rates)) {
		fmt.Fprintf(&b, "\t\t%q: %.4g\n", op, rates[op])
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}

// packageOf is the package that the files of a spec belong to.
func packageOf(a *app, files []string) string {
	for _, f := range files {
		if x, err := parser.ParseFile(a.abs(f), nil, parser.PackageClauseOnly); err == nil && x.PackageName() != "" {
			return x.PackageName()
		}
	}
	return "main"
}
