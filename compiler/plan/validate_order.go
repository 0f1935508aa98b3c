package plan

import (
	"github.com/gradcue/gradcue/compiler/ir"
)

// clock is what a stream knows of each stream: the number (from 1) of its last
// command in the list that has certainly completed. 0 is the section's start.
type clock [NumStreams]int32

// access is the history of one buffer in a section: its last write and, for
// each stream, its last read, as command numbers.
type access struct {
	write       int32
	writeStream Stream
	read        clock
	owns        bool // all its bytes are occupied by it
	valid       bool // and hold what it wrote
}

// order walks the commands of one section.
type order struct {
	*checker
	section ir.Section
	space   *cover
	state   []access // by buffer
	now     [NumStreams]clock
	events  map[int]clock
	number  int32 // of the current command
	stream  Stream
}

// orders checks for each section that every read finds what the same buffer
// wrote, and that conflicting accesses of two streams are ordered by events.
// List order is one of the orders in which the commands can run, as no event is
// waited for before it is recorded; with no race, all orders give the same.
func (c *checker) orders() {
	space := newCover(c.p, func(i int) bool { return !c.region[i] })
	for s := range c.p.Sections {
		o := &order{checker: c, section: ir.Section(s), space: space,
			state: make([]access, len(c.p.Buffers)), events: map[int]clock{}}
		o.start()
		for i := range c.p.Sections[s].Commands {
			o.number = int32(i + 1)
			o.step(&c.p.Sections[s].Commands[i])
		}
		o.finish()
	}
}

// start gives the space to the persistent buffers that hold something.
func (o *order) start() {
	o.space.set(0, o.space.size, free)
	for i := range o.p.Buffers {
		if b := &o.p.Buffers[i]; b.Run && !o.region[i] && (b.From == 0 || o.section != ir.Micro) {
			o.take(i)
			o.state[i].valid = true
		}
	}
}

func (o *order) step(m *Command) {
	o.stream = m.Stream
	now := &o.now[m.Stream]
	switch m.Kind {
	case Record:
		o.events[m.Event] = *now
		return
	case Wait:
		for s, n := range o.events[m.Event] {
			now[s] = max(now[s], n)
		}
		return
	}
	for _, b := range m.Args {
		if b >= 0 && !o.storeOnly(m, b) && !o.begins(b) {
			o.read(b)
		}
	}
	if m.Work > 0 {
		o.write(m.Work - 1)
		o.state[m.Work-1].valid = false
	}
	for _, b := range m.Results {
		o.write(b)
	}
	now[m.Stream] = o.number
}

// storeOnly reports whether an argument is only named as the place of the
// result: a copy to the host does not read the host.
func (o *order) storeOnly(m *Command, b int) bool {
	return m.Kind == Copy && len(m.Results) == 1 && m.Results[0] == b
}

// begins reports whether a buffer is an argument only as the place where its value begins: the first micro-batch of a window
// stores gradients and does not continue them.
func (o *order) begins(b int) bool {
	from := o.p.Buffers[b].From
	return from > 0 && o.section == ir.Micro && int(o.number-1) == from
}

func (o *order) read(b int) {
	a := &o.state[b]
	if !a.valid {
		o.add("plan.stale", o.command(o.section, int(o.number-1)), "reads %s, whose bytes it did not write or another buffer has overwritten", o.buffer(b))
		a.valid = true // once is enough
	}
	o.after(b, b, a.write, a.writeStream, "write")
	a.read[o.stream] = o.number
}

func (o *order) write(b int) {
	a := &o.state[b]
	if a.owns {
		o.afterAll(b, b)
	} else {
		o.take(b)
	}
	a.write, a.writeStream, a.read, a.valid = o.number, o.stream, clock{}, true
}

// take makes b the occupant of its bytes, after all accesses of those that were.
func (o *order) take(b int) {
	last := -1
	o.space.occupants(b, func(before int) bool {
		if before == last {
			return true
		}
		last = before
		o.afterAll(b, before)
		if before != b {
			o.state[before].owns, o.state[before].valid = false, false
		}
		return true
	})
	o.space.put(b)
	o.state[b].owns = true
}

// afterAll wants the current write of b to come after all accesses of before.
func (o *order) afterAll(b, before int) {
	a := &o.state[before]
	o.after(b, before, a.write, a.writeStream, "write")
	for s, n := range a.read {
		o.after(b, before, n, Stream(s), "read")
	}
}

// after wants command number n of stream s to have completed.
func (o *order) after(b, before int, n int32, s Stream, what string) {
	if s == o.stream || n <= o.now[o.stream][s] {
		return
	}
	o.add("plan.race", o.command(o.section, int(o.number-1)), "on stream %s touches %s, whose bytes %s may still %s as %s; no event orders the two",
		o.stream, o.buffer(b), o.command(o.section, int(n-1)), what, o.buffer(before))
}

// finish wants what the host reads after the section to be there.
func (o *order) finish() {
	in := o.p.Run.Inputs
	for _, b := range []int{in.TokenLoss, in.EvalLoss, in.Logits} {
		if b < 0 || o.p.Buffers[b].Run || ir.Section(o.p.Buffers[b].Section) != o.section || o.state[b].valid {
			continue
		}
		o.add("plan.stale", o.section.String(), "%s is read by the host afterwards and is not there", o.buffer(b))
	}
}
