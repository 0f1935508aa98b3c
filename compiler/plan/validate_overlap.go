package plan

import (
	"cmp"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
)

// overlaps checks that two buffers which live at one time share no byte. Values
// inside staging regions are looked at on their own: their region stands for
// them among the others.
func (c *checker) overlaps() {
	c.overlapsOf(func(i int) bool { return c.p.Buffers[i].In == 0 })
	c.overlapsOf(func(i int) bool { return c.p.Buffers[i].In != 0 })
}

// overlapsOf sweeps over the commands of each section: buffers enter at the first
// command of their life and leave after the last; persistent ones are there from
// the start, but for those that hold nothing before a command of micro.
func (c *checker) overlapsOf(pick func(i int) bool) {
	space := newCover(c.p, pick)
	bySection := make([][]int, len(c.p.Sections))
	for i := range c.p.Buffers {
		b := &c.p.Buffers[i]
		switch {
		case !pick(i):
		case b.Run && b.From == 0:
			c.enter(space, i)
		case b.Run:
			for s := range bySection {
				bySection[s] = append(bySection[s], i)
			}
		default:
			bySection[b.Section] = append(bySection[b.Section], i)
		}
	}
	for s, entering := range bySection {
		c.sweep(space, ir.Section(s), entering)
	}
}

// sweep lets the buffers of one section enter and leave.
func (c *checker) sweep(space *cover, s ir.Section, entering []int) {
	bs := c.p.Buffers
	n := len(c.p.Sections[s].Commands)
	first := func(i int) int { f, _, _ := bs[i].Lives(s, n); return f }
	last := func(i int) int { _, l, _ := bs[i].Lives(s, n); return l }
	leaving := slices.Clone(entering)
	slices.SortStableFunc(entering, func(i, j int) int { return cmp.Compare(first(i), first(j)) })
	slices.SortStableFunc(leaving, func(i, j int) int { return cmp.Compare(last(i), last(j)) })
	refused := make(map[int]bool) // those that could not enter; they need not leave
	gone := 0
	leave := func() {
		if i := leaving[gone]; !refused[i] {
			space.remove(i)
		}
		gone++
	}
	for _, i := range entering {
		for gone < len(leaving) && last(leaving[gone]) < first(i) {
			leave()
		}
		if !c.enter(space, i) {
			refused[i] = true
		}
	}
	for gone < len(leaving) {
		leave()
	}
}

// enter puts a buffer into free space, or reports who is there.
func (c *checker) enter(space *cover, i int) bool {
	before := -1
	space.occupants(i, func(o int) bool {
		before = o
		return false
	})
	if before >= 0 {
		c.add("plan.overlap", c.buffer(i), "shares bytes with %s while both live", c.buffer(before))
		return false
	}
	space.put(i)
	return true
}
