package null

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// clock is, for each stream, the number of its last command known to be done.
type clock [plan.NumStreams]int

func (c *clock) join(o clock) {
	for s, n := range o {
		c[s] = max(c[s], n)
	}
}

// moment is a command at work: its stream, its number in the section, and what
// its stream knows to be done.
type moment struct {
	stream plan.Stream
	number int
	knows  *clock
}

// cell is a range of bytes that no buffer's boundary cuts.
type cell struct {
	owner  int32 // buffer whose value is there, -1 for none
	writer plan.Stream
	wrote  int   // number of the last write in this run of the section
	reads  clock // number of the last read of each stream, since then or not
}

// ranges is every cell of every arena, and where each buffer lies among them.
type ranges struct {
	p      *plan.Plan
	cells  []cell
	from   []int
	to     []int
	region []bool
}

func newRanges(p *plan.Plan) *ranges {
	r := &ranges{p: p, from: make([]int, len(p.Buffers)), to: make([]int, len(p.Buffers)), region: make([]bool, len(p.Buffers))}
	for i := range p.Buffers {
		if in := p.Buffers[i].In; in > 0 {
			r.region[in-1] = true
		}
	}
	for tier := range ir.NumTiers {
		var cuts []int64
		members := r.members(tier)
		for _, i := range members {
			cuts = append(cuts, p.Buffers[i].Offset, p.Buffers[i].Offset+p.Buffers[i].Bytes)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		base := len(r.cells)
		for _, i := range members {
			first, _ := slices.BinarySearch(cuts, p.Buffers[i].Offset)
			end, _ := slices.BinarySearch(cuts, p.Buffers[i].Offset+p.Buffers[i].Bytes)
			r.from[i], r.to[i] = base+first, base+end
		}
		for range cuts {
			r.cells = append(r.cells, cell{owner: -1})
		}
	}
	return r
}

// members are the buffers of a tier that a command can name.
func (r *ranges) members(tier ir.Tier) (list []int) {
	for i := range r.p.Buffers {
		if r.p.Buffers[i].Tier == tier.String() && !r.region[i] {
			list = append(list, i)
		}
	}
	return list
}

func (r *ranges) of(b int) []cell { return r.cells[r.from[b]:r.to[b]] }

// claim gives buffer b its bytes; the answer is an owner that was there, or -1.
func (r *ranges) claim(b int) int {
	for i := range r.of(b) {
		c := &r.of(b)[i]
		if c.owner >= 0 {
			return int(c.owner)
		}
		c.owner = int32(b)
	}
	return -1
}

// begin starts a section: what was touched before is done, and values that do
// not live on into it are gone.
func (r *ranges) begin(sec ir.Section) {
	for i := range r.cells {
		c := &r.cells[i]
		c.wrote, c.reads = 0, clock{}
		if c.owner < 0 {
			continue
		}
		if b := &r.p.Buffers[c.owner]; !b.Run || sec == ir.Micro && b.From > 0 {
			c.owner = -1
		}
	}
}

// holds reports an error unless all bytes of b hold its value.
func (r *ranges) holds(b int) error {
	for _, c := range r.of(b) {
		if c.owner == int32(b) {
			continue
		}
		if c.owner < 0 {
			return fmt.Errorf("buffer %d %q is read before it is written", b, r.p.Buffers[b].Name)
		}
		return fmt.Errorf("buffer %d %q is read after %d %q was written over it", b, r.p.Buffers[b].Name,
			c.owner, r.p.Buffers[c.owner].Name)
	}
	return nil
}

func (r *ranges) read(b int, at moment) error {
	if err := r.holds(b); err != nil {
		return err
	}
	cells := r.of(b)
	for i := range cells {
		c := &cells[i]
		if err := r.done(b, at, c.writer, c.wrote, "written"); err != nil {
			return err
		}
		c.reads[at.stream] = at.number
	}
	return nil
}

func (r *ranges) write(b int, at moment) error {
	cells := r.of(b)
	for i := range cells {
		c := &cells[i]
		if c.owner >= 0 && c.owner != int32(b) && (c.reads[at.stream] == at.number || c.wrote == at.number) {
			return fmt.Errorf("buffer %d %q is written over %d %q, another operand of the command", b, r.p.Buffers[b].Name,
				c.owner, r.p.Buffers[c.owner].Name)
		}
		if err := r.done(b, at, c.writer, c.wrote, "written"); err != nil {
			return err
		}
		for s, n := range c.reads {
			if err := r.done(b, at, plan.Stream(s), n, "read"); err != nil {
				return err
			}
		}
		c.owner, c.writer, c.wrote = int32(b), at.stream, at.number
	}
	return nil
}

// spoil marks the bytes of scratch space as nobody's value.
func (r *ranges) spoil(b int) {
	for i := range r.of(b) {
		r.of(b)[i].owner = -1
	}
}

// done wants command number n of stream s to be done before the moment.
func (r *ranges) done(b int, at moment, s plan.Stream, n int, what string) error {
	if n == 0 || s == at.stream || n <= at.knows[s] {
		return nil
	}
	return fmt.Errorf("buffer %d %q: its bytes are %s by command %d on stream %s, which no event orders before this one",
		b, r.p.Buffers[b].Name, what, n-1, s)
}
