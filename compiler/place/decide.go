package place

import "slices"

// Choice is what happens to one named result of one block.
type Choice uint8

// The choices.
const (
	Keep Choice = iota
	Recompute
	Host
)

// Decision is a complete placement.
type Decision struct {
	Names   []string   // named results of a block, in forward order
	Block   [][]Choice // [layer][name]
	Moments []bool     // [layer+1]: moments of the block (index 0: outside the blocks) live on the host
	Slots   int        // S
}

// Of is the choice for a named result; what has no name in the list is kept.
func (d *Decision) Of(layer int, name string) Choice {
	if layer < 0 || layer >= len(d.Block) {
		return Keep
	}
	if i := slices.Index(d.Names, name); i >= 0 {
		return d.Block[layer][i]
	}
	return Keep
}

// Decidable reports whether the placement decides on results of that name.
func (d *Decision) Decidable(name string) bool { return slices.Contains(d.Names, name) }

// Declared is the placement part of a spec.
type Declared struct {
	Layers      int
	Names       []string
	Checkpoint  []bool   // [layer] is recomputed
	Recomputed  []string // names recomputed in such a block; empty = all but in
	OffloadActs []bool   // [layer] activations live on the host
	Offloaded   []string // names offloaded in such a block; empty = in when the block is recomputed, else all
	OffloadOpt  []bool   // [layer+1]
	Slots       int
}

// Decide expands a declaration. A name that is offloaded is not recomputed.
func (s *Declared) Decide() *Decision {
	d := &Decision{Names: s.Names, Moments: s.OffloadOpt, Slots: s.Slots}
	for l := range s.Layers {
		row := make([]Choice, len(s.Names))
		for i, n := range s.Names {
			if s.Checkpoint[l] && n != "in" && (len(s.Recomputed) == 0 || slices.Contains(s.Recomputed, n)) {
				row[i] = Recompute
			}
			if s.OffloadActs[l] && s.offloads(l, n) {
				row[i] = Host
			}
		}
		d.Block = append(d.Block, row)
	}
	return d
}

func (s *Declared) offloads(layer int, name string) bool {
	if len(s.Offloaded) > 0 {
		return slices.Contains(s.Offloaded, name)
	}
	return name == "in" || !s.Checkpoint[layer]
}
