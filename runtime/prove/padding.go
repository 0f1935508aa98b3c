package prove

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/runtime/data"
)

var padding = Proof{
	ID: "padding", Title: "padding changes nothing",
	Formula: "Σℓ, N and g are functions of the tokens that are trained and of what they see",
	Doc: `One window of ragged rows, three times: as it is; with other ids and targets at every padded position;
and in rows that are longer by a quarter, all of it padding. Loss, N and every gradient element must have the
same bits. Finds padding that is counted in N, trained, attended to, or added to the row of its id in the
embedding's gradient. Longer rows are left out where products are not f32: their terms are added in another order.`,
	run: (*bench).padding,
}

func (b *bench) padding(v *Verdict) error {
	T := b.p.Run.Window.SeqLen
	short := T - max(1, T/4)
	if short < 2 {
		return v.without(fmt.Sprintf("rows of %d tokens have no room for padding", T))
	}
	S := total(b.p)
	rows := ragged(b.p, S, short)
	p, err := b.plan(Variant{SeqLen: short})
	if err != nil {
		return err
	}
	var want, noisy, long outcome
	pads := 0
	if err := b.with(b.o.Engine, p, nil, func(t *trial) (err error) {
		if want, err = t.rows(rows); err != nil {
			return err
		}
		noisy, pads, err = t.noisy(rows)
		return err
	}); err != nil {
		return err
	}
	if err := b.with(b.o.Engine, b.p, nil, func(t *trial) (err error) {
		long, err = t.rows(widen(rows, T))
		return err
	}); err != nil {
		return err
	}
	v.same("other ids and targets at padding", p, &want, &noisy)
	if b.p.Run.Loss.ShiftBy == "loss" && chained(b.p) {
		v.same(fmt.Sprintf("rows of %d with %d of padding", T, T-short), p, &want, &long)
	}
	v.number("padded positions", pads)
	v.number("row lengths", fmt.Sprintf("%d %d", short, T))
	v.number("N", want.n)
	v.number("loss", want.loss)
	return nil
}

// noisy runs a window with random numbers where nothing should be read.
func (t *trial) noisy(rows []loss.Row) (o outcome, pads int, err error) {
	bs, w, err := t.batches(rows)
	if err != nil {
		return o, 0, err
	}
	for k := range bs {
		pads += disturb(&bs[k], rows[k*t.lim.B:], t.lim)
	}
	if err := t.reset(); err != nil {
		return o, 0, err
	}
	o, err = t.window(bs, w.N)
	return o, pads, err
}

// disturb writes other ids at padding and other targets where nothing is trained.
func disturb(b *data.Batch, rows []loss.Row, lim data.Limits) (pads int) {
	for at := range b.IDs {
		i, pos := at/lim.T, at%lim.T
		if i >= len(rows) || rows[i].Docs[pos] < 0 {
			b.IDs[at] = int32((at*7 + 3) % lim.Vocab)
			pads++
		}
		if b.Weight[at] == 0 {
			b.Targets[at] = int32((at*5 + 1) % lim.Vocab)
		}
	}
	return pads
}

// widen adds padding behind each row.
func widen(rows []loss.Row, T int) []loss.Row {
	out := slices.Clone(rows)
	for i := range out {
		r := &out[i]
		r.IDs, r.Docs, r.Roles = slices.Clone(r.IDs), slices.Clone(r.Docs), slices.Clone(r.Roles)
		for len(r.IDs) < T {
			r.IDs, r.Docs, r.Roles = append(r.IDs, 0), append(r.Docs, -1), append(r.Roles, loss.Padding)
		}
	}
	return out
}
