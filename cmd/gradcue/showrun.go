package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/sink"
	"github.com/gradcue/gradcue/runtime/state"
)

// runLines adds to the summary of a plan what its run has reached.
func (a *app) runLines(p *page, dir string, pl *plan.Plan) error {
	f, err := os.Open(a.abs(filepath.Join(dir, state.EventsName)))
	if err != nil {
		p.blank()
		p.line("run", "nothing was trained yet")
		return nil
	}
	defer f.Close() // only read
	events, bad, err := sink.Read(f)
	if err != nil {
		return content("run.events", filepath.Join(dir, state.EventsName), "cannot be read: "+err.Error(), "")
	}
	p.blank()
	p.reachedRun(pl, events)
	if bad > 0 {
		p.line("", plural(bad, "line")+" of the events cannot be read and is left out")
	}
	return nil
}

// reachedRun is where a run stands, from its events.
func (p *page) reachedRun(pl *plan.Plan, events []sink.Event) {
	updates, evals := sink.Updates(events), sink.Evals(events)
	if len(updates) == 0 {
		p.line("run", "no update was made yet")
		return
	}
	last := updates[len(updates)-1]
	done := ""
	if last.U == pl.Run.Rate.Updates {
		done = "done"
	}
	p.line("run", fmt.Sprintf("update %s of %s", group(int64(last.U)), group(int64(pl.Run.Rate.Updates))), done, engineOf(events))
	held := ""
	if n := len(evals); n > 0 {
		held = fmt.Sprintf("held out %s after update %s", loss4(evals[n-1].Loss), group(int64(evals[n-1].U)))
	}
	p.line("loss", loss4(updates[0].Loss)+" → "+loss4(last.Loss), held)
	nanos, tokens := int64(0), int64(0)
	for _, e := range updates {
		nanos, tokens = nanos+e.Nanos, tokens+int64(e.Tokens)
	}
	if nanos > 0 {
		n := int64(len(updates))
		p.line("measured", plan.Duration(nanos/n)+" an update", si(float64(tokens)/(float64(nanos)/1e9), "token/s"), "predicted "+plan.Duration(pl.Predictions.Nanos))
	}
}

func loss4(x *sink.Float) string {
	if x == nil {
		return "?"
	}
	return fmt.Sprintf("%.4f", float64(*x))
}

// engineOf is the engine that the run last used.
func engineOf(events []sink.Event) string {
	name := ""
	for _, e := range events {
		if e.Engine != "" {
			name = e.Engine
			if e.ISA != "" {
				name += " " + e.ISA
			}
		}
	}
	if name == "" {
		return ""
	}
	return "engine " + name
}
