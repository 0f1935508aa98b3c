package prove

import (
	"fmt"
	"math"
)

var reach = Proof{
	ID: "reach", Title: "every parameter gets a gradient",
	Formula: "g(θ) ≠ 0 for every tensor; for the embedding, in the row of every id that is trained on or seen by what is",
	Doc: `One window of random rows: each tensor has a gradient that is not all 0 and is finite, each row of the
embedding whose id is the input of a trained position is not 0, and, in an embedding of its own, each row
whose id is not in the window is exactly 0. Finds a path that is cut, a tensor that is left out, a table that
is not cleared or gets the rows of other ids.`,
	run: (*bench).reach,
}

func (b *bench) reach(v *Verdict) error {
	return b.with(b.o.Engine, b.p, nil, func(t *trial) error {
		rows := ragged(b.p, total(b.p), t.lim.T)
		bs, w, err := t.batches(rows)
		if err != nil {
			return err
		}
		o, err := t.window(bs, w.N)
		if err != nil {
			return err
		}
		for i, g := range o.grads {
			q := &t.p.Run.Params[i]
			if !nonzero(g) {
				v.fail("%s has no gradient", q.Name)
			}
			for k, x := range g {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					v.fail("%s: element %d of the gradient is %g", q.Name, k, x)
					break
				}
			}
			if q.Name == "embed.weight" {
				used, present := map[int32]bool{}, map[int32]bool{}
				for k := range bs {
					for r, id := range bs[k].IDs {
						used[id] = used[id] || bs[k].Weight[r] != 0
						present[id] = true
					}
				}
				v.tableRows(g, q.Shape, used, present, t.p.Run.Model.Tied)
			}
		}
		v.number("tensors", len(o.grads))
		v.number("elements", elements(o.grads))
		v.number("norm", o.ctl[ctlNorm])
		return nil
	})
}

// tableRows checks the rows of the embedding's gradient.
func (v *Verdict) tableRows(g []float64, shape []int, used, present map[int32]bool, tied bool) {
	width, rows, empty := shape[1], 0, 0
	for id := range int32(shape[0]) {
		has := nonzero(g[int(id)*width : (int(id)+1)*width])
		if used[id] {
			rows++
		}
		switch {
		case used[id] && !has:
			v.fail("the embedding of id %d has no gradient and is the input of a trained position", id)
		case !present[id] && has && !tied:
			v.fail("the embedding of id %d has a gradient and is not in the window", id)
		case !has:
			empty++
		}
	}
	v.number("embedding rows used", rows)
	v.number("without gradient", fmt.Sprint(empty))
}
