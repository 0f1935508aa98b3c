package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

func newExplainCmd(a *app) *cobra.Command {
	var f specFlags
	c := &cobra.Command{
		Use:   "explain [SYMPTOM|RULE|OP|TENSOR] [SPEC]",
		Short: "Say what a finding means, where a symptom comes from, what an op or a tensor is",
		Long: `explain prints the formula behind a symptom, a rule, an operation or a tensor,
what it means and what to do. With a SPEC it puts in the numbers of that spec, the
lines they come from, and says whether it holds there. Without arguments it lists
everything that it knows.`,
		Example: `  gradcue explain                          everything, in groups
  gradcue explain loss-looks-fine          a symptom: which question to ask first
  gradcue explain out-of-memory exp.cue    and what this spec answers
  gradcue explain loss.once exp.cue        a rule, with the numbers of the spec
  gradcue explain attention .              an operation, and where it is used
  gradcue explain blocks.3.fc .            a tensor: bytes, life, readers, line`,
		Args: cobra.MaximumNArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return topics(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.explainAll()
			}
			return a.explain(f, args[0], args[1:])
		},
	}
	f.add(c.Flags())
	return c
}

// topics are the names that explain knows without a spec.
func topics() (names []string) {
	for i := range symptoms {
		names = append(names, symptoms[i].name)
	}
	for _, p := range codePages() {
		names = append(names, p.id)
	}
	for o := ir.OpEmbed; o < ir.NumOps; o++ {
		names = append(names, o.String())
	}
	return names
}

// subject is an experiment that a page is about.
type subject struct {
	*spec.Loaded
	compiled *compiler.Result // nil where it is refused, or describes another trainer
	found    diag.List        // findings of vet
}

// explain prints the page about a topic, with the numbers of the experiments of
// a spec where one is given.
func (a *app) explain(f specFlags, topic string, specs []string) error {
	on, refused, err := a.subjects(f, specs)
	if err != nil {
		return err
	}
	if len(on) == 0 && len(refused) > 0 && !slices.ContainsFunc(refused, func(d diag.Diagnostic) bool { return d.Rule() == topic }) {
		return &findings{list: refused}
	}
	p := newPage(a.stdout, a.outColor)
	switch op, opErr := ir.ParseOp(topic); {
	case a.aboutSymptom(p, topic, on):
	case a.aboutCode(p, topic, on, refused):
	case opErr == nil && op != ir.OpLeaf:
		a.aboutOp(p, op, on)
	case len(specs) == 0:
		return usage("%q is no symptom, rule or operation%s\nhelp: gradcue explain lists them; a tensor needs its SPEC behind it", topic, nearest(topic, topics()))
	default:
		if err := a.aboutTensor(p, topic, on); err != nil {
			return err
		}
	}
	return p.close()
}

func nearest(word string, list []string) string {
	if s, ok := diag.Suggest(word, list); ok {
		return fmt.Sprintf("; did you mean %s?", s)
	}
	return ""
}

// subjects loads, vets and compiles the experiments of a spec. Findings of a spec
// that cannot be loaded are in refused.
func (a *app) subjects(f specFlags, specs []string) (on []*subject, refused diag.List, err error) {
	if len(specs) == 0 {
		return nil, nil, nil
	}
	ls, l := a.load(f, specs...)
	if l.HasErrors() {
		if l.HasWorld() {
			return nil, nil, &findings{list: l}
		}
		return nil, l, nil
	}
	for _, x := range ls {
		s := &subject{Loaded: x}
		if check.Foreign(x.Experiment) {
			s.found = compiler.Vet(compiler.Source{Experiment: x.Experiment, Name: x.Name, Where: x.Where})
		} else if s.compiled, s.found, err = a.compile(x, compiler.Options{}); err != nil {
			return nil, nil, err
		}
		on = append(on, s)
	}
	return on, nil, nil
}

// explainAll lists every topic in groups.
func (a *app) explainAll() error {
	p := newPage(a.stdout, a.outColor)
	p.title("symptoms", "start here when something is wrong and no rule has fired")
	var rows [][]string
	for i := range symptoms {
		rows = append(rows, []string{symptoms[i].name, symptoms[i].title})
	}
	p.table("  ", []column{{style: bold}, {}}, rows)
	pages := codePages()
	for _, g := range codeGroups {
		p.blank()
		p.title(g.name, g.about)
		rows = nil
		for _, c := range pages {
			if c.group == g.name {
				rows = append(rows, []string{c.id, c.title})
			}
		}
		p.table("  ", []column{{style: bold}, {}}, rows)
	}
	p.blank()
	p.title("operations", "every command of a plan applies one of them")
	rows = nil
	for o := ir.OpEmbed; o < ir.NumOps; o++ {
		first, _, _ := strings.Cut(o.Info().Doc, ". ")
		rows = append(rows, []string{o.String(), strings.TrimSuffix(first, ".")})
	}
	p.table("  ", []column{{style: bold}, {}}, rows)
	p.blank()
	p.title("tensors", "")
	p.w.WriteString("  gradcue explain NAME SPEC, with a name such as blocks.3.fc or embed.weight\n")
	return p.close()
}

// text writes a paragraph in lines that fit a terminal.
func (p *page) text(indent, s string) {
	const width = 92
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(indent)+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			fmt.Fprintf(p.w, "%s%s\n", indent, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		fmt.Fprintf(p.w, "%s%s\n", indent, line)
	}
}

// about is the heading of what a page says of one experiment.
func (p *page) about(a *app, s *subject) {
	p.blank()
	p.title(s.Experiment.Name, a.where(s.Loaded))
}

// verdict is what vet finds of some codes: the findings, or that there is none.
func (p *page) verdict(found diag.List, codes ...string) {
	n := 0
	for _, d := range found {
		if !slices.Contains(codes, d.Rule()) {
			continue
		}
		n++
		p.line(d.Severity.String(), p.paint(red, d.Pos.String())+" "+d.Path+" ["+d.Rule()+"]")
		p.text("                ", d.Summary)
		if d.Help != "" {
			p.text("                ", "help: "+d.Help)
		}
	}
	switch {
	case n > 0:
	case len(codes) == 1:
		p.line("verdict", p.paint(green, "holds"))
	default:
		p.line("verdict", p.paint(green, fmt.Sprintf("none of %d rules has a finding", len(codes))), strings.Join(codes, ", "))
	}
}
