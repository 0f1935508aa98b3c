package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/report"
	"github.com/gradcue/gradcue/spec"
)

func newShowCmd(a *app) *cobra.Command {
	var f specFlags
	var o showOptions
	c := &cobra.Command{
		Use:   "show PLAN|RUN|SPEC",
		Short: "Print a plan: its summary, memory, schedule, graph or settings",
		Example: `  gradcue show plan.json                       the summary, as plan prints it
  gradcue show . --memory                      what is resident when, by class
  gradcue show . --memory --svg memory.svg     the same as a picture
  gradcue show runs/NAME --schedule            every command with its predicted time
  gradcue show . --graph                       the graph behind the plan
  gradcue show . --spec                        every setting and where it comes from`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.show(f, o, args[0])
		},
	}
	f.add(c.Flags())
	c.Flags().BoolVar(&o.spec, "spec", false, "every setting, with the line it comes from")
	c.Flags().BoolVar(&o.graph, "graph", false, "the graph; needs a SPEC")
	c.Flags().BoolVar(&o.memory, "memory", false, "bytes by class over the commands")
	c.Flags().BoolVar(&o.schedule, "schedule", false, "commands by stream, with predicted times")
	c.Flags().BoolVar(&o.json, "json", false, "predictions and settings as one JSON document")
	c.Flags().StringVar(&o.svg, "svg", "", "with --memory: write a picture to this file")
	c.MarkFlagsMutuallyExclusive("spec", "graph", "memory", "schedule", "json")
	return c
}

type showOptions struct {
	spec, graph, memory, schedule, json bool
	svg                                 string
}

// shown is what show prints from: a plan, and where it comes from.
type shown struct {
	plan   *plan.Plan
	graph  *ir.Graph    // of a SPEC
	loaded *spec.Loaded // of a SPEC
	run    string       // folder of a RUN
	about  string
}

func (a *app) show(f specFlags, o showOptions, arg string) error {
	if o.svg != "" && !o.memory {
		return usage("--svg is the picture of --memory: give both")
	}
	s, err := a.open(f, arg)
	if err != nil {
		return err
	}
	switch {
	case o.graph && s.graph == nil:
		return usage("%s has commands only, the graph is not in it: use --schedule, or name the spec", arg)
	case o.graph:
		_, err := fmt.Fprint(a.stdout, ir.Print(s.graph))
		return err
	case o.spec:
		return a.showSpec(s, arg)
	case o.json:
		return a.json(summaryOf(s.plan))
	case o.svg != "":
		return a.writeSVG(o.svg, s.plan)
	}
	p := newPage(a.stdout, a.outColor)
	switch {
	case o.memory:
		p.ledger(s.plan)
	case o.schedule:
		p.schedule(s.plan)
	default:
		p.summary(s.plan, s.about)
		if s.run != "" {
			if err := a.runLines(p, s.run, s.plan); err != nil {
				return err
			}
		}
	}
	return p.close()
}

// open reads what show is asked for.
func (a *app) open(f specFlags, arg string) (*shown, error) {
	switch {
	case isPlan(arg):
		p, err := a.readPlan(arg)
		return &shown{plan: p, about: arg}, err
	case a.isRun(arg):
		p, err := a.readPlan(filepath.Join(arg, "plan.json"))
		return &shown{plan: p, run: arg, about: arg}, err
	}
	l, err := a.one(f, arg)
	if err != nil {
		return nil, err
	}
	r, err := a.must(l, compiler.Options{})
	if err != nil {
		return nil, err
	}
	return &shown{plan: r.Plan, graph: r.Graph, loaded: l, about: a.where(l)}, nil
}

func (a *app) writeSVG(file string, p *plan.Plan) error {
	data := report.Memory(p)
	if err := a.writeFile(file, data); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stderr, "written", file)
	return err
}

// showSpec prints every setting of a SPEC or a RUN and the line it comes from.
func (a *app) showSpec(s *shown, arg string) error {
	if s.loaded == nil && s.run == "" {
		return usage("%s has no spec in it: --json prints its settings", arg)
	}
	resolved, where := []byte(nil), func(string) string { return "" }
	if s.loaded != nil {
		resolved, where = s.loaded.Resolved, written(s.loaded)
	} else {
		file := filepath.Join(s.run, "spec.json")
		data, err := a.readSource(file)
		if err != nil {
			return world(file, fileError(err), "the run was made from a plan file: show its --json")
		}
		resolved = data
	}
	rows, err := settingRows(resolved, where)
	if err != nil {
		return content("run.folder", arg, errors.Join(errors.New("spec.json is damaged"), err).Error(), "")
	}
	p := newPage(a.stdout, a.outColor)
	p.table("", []column{{}, {}, {style: dim}}, rows)
	return p.close()
}
