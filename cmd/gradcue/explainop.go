package main

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// aboutOp prints the row of an op in the table, and where plans use it.
func (a *app) aboutOp(p *page, op ir.Op, on []*subject) {
	info := op.Info()
	p.title(info.Name, "operation")
	p.blank()
	p.text("  ", info.Doc)
	p.blank()
	p.line("arguments", operandNames(info.Args))
	p.line("results", operandNames(info.Results))
	for i := range info.Results {
		if over := op.Over(i); over >= 0 {
			p.line("memory", info.Results[i].Name+" is stored over "+info.Args[over].Name)
		}
	}
	if len(info.Attrs) > 0 {
		p.line("constants", strings.Join(info.Attrs, ", "))
	}
	for _, r := range info.Again {
		p.line("recompute", fmt.Sprintf("%s again, to the bit, by %s(%s)", r.Result, r.Op, strings.Join(r.Args, ", ")))
	}
	for _, s := range on {
		p.about(a, s)
		if s.compiled == nil {
			p.line("plan", "none: it is refused, or describes another trainer")
			continue
		}
		p.uses(s.compiled.Plan, op)
	}
}

func operandNames(list []ir.Param) string {
	var names []string
	for _, x := range list {
		if x.Optional {
			x.Name += "?"
		}
		names = append(names, x.Name)
	}
	return strings.Join(names, ", ")
}

// uses is how often a plan applies an op, by section and phase.
func (p *page) uses(pl *plan.Plan, op ir.Op) {
	type use struct {
		section, phase string
		n, nanos, work int64
	}
	var uses []use
	for sec := range pl.Sections {
		for i := range pl.Sections[sec].Commands {
			c := &pl.Sections[sec].Commands[i]
			if c.Op != op.String() {
				continue
			}
			at := len(uses) - 1
			for ; at >= 0 && (uses[at].section != pl.Sections[sec].Name || uses[at].phase != c.Phase); at-- {
			}
			if at < 0 {
				uses, at = append(uses, use{section: pl.Sections[sec].Name, phase: c.Phase}), len(uses)
			}
			uses[at].n++
			uses[at].nanos += c.Nanos
			if c.Work > 0 {
				uses[at].work = max(uses[at].work, pl.Buffers[c.Work-1].Bytes)
			}
		}
	}
	if len(uses) == 0 {
		p.line("used", "not in this plan")
		return
	}
	var rows [][]string
	for _, u := range uses {
		rows = append(rows, []string{u.section, u.phase, plural(int(u.n), "command"), plan.Duration(u.nanos), "scratch " + plan.Bytes(u.work)})
	}
	p.labelled("used", []column{{}, {}, {right: true}, {right: true}, {style: dim}}, rows)
}
