package memory

import (
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
)

// arrange places the transients of every section after what is fixed. Gradients
// that begin with a command of micro are packed with its transients and keep
// their place in the other sections; where that needs no less, they are held from
// the start, below the transients. Scratch space has no say in which, so that all
// targets and numbers of workers agree on what lives when.
func (l *layouter) arrange() {
	fixed := l.out.Arenas[ir.Device]
	below := fixed
	for _, b := range l.begin {
		below += up(l.out.Buffers[b].Bytes)
	}
	if l.demand(l.begin) < below-fixed+l.demand(nil) {
		l.out.Arenas[ir.Device] = l.pack(fixed, l.begin)
		return
	}
	for _, b := range l.begin {
		l.out.Buffers[b].From, l.out.Buffers[b].Offset = 0, fixed
		fixed += up(l.out.Buffers[b].Bytes)
	}
	l.out.Arenas[ir.Device] = l.pack(fixed, nil)
}

// demand is the most bytes that live at one time besides what is fixed and scratch
// space, with the buffers that begin in micro.
func (l *layouter) demand(begin []int) (most int64) {
	held := int64(0)
	for _, b := range begin {
		held += up(l.out.Buffers[b].Bytes)
	}
	for sec, members := range l.members {
		var is []Interval
		for _, b := range members {
			if l.out.Buffers[b].Class != ir.Workspace.String() {
				is = append(is, l.interval(b))
			}
		}
		if ir.Section(sec) != ir.Micro {
			most = max(most, held+alive(is))
			continue
		}
		for _, b := range begin {
			is = append(is, l.interval(b))
		}
		most = max(most, alive(is))
	}
	return most
}

// interval is the life of a buffer of a section, or of one that begins in micro.
func (l *layouter) interval(b int) Interval {
	u := &l.out.Buffers[b]
	if u.Run {
		return Interval{u.From, len(l.s.Sections[ir.Micro]) - 1, u.Bytes}
	}
	return Interval{u.First, u.Last, u.Bytes}
}

// pack packs every section above base, micro together with the buffers that begin
// in it, and returns the size of the arena.
func (l *layouter) pack(base int64, begin []int) (size int64) {
	size = base
	put := func(bufs []int, taken []Range) {
		is := make([]Interval, len(bufs))
		for k, b := range bufs {
			is[k] = l.interval(b)
		}
		offsets, n := Pack(is, taken...)
		for k, b := range bufs {
			l.out.Buffers[b].Offset = base + offsets[k]
		}
		size = max(size, base+n)
	}
	put(slices.Concat(l.members[ir.Micro], begin), nil)
	var taken []Range
	for _, b := range begin {
		u := &l.out.Buffers[b]
		taken = append(taken, Range{u.Offset - base, u.Bytes})
	}
	for sec, members := range l.members {
		if ir.Section(sec) != ir.Micro {
			put(members, taken)
		}
	}
	return size
}
