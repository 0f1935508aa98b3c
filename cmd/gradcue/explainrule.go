package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// codePage is what is to be said of one code of a finding.
type codePage struct {
	id, title, formula string
	doc                []string // paragraphs: what it means
	do                 string   // "" where doc says it
	group              string   // of codeGroups
	fact               *fact    // nil for codes without fields
}

// codeGroups are the groups of codes, in the order of the list.
var codeGroups = []struct{ name, about string }{
	{"rules", "what makes an experiment wrong; each is a formula"},
	{"limits", "what this version can build"},
	{"spec", "the language of a spec"},
	{"runtime", "data, plans, runs and the command line"},
}

// fact is what a rule reads in a spec, and how its formula looks with numbers.
type fact struct {
	id      string
	title   string   // in place of the first sentence of a rule of the schema
	formula string   // of a rule of the schema; rules in Go have their own
	do      string   // one thing to do
	reads   []string // fields and sections, by dotted path
	numbers func(*shape.Experiment, *plan.Plan) string
}

// codePages are the pages about all codes, sorted by id. A rule that is checked
// in the schema and in Go has one page with both texts.
func codePages() []codePage {
	pages := map[string]*codePage{}
	for _, r := range check.Rules() {
		pages[r.ID] = &codePage{id: r.ID, title: r.Title, formula: r.Formula, doc: []string{r.Doc}, group: "rules"}
	}
	for _, code := range spec.Codes() {
		text := spec.Explain(code)
		if p := pages[code]; p != nil {
			p.doc = append(p.doc, text)
			continue
		}
		first, _, _ := strings.Cut(text, ". ")
		pages[code] = &codePage{id: code, title: strings.TrimSuffix(first, "."), doc: []string{text}, group: "rules"}
	}
	for _, c := range runtimeCodes {
		pages[c.id] = &codePage{id: c.id, title: c.title, doc: []string{c.doc}, do: c.do, group: "runtime"}
	}
	for i := range facts {
		f := &facts[i]
		p := pages[f.id]
		if p == nil { // a test compares the ids
			continue
		}
		p.fact, p.do = f, f.do
		p.formula, p.title = cmp.Or(p.formula, f.formula), cmp.Or(f.title, p.title)
	}
	out := make([]codePage, 0, len(pages))
	for _, p := range pages {
		switch family, _, _ := strings.Cut(p.id, "."); {
		case family == "target":
			p.group = "limits"
		case family == "spec":
			p.group = "spec"
		}
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b codePage) int { return strings.Compare(a.id, b.id) })
	return out
}

// aboutCode prints the page of a code; false where there is none.
func (a *app) aboutCode(p *page, id string, on []*subject, refused diag.List) bool {
	pages := codePages()
	i := slices.IndexFunc(pages, func(c codePage) bool { return c.id == id })
	if i < 0 {
		return false
	}
	c := &pages[i]
	p.title(c.id, c.title)
	if c.formula != "" {
		p.blank()
		p.text("  ", p.paint(cyan, c.formula))
	}
	for _, d := range c.doc {
		p.blank()
		p.text("  ", d)
	}
	if c.do != "" {
		p.blank()
		p.text("  ", "To do: "+c.do+".")
	}
	if len(refused) > 0 {
		p.blank()
		p.verdict(refused, id)
	}
	for _, s := range on {
		p.about(a, s)
		p.facts(c.fact, s)
		p.verdict(s.found, id)
	}
	return true
}

// facts are the numbers of a rule in one experiment, and the lines they come from.
func (p *page) facts(f *fact, s *subject) {
	if f == nil {
		return
	}
	if f.numbers != nil {
		var pl *plan.Plan
		if s.compiled != nil {
			pl = s.compiled.Plan
		}
		if text := f.numbers(s.Experiment, pl); text != "" {
			p.line("numbers", text)
		}
	}
	p.reads(s, f.reads)
}

// reads is the table of fields with their values and lines. Of a section only
// what the author wrote is shown.
func (p *page) reads(s *subject, paths []string) {
	rows, err := settingRows(s.Resolved, written(s.Loaded))
	if err != nil { // the loader's own text
		return
	}
	var out [][]string
	seen := map[string]bool{}
	for _, want := range paths {
		for _, r := range rows {
			if in := r[0] == want || strings.HasPrefix(r[0], want+".") && r[2] != "default"; in && !seen[r[0]] {
				seen[r[0]] = true
				out = append(out, r)
			}
		}
	}
	if len(out) > 0 {
		p.labelled("reads", []column{{}, {}, {style: dim}}, out)
	}
}
