package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// schedule lists the commands of each section with predicted start and time.
func (p *page) schedule(pl *plan.Plan) {
	p.title(pl.Name, "commands, with times predicted from the profile "+pl.Provenance.Profile.Name)
	for sec := range ir.NumSections {
		cs := pl.Sections[sec].Commands
		if len(cs) == 0 {
			continue
		}
		start, end := starts(cs)
		p.blank()
		p.title(pl.Sections[sec].Name, plural(len(cs), "command")+", "+plan.Duration(end))
		rows := make([][]string, len(cs))
		for i := range cs {
			c := &cs[i]
			rows[i] = []string{strconv.Itoa(i), c.Stream.String(), plan.Duration(start[i]), took(c), c.Phase, block(c), action(c), operands(pl, c)}
		}
		p.table("  ", []column{{head: "#", right: true}, {head: "stream"}, {head: "start", right: true}, {head: "takes", right: true},
			{head: "phase"}, {head: "block", right: true}, {head: "command", style: bold}, {head: "operands"}}, rows)
	}
}

// starts plays the commands on their streams: a wait delays its stream to the
// time its event was recorded, and the streams join at the end.
func starts(cs []plan.Command) (start []int64, end int64) {
	var now [plan.NumStreams]int64
	events := map[int]int64{}
	start = make([]int64, len(cs))
	for i := range cs {
		c := &cs[i]
		switch c.Kind {
		case plan.Record:
			events[c.Event] = now[c.Stream]
		case plan.Wait:
			now[c.Stream] = max(now[c.Stream], events[c.Event])
		}
		start[i] = now[c.Stream]
		now[c.Stream] += c.Nanos
	}
	return start, max(now[plan.Compute], now[plan.Out], now[plan.In])
}

func took(c *plan.Command) string {
	if c.Kind == plan.Record || c.Kind == plan.Wait {
		return ""
	}
	return plan.Duration(c.Nanos)
}

func block(c *plan.Command) string {
	if c.Layer == 0 {
		return ""
	}
	return strconv.Itoa(c.Layer - 1)
}

func action(c *plan.Command) string {
	if c.Kind == plan.Record || c.Kind == plan.Wait {
		return fmt.Sprintf("%s %d", c.Kind, c.Event)
	}
	return name(c)
}

// operands is "a, b → c" with names of buffers; an absent operand is _.
func operands(pl *plan.Plan, c *plan.Command) string {
	if c.Kind == plan.Record || c.Kind == plan.Wait {
		return ""
	}
	args := c.Args
	if c.Kind == plan.Copy {
		args = args[:min(1, len(args))]
	}
	return bufferNames(pl, args) + " → " + bufferNames(pl, c.Results)
}

func bufferNames(pl *plan.Plan, ids []int) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = "_"
		if id >= 0 {
			out[i] = pl.Buffers[id].Name
			if pl.Buffers[id].Tier == ir.Host.String() {
				out[i] += " (host)"
			}
		}
	}
	return strings.Join(out, ", ")
}
