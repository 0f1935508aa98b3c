package check

import (
	"fmt"

	"github.com/gradcue/gradcue/spec/shape"
)

var placeOrder = Rule{
	ID: "place.order", Title: "copies and their users are ordered",
	Formula: "of two accesses to one storage, not both reads: end(first) ≤ start(second); one turn for each group",
	Doc:     `Of two accesses to the same bytes of which at least one changes them, the first must have ended when the second starts: last write before the copy out, copy out before release and before the copy back in, copy in before the first use, last reader on any stream before release. This must hold on every path, also the late and the first one. pipeline.offload.storages gives each storage its events in the order that is meant, with times, or with what each waits for; without times, two events in different streams need a chain of waits. Groups of layers are reloaded in turns, one for each group in the order of backward, also for those that stay. In gradcue every order is an edge of the plan, and plan.Validate proves for each pair of commands with overlapping bytes that one waits for the other, before anything runs.`,
	Spec: func(in *Input) []Finding {
		o := part(in, func(p *shape.Pipeline) *shape.OffloadPipeline { return p.Offload })
		w, bad := waits(o.Storages)
		if bad != nil {
			return append(bad, turns(o)...)
		}
		var fs []Finding
		for i := range o.Storages {
			if len(o.Storages[i].Managers) < 2 { // else grad.alias explains it
				fs = append(fs, w.ordered(i)...)
			}
		}
		if len(fs) == 0 {
			fs = w.slots()
		}
		return append(fs, turns(o)...)
	},
}

// changes reports whether an event changes the bytes, or takes them away.
func changes(e shape.TransferEvent) bool { return e.Does != "read" && e.Does != "copy-out" }

func timed(e *shape.TransferEvent) bool { return e.Start != nil }

func startOf(e *shape.TransferEvent) float64 { return *e.Start }

func endOf(e *shape.TransferEvent) float64 {
	if e.End != nil {
		return max(*e.End, *e.Start)
	}
	return *e.Start
}

// ordered checks the events of one storage and returns the first that is wrong:
// what follows from it has the same cause.
func (w *waiting) ordered(i int) []Finding {
	s := &w.storages[i]
	released, kept := -1, -1 // the release in force; the write that no copy out has saved
	for j := range s.Events {
		b := &s.Events[j]
		switch b.Does {
		case "release":
			released = j
		case "write":
			released, kept = -1, j
		case "copy-in":
			if kept >= 0 {
				return []Finding{{Field: eventField(i, j), Related: []string{eventField(i, kept)}, Help: "copy it out after its last write, before its memory is given away",
					Summary: fmt.Sprintf("%s %s, but was not copied out since it was written%s: what comes back is older", s.Name, done(b), when(b, &s.Events[kept]))}}
			}
			released = -1
		case "read", "copy-out":
			if b.Does == "copy-out" {
				kept = -1
			}
			if released >= 0 {
				return []Finding{{Field: eventField(i, j), Related: []string{eventField(i, released)}, Help: "copy it in again before it is used, or release it later",
					Summary: fmt.Sprintf("%s %s, but it was released before%s", s.Name, done(b), when(b, &s.Events[released]))}}
			}
		}
		for k := j - 1; k >= 0; k-- {
			a := &s.Events[k]
			if !changes(*a) && !changes(*b) {
				continue
			}
			if f := pair(s.Name, a, b, w.after(event{i, j}, event{i, k})); f != nil {
				f.Field, f.Related = eventField(i, j), []string{eventField(i, k)}
				return []Finding{*f}
			}
		}
	}
	return nil
}

// pair checks that a has ended when b starts.
func pair(name string, a, b *shape.TransferEvent, waited bool) *Finding {
	if timed(a) && timed(b) {
		if endOf(a) <= startOf(b) {
			return nil
		}
		f := &Finding{Help: "make it wait for the end of the other, on every path",
			Summary: fmt.Sprintf("%s %s at t=%g while %s ends at t=%g", name, done(b), startOf(b), noun(a), endOf(a))}
		switch {
		case b.Does == "release":
			f.Summary += fmt.Sprintf(": the memory can be given away in t=%g..%g", startOf(b), endOf(a))
		case a.Does == "read":
			f.Summary += fmt.Sprintf(": the reader sees new bytes in t=%g..%g", startOf(b), endOf(a))
		default:
			f.Summary += fmt.Sprintf(": bytes of t=%g..%g are stale or half written", startOf(b), min(endOf(a), max(endOf(b), startOf(b))))
		}
		return f
	}
	if waited {
		return nil
	}
	return &Finding{Help: "add an edge: after names the event to wait for",
		Summary: fmt.Sprintf("%s %s in stream %s, and nothing makes that wait for %s in stream %s", name, done(b), b.Stream, noun(a), a.Stream)}
}

func done(e *shape.TransferEvent) string {
	return map[string]string{"write": "is written", "read": "is read", "copy-out": "is copied out", "copy-in": "is reloaded", "release": "is released"}[e.Does]
}

func noun(e *shape.TransferEvent) string {
	return map[string]string{"write": "the write", "read": "its reader", "copy-out": "its copy out", "copy-in": "its copy in", "release": "its release"}[e.Does]
}

func when(b, a *shape.TransferEvent) string {
	if !timed(a) || !timed(b) {
		return ""
	}
	return fmt.Sprintf(" (t=%g after t=%g)", startOf(b), startOf(a))
}

// turns checks that backward reloads every group in its own turn.
func turns(o *shape.OffloadPipeline) []Finding {
	groups := o.Groups
	if groups == 0 {
		for _, t := range o.Turns {
			groups = max(groups, t.Group+1)
		}
	}
	bad := func(at int, format string, args ...any) []Finding {
		field := "pipeline.offload.turns"
		if at < len(o.Turns) {
			field = fmt.Sprintf("%s.%d", field, at)
		}
		return []Finding{{Field: field, Related: []string{"pipeline.offload.groups"}, Summary: fmt.Sprintf(format, args...),
			Help: "give every group a turn, last group first; stays: true for those that stay on the device"}}
	}
	for k, t := range o.Turns {
		want := groups - 1 - int64(k)
		if t.Group == want {
			continue
		}
		if t.Group < want {
			return bad(k, "turn %d reloads group %d, but backward is at group %d then: %s early, with %s for %d groups", k, t.Group, want, plural(want-t.Group, "group"), plural(int64(len(o.Turns)), "turn"), groups)
		}
		return bad(k, "turn %d reloads group %d, but backward has passed it: it is at group %d, with %s for %d groups", k, t.Group, want, plural(int64(len(o.Turns)), "turn"), groups)
	}
	if n := int64(len(o.Turns)); n < groups {
		return bad(len(o.Turns), "%s for %d groups: group %d is never there", plural(n, "turn"), groups, groups-1-n)
	}
	return nil
}
