package memory

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/order"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Layout is where every value lives.
type Layout struct {
	Buffers  []plan.Buffer
	Arenas   [ir.NumTiers]int64
	BufferOf []int                 // by ID, -1 for a value that does not exist at run time
	Work     [ir.NumSections][]int // by command: buffer index+1 of its scratch space, 0 for none
}

// Plan lays out a schedule for a number of workers. Values in outputs are read by
// the host after their section and so keep their bytes for the whole run.
func Plan(s *order.Schedule, placed *place.Result, outputs []ir.ID, workers int) *Layout {
	l := &layouter{s: s, g: s.Graph, placed: placed, out: &Layout{}, storage: s.Graph.Storages()}
	l.values()
	for _, id := range outputs {
		l.persistent[l.storage[id]] = true
	}
	l.fixed()
	l.regions()
	base := l.out.Arenas[ir.Device]
	for sec := range l.s.Sections {
		end := l.section(ir.Section(sec), base, workers)
		l.out.Arenas[ir.Device] = max(l.out.Arenas[ir.Device], end)
	}
	l.aliases()
	return l.out
}

type layouter struct {
	s          *order.Schedule
	g          *ir.Graph
	placed     *place.Result
	out        *Layout
	storage    []ir.ID // by ID
	persistent []bool
	life       []life
	region     [ir.NumSections]int // buffer index of the staging region, -1 for none
}

// life is the use of a storage inside its section.
type life struct {
	used        bool
	first, last int
}

// values finds the life of every storage.
func (l *layouter) values() {
	l.persistent = make([]bool, len(l.g.Values))
	l.life = make([]life, len(l.g.Values))
	l.out.BufferOf = make([]int, len(l.g.Values))
	for i := range l.out.BufferOf {
		l.out.BufferOf[i] = -1
		l.persistent[i] = l.g.Nodes[l.g.Values[i].Node].Op == ir.OpLeaf
	}
	for _, items := range l.s.Sections {
		for at, it := range items {
			if it.Node < 0 {
				continue
			}
			n := &l.g.Nodes[it.Node]
			for _, ids := range [][]ir.ID{n.Args, n.Results} {
				for _, id := range ids {
					if id != ir.None {
						l.use(l.storage[id], at)
					}
				}
			}
		}
	}
}

func (l *layouter) use(id ir.ID, at int) {
	f := &l.life[id]
	if !f.used {
		*f = life{true, at, at}
	}
	f.last = max(f.last, at)
}

// name tells a block's result from those of other blocks; state of a parameter
// has the parameter's canonical name, which does that already.
func (l *layouter) name(v *ir.Value) string {
	if v.Layer >= 0 && l.g.Nodes[v.Node].Op != ir.OpLeaf && !strings.HasPrefix(v.Name, "blocks.") {
		return fmt.Sprintf("blocks.%d.%s", v.Layer, v.Name)
	}
	return v.Name
}

func (l *layouter) buffer(id ir.ID) plan.Buffer {
	v := &l.g.Values[id]
	return plan.Buffer{Name: l.name(v), Class: v.Class.String(), Tier: v.Tier.String(), DType: v.Type.DType.String(),
		Shape: v.Type.Shape, Bytes: v.Type.Bytes()}
}

func (l *layouter) add(b plan.Buffer) int {
	l.out.Buffers = append(l.out.Buffers, b)
	return len(l.out.Buffers) - 1
}

// fixed places what outlives the sections, tier by tier in graph order.
func (l *layouter) fixed() {
	for i := range l.g.Values {
		id := ir.ID(i)
		if !l.persistent[id] || l.storage[id] != id {
			continue
		}
		v := &l.g.Values[id]
		b := l.buffer(id)
		b.Run, b.Offset = true, l.out.Arenas[v.Tier]
		l.out.Arenas[v.Tier] += up(b.Bytes)
		l.out.BufferOf[id] = l.add(b)
	}
}

// regions adds the staging region of each section that has one.
func (l *layouter) regions() {
	for sec := range l.region {
		l.region[sec] = -1
		h := l.placed.SlotBytes[sec]
		if h == 0 || len(l.s.Sections[sec]) == 0 {
			continue
		}
		n := h * int64(l.placed.Slots)
		l.region[sec] = l.add(plan.Buffer{Name: "staging." + ir.Section(sec).String(), Class: ir.Staging.String(), Tier: ir.Device.String(),
			DType: ir.F32.String(), Shape: []int{int(n / 4)}, Bytes: n, Section: sec, First: 0, Last: len(l.s.Sections[sec]) - 1})
	}
}

// section packs the transients of one section above base and returns their end.
func (l *layouter) section(sec ir.Section, base int64, workers int) int64 {
	var is []Interval
	var bufs []int
	put := func(b int) {
		bufs = append(bufs, b)
		is = append(is, Interval{l.out.Buffers[b].First, l.out.Buffers[b].Last, l.out.Buffers[b].Bytes})
	}
	if r := l.region[sec]; r >= 0 {
		put(r)
	}
	items := l.s.Sections[sec]
	l.out.Work[sec] = make([]int, len(items))
	var slots []ir.ID
	for at, it := range items {
		if it.Node < 0 {
			continue
		}
		n := &l.g.Nodes[it.Node]
		for _, id := range n.Results {
			switch {
			case l.storage[id] != id || l.persistent[id]:
			case l.g.Values[id].Slot > 0:
				slots = append(slots, id)
			default:
				b := l.buffer(id)
				b.Section, b.First, b.Last = int(sec), l.life[id].first, l.life[id].last
				l.out.BufferOf[id] = l.add(b)
				put(l.out.BufferOf[id])
			}
		}
		if w := n.Op.Workspace(n.Attr, l.g.ArgTypes(n), workers); w > 0 {
			w = (w + 3) / 4 * 4
			b := l.add(plan.Buffer{Name: n.Op.String() + ".work", Class: ir.Workspace.String(), Tier: ir.Device.String(), DType: ir.F32.String(),
				Shape: []int{int(w / 4)}, Bytes: w, Section: int(sec), First: at, Last: at})
			put(b)
			l.out.Work[sec][at] = b + 1
		}
	}
	offsets, size := Pack(is)
	for k, b := range bufs {
		l.out.Buffers[b].Offset = base + offsets[k]
	}
	for _, id := range slots {
		l.slot(sec, id)
	}
	return base + size
}

// slot places a value inside its staging slot.
func (l *layouter) slot(sec ir.Section, id ir.ID) {
	region := l.out.Buffers[l.region[sec]]
	b := l.buffer(id)
	b.Class = ir.Staging.String()
	b.In = l.region[sec] + 1
	b.Section, b.First, b.Last = int(sec), l.life[id].first, l.life[id].last
	b.Offset = region.Offset + int64(l.g.Values[id].Slot-1)*l.placed.SlotBytes[sec] + l.placed.InSlot[id]
	l.out.BufferOf[id] = l.add(b)
}

// aliases gives every value the buffer of its storage.
func (l *layouter) aliases() {
	for i := range l.g.Values {
		l.out.BufferOf[i] = l.out.BufferOf[l.storage[i]]
	}
}
