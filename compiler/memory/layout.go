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
// the host after their section and so keep their bytes for the whole run. once
// says that micro runs once a window, so that no gradient is continued: one holds
// nothing before it is stored, and its bytes are for activations until then,
// where that makes the arena smaller.
func Plan(s *order.Schedule, placed *place.Result, outputs []ir.ID, workers int, once bool) *Layout {
	l := &layouter{s: s, g: s.Graph, placed: placed, out: &Layout{}, storage: s.Graph.Storages(), workers: workers}
	l.values()
	for _, id := range outputs {
		l.persistent[l.storage[id]] = true
	}
	if once {
		l.late()
	}
	l.fixed()
	l.regions()
	for sec := range l.s.Sections {
		l.section(ir.Section(sec))
	}
	l.arrange()
	for sec := range l.s.Sections {
		l.staged(ir.Section(sec))
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
	workers    int
	from       []int                   // by ID: command of micro that a persistent value begins with, 0 for the start
	begin      []int                   // buffers of those that begin with a command
	region     [ir.NumSections]int     // buffer index of the staging region, -1 for none
	members    [ir.NumSections][]int   // buffers of a section that are to be packed
	slots      [ir.NumSections][]ir.ID // values inside staging slots
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
	l.from = make([]int, len(l.g.Values))
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

// late finds the gradients that begin with a command of micro: one that stores
// them anew, and is the first to touch them.
func (l *layouter) late() {
	touched := make([]bool, len(l.g.Values))
	for at, it := range l.s.Sections[ir.Micro] {
		if it.Node < 0 {
			continue
		}
		n := &l.g.Nodes[it.Node]
		for k, id := range n.Results {
			v := &l.g.Values[l.storage[id]]
			if n.Op.Info().Results[k].Anew && !touched[l.storage[id]] && v.Class == ir.Gradient && v.Tier == ir.Device {
				l.from[l.storage[id]] = at
			}
		}
		for _, ids := range [][]ir.ID{n.Args, n.Results} {
			for _, id := range ids {
				if id != ir.None {
					touched[l.storage[id]] = true
				}
			}
		}
	}
}

// fixed places what outlives the sections, tier by tier in graph order, but for
// what begins with a command.
func (l *layouter) fixed() {
	for i := range l.g.Values {
		id := ir.ID(i)
		if !l.persistent[id] || l.storage[id] != id {
			continue
		}
		v := &l.g.Values[id]
		b := l.buffer(id)
		b.Run, b.From = true, l.from[id]
		if b.From == 0 {
			b.Offset = l.out.Arenas[v.Tier]
			l.out.Arenas[v.Tier] += up(b.Bytes)
		}
		l.out.BufferOf[id] = l.add(b)
		if b.From > 0 {
			l.begin = append(l.begin, l.out.BufferOf[id])
		}
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

// section makes the buffers of one section's transients and scratch space.
func (l *layouter) section(sec ir.Section) {
	put := func(b int) { l.members[sec] = append(l.members[sec], b) }
	if r := l.region[sec]; r >= 0 {
		put(r)
	}
	items := l.s.Sections[sec]
	l.out.Work[sec] = make([]int, len(items))
	for at, it := range items {
		if it.Node < 0 {
			continue
		}
		n := &l.g.Nodes[it.Node]
		for _, id := range n.Results {
			switch {
			case l.storage[id] != id || l.persistent[id]:
			case l.g.Values[id].Slot > 0:
				l.slots[sec] = append(l.slots[sec], id)
			default:
				b := l.buffer(id)
				b.Section, b.First, b.Last = int(sec), l.life[id].first, l.life[id].last
				l.out.BufferOf[id] = l.add(b)
				put(l.out.BufferOf[id])
			}
		}
		if w := n.Op.Workspace(n.Attr, l.g.ArgTypes(n), l.workers); w > 0 {
			w = (w + 3) / 4 * 4
			b := l.add(plan.Buffer{Name: n.Op.String() + ".work", Class: ir.Workspace.String(), Tier: ir.Device.String(), DType: ir.F32.String(),
				Shape: []int{int(w / 4)}, Bytes: w, Section: int(sec), First: at, Last: at})
			put(b)
			l.out.Work[sec][at] = b + 1
		}
	}
}

// staged places the values in staging slots, once their region has its place.
func (l *layouter) staged(sec ir.Section) {
	for _, id := range l.slots[sec] {
		l.slot(sec, id)
	}
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
