package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// aboutTensor prints the buffers of a name, in each experiment that has it.
func (a *app) aboutTensor(p *page, name string, on []*subject) error {
	found := false
	var all []string
	for _, s := range on {
		if s.compiled == nil {
			continue
		}
		pl := s.compiled.Plan
		var at []int
		for i := range pl.Buffers {
			if n := pl.Buffers[i].Name; n == name {
				at = append(at, i)
			} else {
				all = append(all, n)
			}
		}
		if len(at) == 0 {
			continue
		}
		if !found {
			p.title(name, "tensor")
			found = true
		}
		p.about(a, s)
		p.param(s, name)
		for _, i := range at {
			p.buffer(s, i)
		}
	}
	if found {
		return nil
	}
	return usage("%q is no symptom, rule, operation or tensor of a plan%s\nhelp: gradcue explain lists topics, gradcue show SPEC --schedule has the tensors", name, nearest(name, append(topics(), all...)))
}

// param is what else belongs to a parameter.
func (p *page) param(s *subject, name string) {
	pl := s.compiled.Plan
	for i := range pl.Run.Params {
		x := &pl.Run.Params[i]
		if x.Name != name {
			continue
		}
		p.line("parameter", fmt.Sprintf("starts as %s", x.Init), fmt.Sprintf("weight decay %g", x.Decay), fmt.Sprintf("rate × %g", x.Scale))
		var parts []string
		for _, b := range append([]int{x.Grad, x.Master - 1}, x.State...) {
			if b >= 0 {
				parts = append(parts, pl.Buffers[b].Name+" "+plan.Bytes(pl.Buffers[b].Bytes)+" on the "+pl.Buffers[b].Tier)
			}
		}
		p.line("with it", parts...)
		if x.Origin != "" {
			p.line("sized by", x.Origin, s.Where(x.Origin).String())
		}
	}
}

// buffer is one range of bytes: its size, its life, who writes and reads it.
func (p *page) buffer(s *subject, i int) {
	pl := s.compiled.Plan
	b := &pl.Buffers[i]
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(b.Shape), " ", "×"), "[]")
	p.line("bytes", plan.Bytes(b.Bytes), b.DType+" "+dims, b.Class, "on the "+b.Tier, fmt.Sprintf("at offset %d", b.Offset))
	switch {
	case b.From > 0:
		c := pl.Sections[ir.Micro].Commands
		p.line("life", fmt.Sprintf("the whole run, in micro from command %d of %d on", b.From, len(c)), commandName(&c[b.From])+" stores it anew, so that others have its bytes before")
	case b.Run:
		p.line("life", "the whole run")
	default:
		c := pl.Sections[b.Section].Commands
		p.line("life", fmt.Sprintf("command %d to %d of %d in %s", b.First, b.Last, len(c), pl.Sections[b.Section].Name), commandName(&c[b.First])+" to "+commandName(&c[b.Last]))
	}
	var rows [][]string
	origin := -1
	for sec := range pl.Sections {
		for at := range pl.Sections[sec].Commands {
			c := &pl.Sections[sec].Commands[at]
			does := ""
			switch written, read := slices.Contains(c.Results, i), slices.Contains(c.Args, i); {
			case written && read:
				does = "changed"
			case written:
				does = "written"
			case read:
				does = "read"
			default:
				continue
			}
			if origin < 0 && does != "read" {
				origin = c.Origin
			}
			rows = append(rows, []string{does, fmt.Sprintf("by command %d", at), commandName(c), pl.Sections[sec].Name, c.Phase})
		}
	}
	const shown = 12
	if n := len(rows); n > shown {
		rows = append(rows[:shown], []string{"…", fmt.Sprintf("%d more", n-shown), "", "", ""})
	}
	p.labelled("uses", []column{{}, {right: true}, {}, {style: dim}, {style: dim}}, rows)
	if origin >= 0 && origin < len(pl.Provenance.Origins) {
		path := pl.Provenance.Origins[origin]
		p.line("because of", path, s.Where(path).String())
	}
}

// commandName is an op with its block.
func commandName(c *plan.Command) string {
	if c.Layer > 0 {
		return fmt.Sprintf("%s in block %d", name(c), c.Layer-1)
	}
	return name(c)
}

// gradients says by which commands the gradient of each kind of parameter comes
// back; blocks that are alike are one row.
func (p *page) gradients(pl *plan.Plan) {
	type kind struct {
		name    string
		n       int
		writers string
	}
	var kinds []kind
	for i := range pl.Run.Params {
		x := &pl.Run.Params[i]
		w := gradientWriters(pl, x.Grad)
		label := x.Name
		if rest, ok := strings.CutPrefix(label, "blocks."); ok {
			_, rest, _ = strings.Cut(rest, ".")
			label = "blocks.*." + rest
		}
		at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == label && k.writers == w })
		if at < 0 {
			kinds, at = append(kinds, kind{label, 0, w}), len(kinds)
		}
		kinds[at].n++
	}
	var rows [][]string
	for _, k := range kinds {
		rows = append(rows, []string{k.name, fmt.Sprintf("× %d", k.n), k.writers})
	}
	p.labelled("gradients", []column{{}, {right: true}, {style: cyan}}, rows)
}

// gradientWriters are the ops that add to a gradient in one update.
func gradientWriters(pl *plan.Plan, grad int) string {
	if grad < 0 {
		return "none"
	}
	var ops []string
	for _, sec := range []ir.Section{ir.Micro, ir.Update} {
		for i := range pl.Sections[sec].Commands {
			c := &pl.Sections[sec].Commands[i]
			if c.Kind == plan.Launch && slices.Contains(c.Results, grad) {
				ops = append(ops, c.Op)
			}
		}
	}
	if len(ops) == 0 {
		return "none"
	}
	return strings.Join(ops, " + ")
}
