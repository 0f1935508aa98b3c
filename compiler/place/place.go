package place

import "github.com/gradcue/gradcue/compiler/ir"

// Result is the placed graph with the layout of its staging slots.
type Result struct {
	Graph     *ir.Graph
	IDs       []ir.ID               // where each value of the old graph went, ir.None when it is gone
	InSlot    []int64               // by ID: offset inside its slot
	SlotBytes [ir.NumSections]int64 // H: bytes of one slot, per section that stages
	Slots     int                   // S
	Idle      []int                 // blocks whose offload moves nothing: their slot is never needed by another
}

// align keeps every staged tensor at the granularity of the arena.
const align = 256

// Apply returns a new graph with the decisions carried out.
func Apply(g *ir.Graph, d *Decision) *Result {
	p := &placer{rw: ir.NewRewriter(g), g: g, d: d, res: &Result{Slots: d.Slots}}
	p.survey()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Op == ir.OpLeaf:
			p.leaf(i)
		case n.Section == ir.Micro && n.Phase == ir.Forward:
			p.forward(i)
		case n.Section == ir.Micro && n.Phase == ir.Backward:
			p.backward(i)
		case p.streams(n):
			p.step(i)
		default:
			if step := p.follows(n); step >= 0 {
				p.after[step] = append(p.after[step], i)
			} else {
				p.rw.Copy(i)
			}
		}
	}
	p.flushMoments()
	p.res.Graph, p.res.IDs = p.rw.New, p.rw.IDs
	for len(p.res.InSlot) < len(p.rw.New.Values) {
		p.res.InSlot = append(p.res.InSlot, 0)
	}
	return p.res
}

// placer is the state of one rewrite.
type placer struct {
	rw  *ir.Rewriter
	g   *ir.Graph
	d   *Decision
	res *Result

	rank   []int // by layer: position among the offloaded blocks, -1 for none
	ranked []int // layers by rank
	lastF  []int // by layer: last forward node (old index)
	lastB  []int // by layer: last backward node (old index)

	entered int       // layer whose forward is being copied, -1 before the first
	out     [][]int   // by rank: copy.out nodes (new index)
	staged  [][]stage // by rank: what is in its slot
	back    map[ir.ID]ir.ID
	again   map[ir.ID]ir.ID // recomputed in the current block; read only for what is not there
	layer   int             // block whose backward is being copied

	steps []int         // pending optimizer nodes whose moments stream (old index)
	after map[int][]int // nodes that read what a pending one will have written
}

// stage is one result in a slot.
type stage struct {
	old  ir.ID // value of the old graph
	slot ir.ID // its value in the slot (new)
	host ir.ID // after the copy out (new), ir.None when it stays
}

// survey finds the offloaded blocks and the ends of each block's passes.
func (p *placer) survey() {
	layers := len(p.d.Block)
	p.rank = make([]int, layers)
	p.lastF, p.lastB = make([]int, layers), make([]int, layers)
	for l, row := range p.d.Block {
		p.rank[l] = -1
		for _, c := range row {
			if c == Host {
				p.rank[l] = len(p.ranked)
				p.ranked = append(p.ranked, l)
				break
			}
		}
	}
	for i := range p.g.Nodes {
		n := &p.g.Nodes[i]
		if n.Layer < 0 || n.Section != ir.Micro {
			continue
		}
		switch n.Phase {
		case ir.Forward:
			p.lastF[n.Layer] = i
		case ir.Backward:
			p.lastB[n.Layer] = i
		}
	}
	p.out = make([][]int, len(p.ranked))
	p.staged = make([][]stage, len(p.ranked))
	p.back, p.again, p.after = map[ir.ID]ir.ID{}, map[ir.ID]ir.ID{}, map[int][]int{}
	p.entered, p.layer = -1, -1
	for r := max(0, len(p.ranked)-p.d.Slots); r < len(p.ranked); r++ {
		p.res.Idle = append(p.res.Idle, p.ranked[r])
	}
}

// moves reports whether the block of a rank is copied out and back.
func (p *placer) moves(rank int) bool { return rank < len(p.ranked)-p.d.Slots }

// inSlot records the offset of a value inside its slot.
func (p *placer) inSlot(id ir.ID, offset int64) {
	for len(p.res.InSlot) <= int(id) {
		p.res.InSlot = append(p.res.InSlot, 0)
	}
	p.res.InSlot[id] = offset
}

func up(n int64) int64 { return (n + align - 1) / align * align }
