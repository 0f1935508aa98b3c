package main

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// summary is a plan on one screen.
func (p *page) summary(pl *plan.Plan, about string) {
	p.title(pl.Name, about)
	p.blank()
	p.what(pl)
	p.blank()
	p.memory(pl)
	p.blank()
	p.when(pl)
}

// what is the model and the update.
func (p *page) what(pl *plan.Plan) {
	m, w, pr := &pl.Run.Model, &pl.Run.Window, &pl.Predictions
	p.line("model", m.Family, plural(m.Layers, "block"), fmt.Sprintf("width %d", m.Width), heads(m),
		fmt.Sprintf("vocabulary %d", m.Vocab), fmt.Sprintf("context %d", m.Context), window(m))
	p.line("parameters", group(pr.Parameters), plan.Bytes(stored(pl))+" in "+pl.Run.Precision.Params)
	if pr.Tokens > 0 {
		p.line("update", fmt.Sprintf("%d × %d × %d = %s tokens", w.MicroBatches, w.BatchSize, w.SeqLen, group(pr.Tokens)),
			fmt.Sprintf("up to %s count in the loss", group(pr.Trained)))
		recomputed := "nothing is recomputed"
		if pr.Recomputed > 0 {
			recomputed = percent(pr.Recomputed, pr.FLOPs) + " recomputed"
		}
		p.line("compute", si(float64(pr.FLOPs), "FLOP")+" an update", recomputed)
	}
}

// stored is the bytes of the parameters that products read.
func stored(pl *plan.Plan) (n int64) {
	for i := range pl.Run.Params {
		n += pl.Buffers[pl.Run.Params[i].Buffer].Bytes
	}
	return n
}

func heads(m *plan.Model) string {
	s := fmt.Sprintf("%d heads of %d", m.Heads, m.HeadDim)
	if m.KVHeads != m.Heads {
		s += fmt.Sprintf(", %d for keys", m.KVHeads)
	}
	return s
}

func window(m *plan.Model) string {
	if m.Window == 0 {
		return ""
	}
	return fmt.Sprintf("attention to %d keys", m.Window)
}

// barCells is the width of the bar of a share of memory.
const barCells = 24

// memory is the ledger at the peak, and the arenas.
func (p *page) memory(pl *plan.Plan) {
	pr := &pl.Predictions
	arena := pl.Arenas[ir.Device].Bytes
	columns := []column{{}, {right: true}, {right: true}, {style: cyan}}
	row := func(name string, n int64) []string {
		return []string{name, plan.Bytes(n), percent(n, arena), bar(float64(n)/float64(max(arena, 1)), barCells)}
	}
	var rows [][]string
	for _, c := range pr.ClassAtPeak {
		rows = append(rows, row(c.Class, c.Bytes))
	}
	if pr.Fragments > 0 {
		rows = append(rows, row("fragments", pr.Fragments))
	}
	rows = append(rows, []string{"device arena", plan.Bytes(arena), "", ""})
	if pr.HostBytes > 0 {
		rows = append(rows, []string{"host arena", plan.Bytes(pr.HostBytes), "", ""})
	}
	p.labelled("memory", columns, rows)
	p.blank()
	p.line("peak", plan.Bytes(pr.Peak.Bytes), moment(&pr.Peak))
	p.owners(pr.OwnersAtPeak[:min(shownOwners, len(pr.OwnersAtPeak))])
}

// shownOwners is how many of the biggest owners of the peak are listed.
const shownOwners = 4

// owners lists what holds most of the memory at the peak.
func (p *page) owners(list []plan.OwnerBytes) {
	var rows [][]string
	for _, o := range list {
		row := []string{o.Name, plan.Bytes(o.Bytes), o.Class, ""}
		if o.Count > 1 {
			row[3] = fmt.Sprintf("%d of them", o.Count)
		}
		rows = append(rows, row)
	}
	p.labelled("biggest", []column{{}, {right: true}, {}, {style: dim}}, rows)
}

func moment(k *plan.Peak) string { return k.What + " in " + k.Section }

// when is transfers, predicted time and where the prediction comes from.
func (p *page) when(pl *plan.Plan) {
	pr := &pl.Predictions
	if pr.MovedOut+pr.MovedIn > 0 {
		p.line("transfers", plan.Bytes(pr.MovedOut)+" out", plan.Bytes(pr.MovedIn)+" in an update")
		p.line("", plan.Duration(pr.TransferNs)+" of copying", plan.Duration(pr.TransferNs-pr.ExposedNs)+" hidden",
			fmt.Sprintf("%s exposed, %s of the time", plan.Duration(pr.ExposedNs), percent(pr.ExposedNs, pr.Nanos)))
	}
	if pr.Tokens > 0 && pr.Nanos > 0 {
		p.line("time", plan.Duration(pr.Nanos)+" an update", si(float64(pr.Tokens)/(float64(pr.Nanos)/1e9), "token/s"), "predicted from the profile "+pl.Provenance.Profile.Name)
	}
	n := 0
	for i := range pl.Sections {
		n += len(pl.Sections[i].Commands)
	}
	p.line("plan", fmt.Sprintf("%.12s", pl.Hashes.Program), "for "+pl.Target+" with "+plural(pl.Workers, "worker"), plural(n, "command"), plural(len(pl.Buffers), "buffer"))
}
