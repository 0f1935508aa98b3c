package prove

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
)

// outcome is what a window left: the loss, what it is made of, and the gradients.
type outcome struct {
	loss   float64
	n      float64
	tokens []float64   // ℓ of every position, row by row, 0 where nothing is trained
	grads  [][]float64 // in the order of Run.Params
	ctl    []float64   // after the update section
}

// micros runs the micro-batches that train something, in order.
func (t *trial) micros(bs []data.Batch, n float64) (o outcome, err error) {
	o.n = n
	started := false
	sum := 0.0
	for k := range bs {
		b := &bs[k]
		if b.Trained == 0 {
			o.tokens = append(o.tokens, make([]float64, len(b.Weight))...)
			continue
		}
		if err := b.Write(&t.p.Run.Inputs, t.s.Write); err != nil {
			return o, err
		}
		if err := t.s.Write(t.p.Run.Inputs.Control, t.control(n, started, k*t.lim.B)); err != nil {
			return o, err
		}
		started = true
		if err := t.run(ir.Micro); err != nil {
			return o, err
		}
		l, err := t.read(t.p.Run.Inputs.TokenLoss)
		if err != nil {
			return o, err
		}
		for r, w := range b.Weight {
			if w == 0 {
				l[r] = 0
				continue
			}
			sum += l[r] * float64(w)
		}
		o.tokens = append(o.tokens, l...)
	}
	o.loss = sum / n
	return o, nil
}

// update ends the window at the trial's rate and returns the control buffer as
// the engine left it.
func (t *trial) update(n float64) ([]float64, error) {
	in := &t.p.Run.Inputs
	if in.RowIDs >= 0 {
		ids := make([]int32, t.lim.Compact)
		t.fill.RowIDs(ids)
		if err := t.s.Write(in.RowIDs, ids); err != nil {
			return nil, err
		}
	}
	c := t.control(n, false, 0)
	if err := t.s.Write(in.Control, c); err != nil {
		return nil, err
	}
	if err := t.run(ir.Update); err != nil {
		return nil, err
	}
	return c, t.s.Read(in.Control, c)
}

// window runs a whole window and its update. The gradients are read after the
// update section, whose first command adds the embedding's part to a shared
// table. At rate 0, the trial's default, no parameter moves.
func (t *trial) window(bs []data.Batch, n float64) (o outcome, err error) {
	if o, err = t.micros(bs, n); err != nil {
		return o, err
	}
	if o.ctl, err = t.update(n); err != nil {
		return o, err
	}
	for i := range t.p.Run.Params {
		g, err := t.read(t.p.Run.Params[i].Grad)
		if err != nil {
			return o, err
		}
		o.grads = append(o.grads, g)
	}
	return o, nil
}

// rows runs a window given as rows of tokens, from the first parameters.
func (t *trial) rows(rows []loss.Row) (outcome, error) {
	bs, w, err := t.batches(rows)
	if err != nil {
		return outcome{}, err
	}
	if err := t.reset(); err != nil {
		return outcome{}, err
	}
	return t.window(bs, w.N)
}

// state reads the parameters that are updated, and moments with the 16-bit
// copies of parameters, parameter by parameter.
func (t *trial) state() (params, moments [][]float64, err error) {
	for i := range t.p.Run.Params {
		q := &t.p.Run.Params[i]
		rest := q.State
		if q.Master > 0 {
			rest = append([]int{q.Buffer}, q.State...)
		}
		x, err := t.read(stepped(q))
		if err != nil {
			return nil, nil, err
		}
		params = append(params, x)
		for _, m := range rest {
			if x, err = t.read(m); err != nil {
				return nil, nil, err
			}
			moments = append(moments, x)
		}
	}
	return params, moments, nil
}

// ragged makes rows of random tokens: two or three documents in each, of uneven
// lengths, and padding behind most of them, down to a row of two tokens, so that
// no two micro-batches train the same number of positions.
func ragged(p *plan.Plan, rows, T int) []loss.Row {
	r := rand.New(rand.NewPCG(11, 2<<32))
	vocab := data.LimitsOf(p).Vocab
	out := make([]loss.Row, rows)
	doc := int32(0)
	for i := range out {
		n := T
		if i%3 != 0 && T > 2 {
			n = 2 + (i*5)%(T-1)
		}
		row := loss.Row{IDs: make([]int32, T), Docs: make([]int32, T), Roles: make([]loss.Role, T), Next: -1, NextDoc: -1}
		ends := []int{n / 3, n - n/4}
		for t := range T {
			if t >= n {
				row.Docs[t] = -1
				continue
			}
			if t == ends[0] || t == ends[1] || t == 0 {
				doc++
			}
			row.IDs[t], row.Roles[t], row.Docs[t] = int32(r.IntN(vocab)), loss.Text, doc
		}
		out[i] = row
	}
	return out
}

// total is the number of rows of a plan's window.
func total(p *plan.Plan) int { return p.Run.Window.MicroBatches * p.Run.Window.BatchSize }

// differ says where two tensors do not have the same bits, "" when they do.
func differ(want, got []float64) string {
	n, first := 0, -1
	for i := range want {
		if math.Float64bits(want[i]) != math.Float64bits(got[i]) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d elements, first %d: %.9g, not %.9g", n, len(want), first, got[first], want[first])
}

// same compares loss, N, token losses and gradients of a window with those of
// the plain one, to the bit.
func (v *Verdict) same(what string, p *plan.Plan, want, got *outcome) {
	if want.loss != got.loss || want.n != got.n {
		v.fail("%s: loss %.17g over N = %g, the plain window has %.17g over %g", what, got.loss, got.n, want.loss, want.n)
	}
	for i, g := range want.grads {
		if d := differ(g, got.grads[i]); d != "" {
			v.fail("%s: gradient of %s differs in %s", what, p.Run.Params[i].Name, d)
		}
	}
}

// elements counts the numbers of tensors.
func elements(xs [][]float64) (n int) {
	for _, x := range xs {
		n += len(x)
	}
	return n
}
