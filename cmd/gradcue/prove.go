package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/prove"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

func newProveCmd(a *app) *cobra.Command {
	var f specFlags
	o := proveOptions{engine: "cpu"}
	c := &cobra.Command{
		Use:   "prove SPEC",
		Short: "Prove by running it that an experiment does what its formulas say",
		Long: `prove runs parts of an experiment and shows, with numbers, that its formulas hold:
that the split of a window, recomputing, offloading, padding and a resume change
no bit, that every trained position asks for its own next token, that nothing
sees the future, that a linear loss has exactly the declared gradient, that a
gradient that is not finite moves nothing, that predicted bytes are allocated.

A large experiment is made smaller first, in layers, width, vocabulary, row and
window, and the page says what was used; --full proves it as it stands. What is
proved is an engine's run of it, compared with the engine ref, in float64.`,
		Example: `  gradcue prove .                         all proofs, about a minute at most
  gradcue prove . --only split,causal     some of them
  gradcue prove . --full --json | jq .failed
  gradcue prove . --engine cuda           in a build with -tags cuda
  gradcue prove --list                    what is proved, and how`,
		Args: func(c *cobra.Command, args []string) error {
			if o.list {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.list {
				return a.proveList()
			}
			return a.prove(c.Context(), f, o, args[0])
		},
	}
	f.add(c.Flags())
	c.Flags().StringSliceVar(&o.only, "only", nil, "proofs to make, by name")
	c.Flags().StringVar(&o.engine, "engine", o.engine, "cpu, or cuda (in a build with -tags cuda)")
	complete(c, "engine", slices.DeleteFunc(engineNames(), func(e string) bool { return e == "ref" || e == "null" })...)
	c.Flags().BoolVar(&o.full, "full", false, "the shapes of the spec, however large")
	c.Flags().BoolVar(&o.json, "json", false, "print verdicts and numbers as one JSON document")
	c.Flags().BoolVar(&o.list, "list", false, "print what each proof shows, and how")
	complete(c, "only", prove.IDs()...)
	return c
}

type proveOptions struct {
	engine           string
	only             []string
	full, json, list bool
}

func (a *app) prove(ctx context.Context, f specFlags, o proveOptions, arg string) (err error) {
	e, err := a.proved(o.engine)
	if err != nil {
		return err
	}
	l, err := a.one(f, arg)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gradcue-prove-")
	if err != nil {
		return world("", fileError(err), "set TMPDIR to a folder that can be written")
	}
	defer func() {
		if e := os.RemoveAll(dir); err == nil && e != nil {
			err = world(dir, fileError(e), "remove it by hand")
		}
	}()
	var changed []string
	if !o.full {
		l, changed = smaller(l)
	}
	root, text, err := proveText(l, dir)
	if err != nil {
		return err
	}
	s := &prover{app: a, l: l, text: text, engine: o.engine}
	pg := newPage(a.stdout, a.outColor)
	if _, err := s.compile(prove.Variant{}); err != nil {
		return err
	}
	opt := prove.Options{Compile: s.compile, Engine: e, Root: root, Dir: dir, Only: o.only, Now: a.now}
	if !o.json {
		s.head(pg, changed)
		opt.Progress = func(v prove.Verdict) { s.verdict(pg, &v) }
	}
	rep, err := prove.Run(ctx, opt)
	if err != nil {
		return errors.Join(pg.close(), s.failed(err))
	}
	if o.json {
		err = a.json(s.document(&rep, changed))
	} else {
		err = s.end(pg, &rep)
	}
	if err != nil {
		return err
	}
	return outcome(&rep, o.json)
}

// proved is the engine that is proved: one that computes in float32.
func (a *app) proved(name string) (exec.Engine, error) {
	if name == "ref" || name == "null" {
		return nil, usage("--engine is cpu or cuda to prove, not %s: ref is what they are compared with, and null computes nothing", name)
	}
	return a.engine(name)
}

// outcome is an error when a proof failed.
func outcome(rep *prove.Report, shown bool) error {
	n := len(rep.Failed())
	if n == 0 {
		return nil
	}
	return &findings{shown: shown, list: diag.List{{Code: "prove.failed", Summary: fmt.Sprintf("%s of %d failed", plural(n, "proof"), len(rep.Verdicts)),
		Help: "gradcue prove --list says what each shows; please report it with the spec"}}}
}

// failed sorts an error of a proof into those of the user and others.
func (s *prover) failed(err error) error {
	var found *findings
	var internal *compiler.InternalError
	if errors.As(err, &found) || errors.As(err, &internal) {
		return err
	}
	if strings.HasPrefix(err.Error(), "there is no proof") {
		return usage("--only: %v", err)
	}
	return &exit{codeFailed, err}
}

// proveText is the folder that the data's paths start from, and the files that
// stand for the data of a spec that has none.
func proveText(l *spec.Loaded, dir string) (root string, files []string, err error) {
	if l.Experiment.Data != nil {
		return l.Dir, nil, nil
	}
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "Line %d of a text that stands for data: %x.\n\n", i, i*i*2654435761)
	}
	text := []byte(b.String())
	for i, c := range text { // ids below the vocabulary; paragraphs stay where it has a newline
		text[i] = byte(int64(c) % min(256, max(1, l.Experiment.Model.Vocab)))
	}
	const name = "made-up.txt"
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		return "", nil, world(dir, fileError(err), "set TMPDIR to a folder that can be written")
	}
	return dir, []string{name}, nil
}

// prover compiles the variants of an experiment and shows what was proved.
type prover struct {
	*app
	l      *spec.Loaded
	text   []string // stands for the data of a spec without any
	engine string
}

// compile compiles a variant of the experiment.
func (s *prover) compile(v prove.Variant) (*plan.Plan, error) {
	x := *s.l.Experiment
	if x.Data == nil {
		x.Data = &shape.Data{Train: s.text, Format: "text", Tokenizer: "bytes", Documents: "paragraph", Order: "shuffle"}
	}
	vary(&x, v)
	l := *s.l
	l.Experiment = &x
	r, list, err := s.app.compile(&l, compiler.Options{Target: target(s.engine), Workers: v.Workers})
	if err != nil {
		return nil, err
	}
	if list.HasErrors() {
		return nil, &findings{list: list}
	}
	return r.Plan, nil
}

// since is a duration as the page writes it.
func since(ns int64) string { return fmt.Sprintf("%.2f s", time.Duration(ns).Seconds()) }
