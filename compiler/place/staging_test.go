package place_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/place"
)

// staged is what a test reads off a placed graph about its staging slots.
type staged struct {
	t      *testing.T
	g      *ir.Graph
	r      *place.Result
	d      *place.Decision
	before []set
	ranked []int   // offloaded blocks in order
	rank   []int   // by layer, -1 for none
	out    [][]int // by rank: copies out
	in     [][]int // by rank: copies in
	fill   [][]int // by rank: forward nodes and copies that write the slot
	lastB  []int   // by layer: last node of its backward
	loss   int
}

func stage(t *testing.T, r *place.Result, d *place.Decision) *staged {
	s := &staged{t: t, g: r.Graph, r: r, d: d, before: forced(r.Graph), rank: make([]int, len(d.Block)), lastB: make([]int, len(d.Block))}
	for l, row := range d.Block {
		s.rank[l] = -1
		if slices.Contains(row, place.Host) {
			s.rank[l] = len(s.ranked)
			s.ranked = append(s.ranked, l)
		}
	}
	n := len(s.ranked)
	s.out, s.in, s.fill = make([][]int, n), make([][]int, n), make([][]int, n)
	for i := range s.g.Nodes {
		s.node(i)
	}
	return s
}

func (s *staged) node(i int) {
	n := &s.g.Nodes[i]
	if n.Section != ir.Micro || n.Op == ir.OpLeaf {
		return
	}
	if n.Op == ir.OpHeadLossGrad {
		s.loss = i
	}
	if n.Layer < 0 {
		return
	}
	r := s.rank[n.Layer]
	switch {
	case n.Op == ir.OpCopyOut:
		s.out[r] = append(s.out[r], i)
	case n.Op == ir.OpCopyIn:
		s.in[r] = append(s.in[r], i)
	case n.Phase == ir.Backward || n.Phase == ir.Recompute:
		s.lastB[n.Layer] = i
	default:
		for _, id := range n.Results {
			if s.g.Values[id].Slot > 0 {
				s.fill[r] = append(s.fill[r], i)
			}
		}
	}
}

// hosted is the number of results of a block that are on the host.
func (s *staged) hosted(layer int) (n int) {
	for _, c := range s.d.Block[layer] {
		if c == place.Host {
			n++
		}
	}
	return n
}

func (s *staged) want(ok bool, format string, args ...any) {
	s.t.Helper()
	if !ok {
		s.t.Errorf("S=%d %s: %s", s.d.Slots, rows(s.d), fmt.Sprintf(format, args...))
	}
}

// rules holds the graph against R1 to R4 of the placement's semantics.
func (s *staged) rules() {
	s.t.Helper()
	moving := max(0, len(s.ranked)-s.d.Slots)
	for r, layer := range s.ranked {
		s.want(len(s.fill[r]) == s.hosted(layer), "block %d writes its slot %d times", layer, len(s.fill[r]))
		copies := s.hosted(layer)
		if r >= moving {
			copies = 0 // what is still in its slot is not moved
		}
		s.want(len(s.out[r]) == copies && len(s.in[r]) == copies, "block %d has %d copies out and %d in, want %d", layer, len(s.out[r]), len(s.in[r]), copies)
		for _, i := range slices.Concat(s.fill[r], s.in[r]) {
			for _, id := range s.g.Nodes[i].Results {
				if v := &s.g.Values[id]; v.Slot > 0 {
					s.want(v.Slot == r%s.d.Slots+1 && v.Class == ir.Staging, "%s of block %d is in slot %d as %v", v.Name, layer, v.Slot-1, v.Class)
				}
			}
		}
		if r >= s.d.Slots { // the slot is free: R1
			for _, w := range s.fill[r] {
				for _, o := range s.out[r-s.d.Slots] {
					s.want(s.before[w].has(o), "block %d fills its slot before block %d has left it", layer, s.ranked[r-s.d.Slots])
				}
			}
		}
		for _, o := range s.out[r] { // R2
			s.want(s.before[s.loss].has(o), "the loss does not wait for the copy out of block %d", layer)
		}
		for _, i := range s.in[r] { // R3
			s.copyIn(r, i)
		}
	}
}

// copyIn wants a copy in to be issued when backward of the slot's last user ends,
// and before the next backward begins.
func (s *staged) copyIn(r, i int) {
	user := s.ranked[r+s.d.Slots]
	end := s.lastB[user]
	s.want(s.before[i].has(end), "block %d comes back before backward of block %d has ended", s.ranked[r], user)
	for _, o := range s.out[r] {
		if s.g.Nodes[o].Results[0] == s.g.Nodes[i].Args[0] {
			s.want(s.before[i].has(o), "block %d comes back before it has left", s.ranked[r])
		}
	}
	for k := end + 1; k < i; k++ {
		s.want(s.g.Nodes[k].Op == ir.OpCopyIn, "%v is issued between the end of block %d and the copy in of block %d", s.g.Nodes[k].Op, user, s.ranked[r])
	}
}

// reads wants every result on the host to be read in backward out of its slot,
// from the copy in where there is one.
func (s *staged) reads() {
	s.t.Helper()
	moving := max(0, len(s.ranked)-s.d.Slots)
	for i := range s.g.Nodes {
		n := &s.g.Nodes[i]
		if n.Phase != ir.Backward && n.Phase != ir.Recompute {
			continue
		}
		for _, a := range n.Args {
			if a == ir.None {
				continue
			}
			v := &s.g.Values[a]
			from := &s.g.Nodes[v.Node]
			if from.Section != ir.Micro || from.Phase == ir.Backward || s.d.Of(v.Layer, v.Name) != place.Host || from.Phase == ir.Recompute {
				continue
			}
			s.want(v.Slot > 0, "%v reads %s of block %d where it was made", n.Op, v.Name, v.Layer)
			back := from.Op == ir.OpCopyIn
			s.want(back == (s.rank[v.Layer] < moving), "%v reads %s of block %d from %v", n.Op, v.Name, v.Layer, from.Op)
		}
	}
}

// layout wants the values of a slot to lie beside each other and a slot to be
// as big as the largest block needs.
func (s *staged) layout() {
	s.t.Helper()
	most := int64(0)
	for r := range s.ranked {
		type span struct{ from, to int64 }
		var spans []span
		for _, i := range s.fill[r] {
			for _, id := range s.g.Nodes[i].Results {
				if v := &s.g.Values[id]; v.Slot > 0 && !slices.Contains(spans, span{s.r.InSlot[id], s.r.InSlot[id] + v.Type.Bytes()}) {
					spans = append(spans, span{s.r.InSlot[id], s.r.InSlot[id] + v.Type.Bytes()})
				}
			}
		}
		slices.SortFunc(spans, func(a, b span) int { return int(a.from - b.from) })
		end := int64(0)
		for _, p := range spans {
			s.want(p.from%256 == 0 && p.from >= end, "values of block %d overlap in their slot: %v", s.ranked[r], spans)
			end = p.to
		}
		s.want(len(spans) == s.hosted(s.ranked[r]), "block %d has %d places in its slot, want %d", s.ranked[r], len(spans), s.hosted(s.ranked[r]))
		most = max(most, (end+255)/256*256)
	}
	s.want(s.r.SlotBytes[ir.Micro] == most, "a slot has %d bytes, the largest block needs %d", s.r.SlotBytes[ir.Micro], most)
}

func TestStaging(t *testing.T) {
	all := strings.Repeat("h", 9)
	input := "h" + strings.Repeat("r", 8)
	none := strings.Repeat("k", 9)
	for _, c := range []struct {
		name string
		row  func(layer int) string
		idle map[int][]int // by S: blocks that move nothing
	}{
		{"every result of every block", same(all), map[int][]int{1: {4}, 2: {3, 4}, 3: {2, 3, 4}}},
		{"inputs of recomputed blocks", same(input), map[int][]int{1: {4}, 2: {3, 4}, 3: {2, 3, 4}}},
		{"att and fc", same("kkkhkkkhk"), map[int][]int{1: {4}, 2: {3, 4}, 3: {2, 3, 4}}},
		{"every second block", func(l int) string { return []string{all, none}[l%2] }, map[int][]int{1: {4}, 2: {2, 4}, 3: {0, 2, 4}}},
		{"blocks of different size", func(l int) string { return []string{input, all, none, "kkkkkkkhk", all}[l] }, map[int][]int{1: {4}, 2: {3, 4}, 3: {1, 3, 4}}},
		{"one block", func(l int) string { return map[bool]string{false: none, true: all}[l == 2] }, map[int][]int{1: {2}, 2: {2}, 3: {2}}},
		{"no block", same(none), map[int][]int{1: nil, 2: nil, 3: nil}},
	} {
		for slots := 1; slots <= 3; slots++ {
			for _, cfg := range []model.Config{gpt(5), llama(5)} {
				d := decision(cfg, slots, c.row)
				r := apply(t, unplaced(t, cfg, adamW), d)
				s := stage(t, r, d)
				s.rules()
				s.reads()
				s.layout()
				if !slices.Equal(r.Idle, c.idle[slots]) {
					t.Errorf("%s, S=%d: blocks %v move nothing, want %v", c.name, slots, r.Idle, c.idle[slots])
				}
			}
		}
	}
}

// TestInputIsCopiedIntoItsSlot: the block before writes the input while the slot
// may still be read, so the input is made outside and copied.
func TestInputIsCopiedIntoItsSlot(t *testing.T) {
	c := gpt(4)
	g := apply(t, unplaced(t, c, adamW), decision(c, 2, same("hrrrrrrrr"))).Graph
	copies := 0
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op != ir.OpCopyStage {
			continue
		}
		copies++
		if v := &g.Values[n.Args[0]]; v.Slot != 0 || v.Name != "in" || v.Layer != n.Layer {
			t.Errorf("%s of block %d is copied into the slot of block %d", v.Name, v.Layer, n.Layer)
		}
	}
	if copies != c.Layers {
		t.Errorf("%d inputs are copied, want %d", copies, c.Layers)
	}
	// The last S blocks read theirs in backward, too, so that one rule holds for all.
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == ir.OpLayerNormGrad && n.Layer >= 0 {
			if v := &g.Values[n.Args[n.Op.Arg("x")]]; v.Name == "in" && v.Slot == 0 {
				t.Errorf("backward of block %d reads its input outside the slot", n.Layer)
			}
		}
	}
}
