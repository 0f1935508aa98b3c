package main

import (
	"fmt"
	"strconv"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// stretch is a run of commands of one section that work on one block.
type stretch struct {
	phase  string // of the command at the highest point
	layer  int    // block + 1, 0 outside the blocks
	last   int    // block + 1 of the last stretch that was joined
	at     int    // command at the highest point
	what   string
	moment plan.Moment
}

// stretches cuts a section where the block changes or forward turns to
// backward, and keeps the highest M_t of each. Copies and events belong to the
// stretch in which they stand. Neighbours with equal bytes are joined.
func stretches(p *plan.Plan, sec ir.Section) []stretch {
	ledger := p.Ledger(sec, ir.Device)
	var out []stretch
	phase, layer := "", -1
	for at := range ledger {
		c := &p.Sections[sec].Commands[at]
		if c.Kind == plan.Launch && (direction(c.Phase) != phase || c.Layer != layer) {
			phase, layer = direction(c.Phase), c.Layer
			out = append(out, stretch{layer: layer, last: layer, at: -1})
		}
		if len(out) == 0 {
			out = append(out, stretch{at: -1})
		}
		if s := &out[len(out)-1]; s.at < 0 || ledger[at].Total() > s.moment.Total() {
			s.at, s.moment, s.phase, s.what = at, ledger[at], c.Phase, name(c)
		}
	}
	return join(out)
}

// direction counts recomputing to backward, in which it happens.
func direction(phase string) string {
	if phase == ir.Recompute.String() {
		return ir.Backward.String()
	}
	return phase
}

func name(c *plan.Command) string {
	if c.Op != "" {
		return c.Op
	}
	return c.Kind
}

// join makes one stretch of neighbouring blocks that hold the same bytes.
func join(all []stretch) []stretch {
	var out []stretch
	for _, s := range all {
		if n := len(out) - 1; n >= 0 && out[n].moment == s.moment && out[n].phase == s.phase && out[n].layer > 0 && s.layer > 0 {
			out[n].last = s.layer
			continue
		}
		out = append(out, s)
	}
	return out
}

func (s *stretch) block() string {
	switch {
	case s.layer == 0:
		return ""
	case s.last == s.layer:
		return strconv.Itoa(s.layer - 1)
	}
	return fmt.Sprintf("%d–%d", s.layer-1, s.last-1)
}

// ledger is M_t by class over the commands. Classes that never change stand
// once, above the rows.
func (p *page) ledger(pl *plan.Plan) {
	p.title(pl.Name, "device memory over the commands, by class")
	p.blank()
	var all [ir.NumSections][]stretch
	var low, high plan.Moment
	first := true
	for sec := range ir.NumSections {
		all[sec] = stretches(pl, sec)
		for _, s := range all[sec] {
			for c, n := range s.moment {
				if first {
					low[c] = n
				}
				low[c], high[c] = min(low[c], n), max(high[c], n)
			}
			first = false
		}
	}
	varying, always := p.constant(low, high)
	p.blank()
	p.rows(pl, all, varying, always)
	p.blank()
	p.line("peak", plan.Bytes(pl.Predictions.Peak.Bytes), moment(&pl.Predictions.Peak))
	p.line("fragments", plan.Bytes(pl.Predictions.Fragments))
	p.line("arena", plan.Bytes(pl.Arenas[ir.Device].Bytes)+" on the device", hostArena(pl))
}

func hostArena(pl *plan.Plan) string {
	if pl.Arenas[ir.Host].Bytes == 0 {
		return ""
	}
	return plan.Bytes(pl.Arenas[ir.Host].Bytes) + " on the host"
}

// constant lists the classes that never change, and returns the others and
// their sum.
func (p *page) constant(low, high plan.Moment) (varying []ir.Class, sum int64) {
	var rows [][]string
	for c := range ir.NumClasses {
		switch {
		case low[c] != high[c]:
			varying = append(varying, c)
		case low[c] > 0:
			rows = append(rows, []string{c.String(), plan.Bytes(low[c])})
			sum += low[c]
		}
	}
	rows = append(rows, []string{"together", plan.Bytes(sum)})
	p.labelled("always", []column{{}, {right: true}}, rows)
	return varying, sum
}

// rows is the table of stretches, with a chart of what comes and goes.
func (p *page) rows(pl *plan.Plan, all [ir.NumSections][]stretch, varying []ir.Class, always int64) {
	columns := []column{{head: "section"}, {head: "phase"}, {head: "block", right: true}, {head: "highest at"}, {head: "command", right: true}}
	for _, c := range varying {
		columns = append(columns, column{head: c.String(), right: true})
	}
	columns = append(columns, column{head: "M_t", right: true, style: bold}, column{head: "above always", style: cyan}, column{style: yellow})
	peak := &pl.Predictions.Peak
	var rows [][]string
	for sec := range ir.NumSections {
		for i, s := range all[sec] {
			section := ""
			if i == 0 {
				section = sec.String()
			}
			row := []string{section, s.phase, s.block(), s.what, strconv.Itoa(s.at)}
			for _, c := range varying {
				row = append(row, sizeOrDot(s.moment[c]))
			}
			total := s.moment.Total()
			mark := ""
			if sec.String() == peak.Section && s.at == peak.Command {
				mark = "◀ peak"
			}
			chart := pad(bar(float64(total-always)/float64(max(peak.Bytes-always, 1)), barCells), barCells)
			rows = append(rows, append(row, plan.Bytes(total), chart, mark))
		}
	}
	p.table("  ", columns, rows)
}

func sizeOrDot(n int64) string {
	if n == 0 {
		return "·"
	}
	return plan.Bytes(n)
}
