package plan

import (
	"github.com/gradcue/gradcue/compiler/ir"
)

// buffers checks each buffer on its own, then regions.
func (c *checker) buffers() {
	p := c.p
	c.types = newTypeTable(len(p.Buffers))
	c.region = make([]bool, len(p.Buffers))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		c.kind(i, b)
		c.place(i, b)
		c.life(i, b)
		switch {
		case b.In == 0:
		case b.In < 1 || b.In > len(p.Buffers) || b.In-1 == i:
			c.add("plan.region", c.buffer(i), "in is %d, expected the index+1 of another buffer", b.In)
		default:
			c.region[b.In-1] = true
		}
	}
	for i := range p.Buffers {
		c.inside(i)
	}
}

// kind checks names and the bytes of a buffer and gives it its type.
func (c *checker) kind(i int, b *Buffer) {
	if _, err := ir.ParseClass(b.Class); err != nil {
		c.add("plan.buffer", c.buffer(i), "class is %.40q, expected a row of the ledger", b.Class)
	}
	if _, err := ir.ParseTier(b.Tier); err != nil {
		c.add("plan.buffer", c.buffer(i), "tier is %.40q, expected device or host", b.Tier)
	}
	d, err := ir.ParseDType(b.DType)
	if err != nil {
		c.add("plan.buffer", c.buffer(i), "dtype is %.40q, expected f32, f64, i32, bf16 or f16", b.DType)
		return
	}
	if len(b.Shape) > maxRank {
		c.add("plan.buffer", c.buffer(i), "shape has %d dimensions, at most %d are known", len(b.Shape), maxRank)
		return
	}
	want := d.Size()
	for _, n := range b.Shape {
		if n < 1 || int64(n) > MaxArena/want {
			c.add("plan.buffer", c.buffer(i), "shape %v has dimension %d, which is not positive or does not fit an arena", b.Shape, n)
			return
		}
		want *= int64(n)
	}
	if b.Bytes != want {
		c.add("plan.buffer", c.buffer(i), "bytes is %d, %s%v has %d", b.Bytes, d, b.Shape, want)
	}
	c.types.buffer(i, ir.Type{DType: d, Shape: b.Shape})
}

// place checks that a buffer lies inside its arena, without overflow.
func (c *checker) place(i int, b *Buffer) {
	if b.Offset < 0 || b.Offset%Align != 0 {
		c.add("plan.buffer", c.buffer(i), "offset is %d, expected a multiple of %d", b.Offset, Align)
		return
	}
	t, err := ir.ParseTier(b.Tier)
	if err != nil || int(t) >= len(c.p.Arenas) {
		return // reported already
	}
	if size := c.p.Arenas[t].Bytes; b.Bytes < 1 || b.Bytes > size || b.Offset > size-b.Bytes {
		c.add("plan.buffer", c.buffer(i), "%d bytes at offset %d leave the %s arena of %d", b.Bytes, b.Offset, t, size)
	}
}

// life checks that the life of a buffer names commands that exist.
func (c *checker) life(i int, b *Buffer) {
	if b.Run || b.From != 0 {
		c.late(i, b)
		return
	}
	if b.Section < 0 || b.Section >= len(c.p.Sections) {
		c.add("plan.life", c.buffer(i), "lives in section %d, the plan has %d", b.Section, len(c.p.Sections))
		return
	}
	if n := len(c.p.Sections[b.Section].Commands); b.First < 0 || b.First > b.Last || b.Last >= n {
		c.add("plan.life", c.buffer(i), "lives from command %d to %d, the section has %d", b.First, b.Last, n)
	}
}

// late checks a buffer that lives the whole run but holds nothing before a command of micro: it must be there that it is
// stored, in a section that runs once a window.
func (c *checker) late(i int, b *Buffer) {
	if b.From == 0 {
		return
	}
	if !b.Run || b.In != 0 {
		c.add("plan.life", c.buffer(i), "begins at command %d of micro, which is for buffers that live the whole run", b.From)
		return
	}
	if k := c.p.Run.Window.MicroBatches; k != 1 {
		c.add("plan.life", c.buffer(i), "begins at command %d of micro, but has to keep its value over %d micro-batches", b.From, k)
		return
	}
	if len(c.p.Sections) <= int(ir.Micro) || b.From < 0 || b.From >= len(c.p.Sections[ir.Micro].Commands) || !c.p.Sections[ir.Micro].Commands[b.From].begins(i) {
		c.add("plan.life", c.buffer(i), "begins at command %d of micro, which does not begin it", b.From)
	}
}

// begins reports whether the value of a buffer can begin with a command, although it is an argument.
func (m *Command) begins(b int) bool {
	op, err := ir.ParseOp(m.Op)
	if err != nil {
		return false
	}
	for k, r := range m.Results {
		if r == b && k < len(op.Info().Results) && op.Info().Results[k].Anew {
			return true
		}
	}
	return false
}

// inside checks a value of a staging region against the region.
func (c *checker) inside(i int) {
	p := c.p
	b := &p.Buffers[i]
	if b.In < 1 || b.In > len(p.Buffers) || b.In-1 == i {
		return
	}
	r := &p.Buffers[b.In-1]
	switch {
	case r.In != 0:
		c.add("plan.region", c.buffer(i), "its region %.60q is itself inside another", r.Name)
	case r.Tier != b.Tier:
		c.add("plan.region", c.buffer(i), "is on tier %.40q, its region %.60q on %.40q", b.Tier, r.Name, r.Tier)
	case b.Offset < r.Offset || r.Bytes < b.Bytes || b.Offset-r.Offset > r.Bytes-b.Bytes:
		c.add("plan.region", c.buffer(i), "leaves its region %.60q", r.Name)
	case r.From > 0:
		c.add("plan.region", c.buffer(i), "its region %.60q does not hold others from the start", r.Name)
	case r.Run:
	case b.Run || b.Section != r.Section || b.First < r.First || b.Last > r.Last:
		c.add("plan.region", c.buffer(i), "lives longer than its region %.60q", r.Name)
	}
}
