package gradcheck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/visible"
	"github.com/gradcue/gradcue/runtime/data"
)

// Inputs is one window: its micro-batches, each with arrays of its own, and the
// id of each row of the compact embedding gradient where the plan has one.
type Inputs struct {
	Batches []data.Batch
	RowIDs  []int32
}

// FromRows makes the inputs of a window from rows of tokens, as the training
// loop does: targets and weights by the plan's loss policy, ranges checked.
func FromRows(p *plan.Plan, rows []loss.Row) (Inputs, error) {
	r := &p.Run
	lim := data.LimitsOf(p)
	var in Inputs
	if r.Inputs.RowIDs >= 0 {
		in.RowIDs = make([]int32, elems(p, r.Inputs.RowIDs))
	}
	win := r.Loss.Make(rows, lim.B)
	f := data.NewFiller(lim, visible.Policy{Window: r.Model.Window, Docs: !r.Data.Cross})
	f.Begin()
	for first := 0; first < len(rows); first += lim.B {
		last := min(first+lim.B, len(rows))
		b, err := f.Fill(rows[first:last], win.Targets[first:last], win.Weights[first:last])
		if err != nil {
			return Inputs{}, fmt.Errorf("micro-batch %d: %w", first/lim.B, err)
		}
		in.Batches = append(in.Batches, data.Batch{IDs: slices.Clone(b.IDs), Targets: slices.Clone(b.Targets), Lo: slices.Clone(b.Lo),
			Positions: slices.Clone(b.Positions), Row: slices.Clone(b.Row), Weight: slices.Clone(b.Weight), Trained: b.Trained})
	}
	f.RowIDs(in.RowIDs)
	return in, nil
}

// Synthetic makes a window of random tokens for a plan, so that a spec can be
// checked without its data: two documents a row, the last row with padding, and
// every weight the loss policy can give. The same seed makes the same window.
func Synthetic(p *plan.Plan, seed uint64) (Inputs, error) {
	win, vocab := p.Run.Window, p.Run.Model.Vocab
	r := rand.New(rand.NewPCG(seed, 2<<32))
	rows := make([]loss.Row, win.MicroBatches*win.BatchSize)
	for i := range rows {
		n := win.SeqLen
		row := loss.Row{IDs: make([]int32, n), Docs: make([]int32, n), Roles: make([]loss.Role, n), Next: int32(r.IntN(vocab)), NextRole: loss.Text, NextDoc: 1}
		for t := range n {
			row.IDs[t], row.Roles[t] = int32(r.IntN(vocab)), loss.Text
			if p.Run.Inputs.Lo < 0 || t > n/2 {
				row.Docs[t] = 1
			}
		}
		if i == len(rows)-1 && len(rows) > 1 {
			for t := n - n/4; t < n; t++ {
				row.IDs[t], row.Roles[t], row.Docs[t] = 0, loss.Padding, -1
			}
			row.NextRole = loss.Padding
		}
		rows[i] = row
	}
	return FromRows(p, rows)
}

// fit checks inputs against a plan and returns N = Σ w.
func (in *Inputs) fit(p *plan.Plan) (n float64, err error) {
	x := &p.Run.Inputs
	if len(p.Sections) <= int(ir.Update) || len(p.Sections[ir.Micro].Commands) == 0 || min(x.Control, x.IDs, x.Targets, x.Weight, x.TokenLoss) < 0 {
		return 0, errors.New("the plan was not compiled for training")
	}
	for _, q := range p.Run.Params {
		if q.Grad < 0 {
			return 0, fmt.Errorf("parameter %s has no gradient buffer in the plan", q.Name)
		}
	}
	rows := elems(p, x.TokenLoss)
	for k := range in.Batches {
		b := &in.Batches[k]
		if len(b.Weight) != rows {
			return 0, fmt.Errorf("micro-batch %d has %d weights, the plan %d token losses", k, len(b.Weight), rows)
		}
		for _, w := range b.Weight {
			n += float64(w)
		}
	}
	if n == 0 {
		return 0, errors.New("no position of the inputs is trained, so the loss is 0 for all parameters")
	}
	return n, nil
}
