package data

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/visible"
)

// Limits are the shapes that the numbers of a micro-batch must fit in, taken
// from the buffers that a plan reads with them.
type Limits struct {
	B, T    int  // rows of a micro-batch, positions of a row
	Vocab   int  // ids and targets are in [0, Vocab)
	Context int  // positions are in [0, Context)
	Compact int  // rows of the compact embedding gradient, 0 when there is none
	All     bool // the plan has no input for lo: every token sees all before it
	Restart bool // positions count each document of a row from 0, else each row
}

// Batch is the inputs of one micro-batch, [B·T] each, in token order.
type Batch struct {
	IDs, Targets  []int32
	Lo, Positions []int32
	Row           []int32 // row of the compact embedding gradient, -1 for padding
	Weight        []float32
	Trained       int // positions with a weight
	Tokens        int // positions that are not padding
}

// Write hands the arrays that a plan has inputs for to write, the Write of a
// session.
func (b *Batch) Write(in *plan.Inputs, write func(buffer int, data any) error) error {
	for _, x := range []struct {
		name   string
		buffer int
		data   any
	}{
		{"ids", in.IDs, b.IDs}, {"targets", in.Targets, b.Targets}, {"weight", in.Weight, b.Weight},
		{"lo", in.Lo, b.Lo}, {"positions", in.Positions, b.Positions}, {"row", in.Row, b.Row},
	} {
		if x.buffer < 0 {
			continue
		}
		if err := write(x.buffer, x.data); err != nil {
			return fmt.Errorf("write %s: %w", x.name, err)
		}
	}
	return nil
}

// Filler writes micro-batches and keeps the distinct ids of the window.
type Filler struct {
	lim      Limits
	vis      visible.Policy
	batch    Batch
	rowOf    []int32 // by id, -1 for one that the window has not had yet
	distinct []int32 // ids in the order of their first appearance
}

// NewFiller makes the arrays for micro-batches of the given limits.
func NewFiller(lim Limits, vis visible.Policy) *Filler {
	r := lim.B * lim.T
	ints := func() []int32 { return make([]int32, r) }
	f := &Filler{lim: lim, vis: vis, batch: Batch{IDs: ints(), Targets: ints(), Lo: ints(), Positions: ints(), Row: ints(), Weight: make([]float32, r)}}
	if lim.Compact > 0 {
		f.rowOf = make([]int32, lim.Vocab)
		for i := range f.rowOf {
			f.rowOf[i] = -1
		}
	}
	return f
}

// Begin forgets the ids of the window before.
func (f *Filler) Begin() {
	for _, id := range f.distinct {
		f.rowOf[id] = -1
	}
	f.distinct = f.distinct[:0]
}

// Fill writes the arrays of one micro-batch; they are overwritten by the next
// call. Rows that are missing are padding. An error names the first number that
// is out of range, and nothing may then be run.
func (f *Filler) Fill(rows []loss.Row, targets [][]int32, weights [][]float32) (*Batch, error) {
	b, T := &f.batch, f.lim.T
	if len(rows) > f.lim.B {
		return nil, fmt.Errorf("micro-batch of %d rows, want at most %d", len(rows), f.lim.B)
	}
	b.Trained, b.Tokens = 0, 0
	for i := range f.lim.B {
		at := i * T
		if i >= len(rows) {
			f.pad(at)
			continue
		}
		if len(rows[i].IDs) != T || len(rows[i].Docs) != T || len(targets[i]) != T || len(weights[i]) != T {
			return nil, fmt.Errorf("row %d has %d positions, want %d", i, len(rows[i].IDs), T)
		}
		copy(b.Targets[at:at+T], targets[i])
		copy(b.Weight[at:at+T], weights[i])
		f.vis.Lo(b.Lo[at:at+T], rows[i].Docs)
		if err := f.row(at, &rows[i]); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	return b, nil
}

// pad makes the row at an offset one without tokens.
func (f *Filler) pad(at int) {
	for t := range f.lim.T {
		f.batch.IDs[at+t], f.batch.Targets[at+t], f.batch.Weight[at+t] = 0, 0, 0
		f.batch.Lo[at+t], f.batch.Positions[at+t], f.batch.Row[at+t] = int32(t+1), 0, -1
	}
}

// row writes ids, positions and rows of the compact gradient, and checks.
func (f *Filler) row(at int, r *loss.Row) error {
	b, start := &f.batch, 0
	for t, id := range r.IDs {
		if f.lim.Restart && t > 0 && r.Docs[t] != r.Docs[t-1] {
			start = t
		}
		pos := t - start
		if r.Docs[t] < 0 {
			id, pos = 0, 0
		}
		w, target, lo := b.Weight[at+t], b.Targets[at+t], b.Lo[at+t]
		switch {
		case id < 0 || int(id) >= f.lim.Vocab:
			return fmt.Errorf("position %d: id %d is outside the vocabulary of %d", t, id, f.lim.Vocab)
		case pos >= f.lim.Context:
			return fmt.Errorf("position %d: place %d is outside the context of %d", t, pos, f.lim.Context)
		case lo < 0 || int(lo) > f.lim.T:
			return fmt.Errorf("position %d: first visible key %d is outside the row", t, lo)
		case f.lim.All && lo != 0 && r.Docs[t] >= 0:
			return fmt.Errorf("position %d: keys before %d are hidden, which the plan has no input for", t, lo)
		case w != 0 && (target < 0 || int(target) >= f.lim.Vocab):
			return fmt.Errorf("position %d: target %d is outside the vocabulary of %d", t, target, f.lim.Vocab)
		case !(w >= 0 && w <= 1):
			return fmt.Errorf("position %d: weight %g is not in [0,1]", t, w)
		}
		if w != 0 {
			b.Trained++
		}
		if r.Docs[t] >= 0 {
			b.Tokens++
		}
		b.IDs[at+t], b.Positions[at+t] = id, int32(pos)
		if err := f.compact(at+t, id, r.Docs[t] < 0); err != nil {
			return fmt.Errorf("position %d: %w", t, err)
		}
	}
	return nil
}

// compact gives an id its row of the compact gradient, in the order of first appearance.
func (f *Filler) compact(at int, id int32, padding bool) error {
	f.batch.Row[at] = -1
	if padding || f.rowOf == nil {
		return nil
	}
	if f.rowOf[id] < 0 {
		if len(f.distinct) == f.lim.Compact {
			return fmt.Errorf("the window has more than %d distinct ids", f.lim.Compact)
		}
		f.rowOf[id] = int32(len(f.distinct))
		f.distinct = append(f.distinct, id)
	}
	f.batch.Row[at] = f.rowOf[id]
	return nil
}

// RowIDs writes the id of each row of the compact gradient, -1 after the last.
func (f *Filler) RowIDs(dst []int32) {
	for i := copy(dst, f.distinct); i < len(dst); i++ {
		dst[i] = -1
	}
}
