package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/spec"
)

func newExplainCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Say what the code of a finding means",
		Example: `  gradcue explain attn.heads     what the rule wants, and why
  gradcue explain                all codes`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return slices.Collect(codes()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.explain(args[0])
			}
			p := newPage(a.stdout, a.outColor)
			var rows [][]string
			for code := range codes() {
				rows = append(rows, []string{code, summaryOfCode(code)})
			}
			p.table("", []column{{style: bold}, {}}, rows)
			return p.close()
		},
	}
}

// codes are the codes of the spec, then those of the rules, each in order.
func codes() func(yield func(string) bool) {
	all := spec.Codes()
	for _, r := range check.Rules() {
		all = append(all, r.ID)
	}
	slices.Sort(all)
	return slices.Values(slices.Compact(all))
}

// summaryOfCode is the title of a rule, or the first sentence about a code.
func summaryOfCode(code string) string {
	for _, r := range check.Rules() {
		if r.ID == code {
			return r.Title
		}
	}
	first, _, _ := strings.Cut(spec.Explain(code), ". ")
	return strings.TrimSuffix(first, ".")
}

func (a *app) explain(code string) error {
	p := newPage(a.stdout, a.outColor)
	for _, r := range check.Rules() {
		if r.ID == code {
			p.title(r.ID, r.Title)
			fmt.Fprintf(p.w, "\n  %s\n\n  %s\n", r.Formula, r.Doc)
			return p.close()
		}
	}
	if text := spec.Explain(code); text != "" {
		p.title(code, "")
		fmt.Fprintf(p.w, "\n  %s\n", text)
		return p.close()
	}
	return usage("no finding has the code %q; gradcue explain lists them", code)
}
