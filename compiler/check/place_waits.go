package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

// event is one event of one storage.
type event struct{ storage, at int }

func eventField(storage, at int) string {
	return fmt.Sprintf("pipeline.offload.storages.%d.events.%d", storage, at)
}

// waiting is who waits for whom: an event starts when those before it in its
// queue, those it names in after, and what these waited for, have ended.
type waiting struct {
	storages []shape.MovedStorage
	direct   map[event][]event
}

// waits resolves the names in after. A name is looked for among the events
// before it in its storage, then in the other storages.
func waits(storages []shape.MovedStorage) (*waiting, []Finding) {
	w := &waiting{storages, map[event][]event{}}
	for i := range storages {
		for j := range storages[i].Events {
			e, b := event{i, j}, &storages[i].Events[j]
			for k := range storages[i].Events[:j] {
				if storages[i].Events[k].Stream == b.Stream {
					w.direct[e] = append(w.direct[e], event{i, k})
				}
			}
			for k, name := range b.After {
				to, ok := w.named(e, name)
				if !ok {
					return nil, []Finding{{Field: fmt.Sprintf("%s.after.%d", eventField(i, j), k), Help: "give the event that it waits for this name",
						Summary: fmt.Sprintf("%s of %s waits for %q, which is no event before it", b.Does, storages[i].Name, name)}}
				}
				w.direct[e] = append(w.direct[e], to)
			}
		}
	}
	for i := range storages {
		for j := range storages[i].Events {
			if e := (event{i, j}); w.after(e, e) {
				return nil, []Finding{{Field: eventField(i, j), Summary: fmt.Sprintf("%s of %s waits for itself through others", storages[i].Events[j].Does, storages[i].Name), Help: "break the circle of waits"}}
			}
		}
	}
	return w, nil
}

func (w *waiting) named(e event, name string) (event, bool) {
	is := func(x shape.TransferEvent) bool { return x.Name == name }
	if k := slices.IndexFunc(w.storages[e.storage].Events[:e.at], is); k >= 0 {
		return event{e.storage, k}, true
	}
	for i := range w.storages {
		if i == e.storage {
			continue
		}
		if k := slices.IndexFunc(w.storages[i].Events, is); k >= 0 {
			return event{i, k}, true
		}
	}
	return event{}, false
}

// after reports whether b has ended, by some chain of waits, when a starts.
func (w *waiting) after(a, b event) bool {
	seen, todo := map[event]bool{}, []event{a}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range w.direct[e] {
			if d == b {
				return true
			}
			if !seen[d] {
				seen[d] = true
				todo = append(todo, d)
			}
		}
	}
	return false
}

// slots checks that storages that share a staging slot are not in it together.
func (w *waiting) slots() (fs []Finding) {
	all := w.storages
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
	return w.refilled()
}

// refilled checks slots of storages without times: the next storage in a slot
// is written when the copy out of the one before it has ended.
func (w *waiting) refilled() []Finding {
	last := map[string]int{}
	for i := range w.storages {
		s := &w.storages[i]
		before, ok := last[s.Slot]
		if s.Slot == "" {
			continue
		}
		last[s.Slot] = i
		fill := slices.IndexFunc(s.Events, changes)
		if !ok || fill < 0 || timed(&s.Events[fill]) {
			continue
		}
		b := &w.storages[before]
		for k := range b.Events {
			if e := &b.Events[k]; e.Does == "copy-out" && !timed(e) && !w.after(event{i, fill}, event{before, k}) {
				return []Finding{{Field: eventField(i, fill), Related: []string{eventField(before, k)}, Help: "make it wait for the copy out of the one that had the slot",
					Summary: fmt.Sprintf("%s %s in slot %s, and nothing makes that wait for the copy out of %s", s.Name, done(&s.Events[fill]), s.Slot, b.Name)}}
			}
		}
	}
	return nil
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
