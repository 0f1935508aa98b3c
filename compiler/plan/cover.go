package plan

import (
	"slices"
	"sort"

	"github.com/gradcue/gradcue/compiler/ir"
)

// cover says which buffer occupies which bytes. The arenas, one after the
// other, are cut at every boundary of a buffer; a segment tree over these cuts
// holds in each node the one buffer that occupies all of it, or mixed. Setting
// a range takes O(log n); looking at a range takes O(log n) and one step for
// each run of one occupant.
type cover struct {
	cuts []int64
	from []int32 // by buffer: index of its first and of its end cut
	to   []int32
	node []int32
	size int32
}

const (
	free  int32 = -1
	mixed int32 = -2
)

// newCover cuts the arenas at the buffers of pick; no other may be used.
func newCover(p *Plan, pick func(i int) bool) *cover {
	c := &cover{from: make([]int32, len(p.Buffers)), to: make([]int32, len(p.Buffers)), size: 1}
	for i := range p.Buffers {
		if pick(i) {
			start := address(p, i)
			c.cuts = append(c.cuts, start, start+p.Buffers[i].Bytes)
		}
	}
	slices.Sort(c.cuts)
	c.cuts = slices.Compact(c.cuts)
	for i := range p.Buffers {
		if pick(i) {
			start := address(p, i)
			c.from[i], c.to[i] = c.cut(start), c.cut(start+p.Buffers[i].Bytes)
		}
	}
	for int(c.size) < len(c.cuts) {
		c.size *= 2
	}
	c.node = make([]int32, 2*c.size)
	c.set(0, c.size, free)
	return c
}

// address is an offset in one space for all arenas.
func address(p *Plan, i int) int64 {
	b := &p.Buffers[i]
	if b.Tier == ir.Host.String() {
		return p.Arenas[ir.Device].Bytes + b.Offset
	}
	return b.Offset
}

func (c *cover) cut(at int64) int32 {
	return int32(sort.Search(len(c.cuts), func(i int) bool { return c.cuts[i] >= at }))
}

// put makes buffer i the occupant of its bytes; remove makes them free.
func (c *cover) put(i int)    { c.set(c.from[i], c.to[i], int32(i)) }
func (c *cover) remove(i int) { c.set(c.from[i], c.to[i], free) }

// occupants calls f with each occupant of the bytes of buffer i, by address,
// until f returns false; one that lies there in pieces comes several times.
func (c *cover) occupants(i int, f func(occupant int) bool) {
	c.visit(1, 0, c.size, c.from[i], c.to[i], f)
}

func (c *cover) set(lo, hi, v int32) { c.assign(1, 0, c.size, lo, hi, v) }

func (c *cover) assign(n, nlo, nhi, lo, hi, v int32) {
	if hi <= nlo || nhi <= lo {
		return
	}
	if lo <= nlo && nhi <= hi {
		c.node[n] = v
		return
	}
	if u := c.node[n]; u != mixed {
		if u == v {
			return
		}
		c.node[2*n], c.node[2*n+1] = u, u
	}
	mid := (nlo + nhi) / 2
	c.assign(2*n, nlo, mid, lo, hi, v)
	c.assign(2*n+1, mid, nhi, lo, hi, v)
	if a := c.node[2*n]; a == c.node[2*n+1] {
		c.node[n] = a // uniform, or mixed in both halves
	} else {
		c.node[n] = mixed
	}
}

func (c *cover) visit(n, nlo, nhi, lo, hi int32, f func(int) bool) bool {
	if hi <= nlo || nhi <= lo || c.node[n] == free {
		return true
	}
	if u := c.node[n]; u != mixed {
		return f(int(u))
	}
	mid := (nlo + nhi) / 2
	return c.visit(2*n, nlo, mid, lo, hi, f) && c.visit(2*n+1, mid, nhi, lo, hi, f)
}
