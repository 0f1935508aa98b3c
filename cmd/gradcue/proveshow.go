package main

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/prove"
)

// head is the first lines of the page.
func (s *prover) head(pg *page, changed []string) {
	about := s.rel(s.l.Dir)
	if s.l.Name != "experiment" {
		about += "#" + s.l.Name
	}
	pg.title(s.l.Experiment.Name, about)
	pg.blank()
	m, w := &s.l.Experiment.Model, &s.l.Experiment.Window
	pg.line("proved on", fmt.Sprintf("%s × %d, %d of %d heads of %d", plural(int(m.Layers), "block"), m.DModel, m.Heads, m.KVHeads, m.HeadDim),
		fmt.Sprintf("vocabulary %d", m.Vocab), fmt.Sprintf("%d × %d × %d tokens", w.MicroBatches, w.MicroBatchSize, w.SeqLen), "engine "+s.engine)
	if len(changed) > 0 {
		pg.line("smaller", strings.Join(changed, ", "))
	}
	if s.text != nil {
		pg.line("text", "made up, as the spec has no data")
	}
	pg.blank()
	pg.w.Flush()
}

// verdict is the line of a proof, as soon as it is made.
func (s *prover) verdict(pg *page, v *prove.Verdict) {
	mark := pg.paint(green, "ok     ")
	switch v.Status {
	case prove.Failed:
		mark = pg.paint(red, "FAILED ")
	case prove.Without:
		mark = pg.paint(yellow, "without")
	}
	fmt.Fprintf(pg.w, "  %s  %s  %8s  %s\n", pad(v.ID, labels), mark, since(v.Nanos), v.Title)
	for _, line := range wrap(v.Summary(), 88) {
		fmt.Fprintf(pg.w, "  %s  %s\n", strings.Repeat(" ", labels+19), pg.paint(dim, line))
	}
	for _, d := range v.Details {
		fmt.Fprintf(pg.w, "  %s  %s\n", strings.Repeat(" ", labels), pg.paint(red, d))
	}
	if v.More > 0 {
		fmt.Fprintf(pg.w, "  %s  and %d more\n", strings.Repeat(" ", labels), v.More)
	}
	pg.w.Flush()
}

// wrap breaks text at its dots.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, part := range strings.Split(text, " · ") {
		if line != "" && len(line)+3+len(part) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " · "
		}
		line += part
	}
	return append(lines, line)
}

func (s *prover) end(pg *page, rep *prove.Report) error {
	total := int64(0)
	for _, v := range rep.Verdicts {
		total += v.Nanos
	}
	pg.blank()
	pg.line("proofs", fmt.Sprintf("%d made", len(rep.Verdicts)), fmt.Sprintf("%d failed", len(rep.Failed())), since(total))
	return pg.close()
}

// proofDocument is what --json prints.
type proofDocument struct {
	Version  int             `json:"version"`
	Name     string          `json:"name"`
	Smaller  []string        `json:"smaller"` // sizes that are not the spec's
	MadeUp   bool            `json:"madeUp"`  // the text is not the spec's
	Model    plan.Model      `json:"model"`
	Window   plan.Window     `json:"window"`
	Failed   int             `json:"failed"`
	Verdicts []prove.Verdict `json:"verdicts"`
}

func (s *prover) document(rep *prove.Report, changed []string) proofDocument {
	if changed == nil {
		changed = []string{}
	}
	return proofDocument{Version: documentVersion, Name: rep.Plan.Name, Smaller: changed, MadeUp: s.text != nil, Model: rep.Plan.Run.Model,
		Window: rep.Plan.Run.Window, Failed: len(rep.Failed()), Verdicts: rep.Verdicts}
}

// proveList prints what each proof shows.
func (a *app) proveList() error {
	pg := newPage(a.stdout, a.outColor)
	for i, p := range prove.Proofs {
		if i > 0 {
			pg.blank()
		}
		pg.title(p.ID, p.Title)
		fmt.Fprintf(pg.w, "  %s\n", pg.paint(cyan, p.Formula))
		for _, line := range strings.Split(p.Doc, "\n") {
			fmt.Fprintf(pg.w, "  %s\n", line)
		}
	}
	return pg.close()
}
