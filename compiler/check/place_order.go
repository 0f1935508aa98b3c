package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

var placeOrder = Rule{
	ID: "place.order", Title: "copies and their users are ordered",
	Formula: "of two accesses to one storage, not both reads: end(first) ≤ start(second); one turn for each group",
	Doc:     `Of two accesses to the same bytes of which at least one changes them, the first must have ended when the second starts: last write before the copy out, copy out before release and before the copy back in, copy in before the first use, last reader on any stream before release. This must hold on every path, also the late and the first one. pipeline.offload.storages gives each storage its events in the order that is meant, with times, or with what each waits for; without times, two events in different streams need a chain of waits. Groups of layers are reloaded in turns, one for each group in the order of backward, also for those that stay. In gradcue every order is an edge of the plan, and plan.Validate proves for each pair of commands with overlapping bytes that one waits for the other, before anything runs.`,
	Spec: func(in *Input) []Finding {
		o := part(in, func(p *shape.Pipeline) *shape.OffloadPipeline { return p.Offload })
		var fs []Finding
		for i := range o.Storages {
			if s := &o.Storages[i]; len(s.Managers) < 2 { // else grad.alias explains it
				fs = append(fs, ordered(s, fmt.Sprintf("pipeline.offload.storages.%d.events", i))...)
			}
		}
		if len(fs) == 0 {
			fs = slots(o.Storages)
		}
		return append(fs, turns(o)...)
	},
}

// changes reports whether an event changes the bytes, or takes them away.
func changes(e *shape.TransferEvent) bool { return e.Does != "read" && e.Does != "copy-out" }

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
func ordered(s *shape.MovedStorage, field string) []Finding {
	reach, f := waits(s, field)
	if f != nil {
		return []Finding{*f}
	}
	released := -1
	for j := range s.Events {
		b := &s.Events[j]
		at := fmt.Sprintf("%s.%d", field, j)
		switch b.Does {
		case "release":
			released = j
		case "write", "copy-in":
			released = -1
		case "read", "copy-out":
			if released >= 0 {
				return []Finding{{Field: at, Related: []string{fmt.Sprintf("%s.%d", field, released)}, Help: "copy it in again before it is used, or release it later",
					Summary: fmt.Sprintf("%s %s, but it was released before%s", s.Name, done(b), when(b, &s.Events[released]))}}
			}
		}
		for i := j - 1; i >= 0; i-- {
			a := &s.Events[i]
			if !changes(a) && !changes(b) {
				continue
			}
			if f := pair(s.Name, a, b, reach[j][i]); f != nil {
				f.Field, f.Related = at, []string{fmt.Sprintf("%s.%d", field, i)}
				return []Finding{*f}
			}
		}
	}
	return nil
}

// waits computes which events are known to have ended when another starts:
// those before it in its stream, those it waits for, and what these waited for.
func waits(s *shape.MovedStorage, field string) (reach [][]bool, bad *Finding) {
	reach = make([][]bool, len(s.Events))
	for j := range s.Events {
		b := &s.Events[j]
		reach[j] = make([]bool, len(s.Events))
		join := func(i int) {
			reach[j][i] = true
			for k, r := range reach[i] {
				reach[j][k] = reach[j][k] || r
			}
		}
		for i := range s.Events[:j] {
			if s.Events[i].Stream == b.Stream {
				join(i)
			}
		}
		for k, name := range b.After {
			i := slices.IndexFunc(s.Events[:j], func(e shape.TransferEvent) bool { return e.Name == name })
			if i < 0 {
				return nil, &Finding{Field: fmt.Sprintf("%s.%d.after.%d", field, j, k), Help: "name an event that stands before it",
					Summary: fmt.Sprintf("%s of %s waits for %q, which is no event before it", b.Does, s.Name, name)}
			}
			join(i)
		}
	}
	return reach, nil
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

// slots checks that storages that share a staging slot are not in it together.
func slots(all []shape.MovedStorage) (fs []Finding) {
	type stay struct {
		storage    int
		start, end float64
	}
	stays := map[string][]stay{}
	for i := range all {
		s := &all[i]
		if s.Slot == "" {
			continue
		}
		for _, in := range visits(s) {
			for _, o := range stays[s.Slot] {
				if o.storage != i && in[0] < o.end && o.start < in[1] {
					fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.offload.storages.%d.slot", i), Related: []string{fmt.Sprintf("pipeline.offload.storages.%d.slot", o.storage)},
						Help:    "wait for the copy out and the last reader of the other before the slot is filled, or use more slots",
						Summary: fmt.Sprintf("%s is in slot %s from t=%g to t=%g, and %s from t=%g to t=%g", s.Name, s.Slot, in[0], in[1], all[o.storage].Name, o.start, o.end)})
					return fs
				}
			}
			stays[s.Slot] = append(stays[s.Slot], stay{i, in[0], in[1]})
		}
	}
	return fs
}

// visits are the times in which a storage uses its slot: from a write or a copy
// in to its last use before the next copy in.
func visits(s *shape.MovedStorage) (times [][2]float64) {
	fresh := true
	for i := range s.Events {
		e := &s.Events[i]
		if !timed(e) || e.Does == "release" {
			fresh = true
			continue
		}
		if e.Does == "copy-in" || fresh {
			times, fresh = append(times, [2]float64{startOf(e), endOf(e)}), false
			continue
		}
		last := &times[len(times)-1]
		last[1] = max(last[1], endOf(e))
	}
	return times
}

// turns checks that backward reloads every group in its own turn.
func turns(o *shape.OffloadPipeline) []Finding {
	if o.Groups == 0 {
		return nil
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
		want := o.Groups - 1 - int64(k)
		if t.Group == want {
			continue
		}
		if t.Group < want {
			return bad(k, "turn %d reloads group %d, but backward is at group %d then: %s early, with %s for %d groups", k, t.Group, want, plural(want-t.Group, "group"), plural(int64(len(o.Turns)), "turn"), o.Groups)
		}
		return bad(k, "turn %d reloads group %d, but backward has passed it: it is at group %d, with %s for %d groups", k, t.Group, want, plural(int64(len(o.Turns)), "turn"), o.Groups)
	}
	if n := int64(len(o.Turns)); n < o.Groups {
		return bad(len(o.Turns), "%s for %d groups: group %d is never there", plural(n, "turn"), o.Groups, o.Groups-1-n)
	}
	return nil
}
