package prove

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/data"
)

var causal = Proof{
	ID: "causal", Title: "no output depends on what comes later",
	Formula: "∂ℓ_i/∂x_j = 0 unless j ≤ i, of the same row, and reachable through the visible sets of all blocks",
	Doc: `The id at position j is changed in every row, targets stay, and all token losses are computed again: those
before j, of other documents, and out of reach of the attention windows must keep their bits, the loss at j
itself must change. Then one row alone is changed at several places: all other rows keep their bits. Then
backward: only one position is trained, and the input gradients of the positions out of its reach must be
exactly 0. Finds a mask that is off, documents that see each other, rows that mix, a leak from the future.`,
	run: (*bench).causal,
}

// sees is the visible set as its formula, pair by pair: query i sees key j.
func (t *trial) sees(docs []int32, i, j int) bool {
	w := t.p.Run.Model.Window
	return j <= i && docs[i] >= 0 && docs[j] >= 0 && (w == 0 || i-j < w) && (t.lim.All || t.p.Run.Data.Cross || docs[i] == docs[j])
}

// through is what position i depends on through all blocks: the visible sets of
// the blocks one after the other, and itself.
func (t *trial) through(docs []int32) [][]bool {
	n := len(docs)
	now := make([][]bool, n)
	for i := range now {
		now[i] = make([]bool, n)
		now[i][i] = true
	}
	for range t.p.Run.Model.Layers {
		next := make([][]bool, n)
		for i := range next {
			next[i] = append([]bool(nil), now[i]...)
			for k := range n {
				if !t.sees(docs, i, k) {
					continue
				}
				for j := range n {
					next[i][j] = next[i][j] || now[k][j]
				}
			}
		}
		now = next
	}
	return now
}

func (b *bench) causal(v *Verdict) error {
	return b.with(b.o.Engine, b.p, nil, func(t *trial) error {
		rows := ragged(b.p, t.lim.B, t.lim.T)
		bs, _, err := t.batches(rows)
		if err != nil {
			return err
		}
		c := &cause{t: t, v: v, m: bs[0]}
		for i := range rows {
			c.docs = append(c.docs, rows[i].Docs)
			c.reach = append(c.reach, t.through(rows[i].Docs))
		}
		// Every token is trained, so that every token loss is computed.
		c.m.Trained = 0
		for r := range c.m.Weight {
			c.m.Weight[r] = 0
			if c.doc(r) >= 0 {
				c.m.Weight[r], c.m.Targets[r] = 1, int32(r%t.lim.Vocab)
				c.m.Trained++
			}
		}
		if c.base, err = c.losses(&c.m); err != nil {
			return err
		}
		if err := c.forward(); err != nil {
			return err
		}
		if err := c.backward(); err != nil {
			return err
		}
		v.number("changed tokens", c.probes)
		v.number("losses out of reach, all unchanged", c.still)
		v.number("in reach", c.moved)
		return nil
	})
}

// cause looks for the effects of single tokens.
type cause struct {
	t     *trial
	v     *Verdict
	m     data.Batch
	docs  [][]int32
	reach [][][]bool
	base  []float64

	probes, still, moved int
}

func (c *cause) doc(r int) int32 { return c.docs[r/c.t.lim.T][r%c.t.lim.T] }

// losses are the token losses of a micro-batch.
func (c *cause) losses(m *data.Batch) ([]float64, error) {
	o, err := c.t.micros([]data.Batch{*m}, float64(m.Trained))
	return o.tokens, err
}

// other is the micro-batch with another id at some positions.
func (c *cause) other(at ...int) data.Batch {
	m := clone(&c.m)
	for _, r := range at {
		m.IDs[r] = (m.IDs[r] + int32(c.t.lim.Vocab/2) + 1) % int32(c.t.lim.Vocab)
	}
	return m
}

// forward changes each position in all rows, then some in one row.
func (c *cause) forward() error {
	T, B := c.t.lim.T, c.t.lim.B
	for j := range T {
		var at []int
		for i := range B {
			if c.docs[i][j] >= 0 {
				at = append(at, i*T+j)
			}
		}
		if err := c.change(at); err != nil {
			return err
		}
	}
	for _, j := range []int{0, T / 2, T - 1} {
		for _, i := range []int{0, B / 2} {
			if B > 1 && c.docs[i][j] >= 0 {
				if err := c.change([]int{i*T + j}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// change changes the ids at some positions, at most one in a row, and compares.
func (c *cause) change(at []int) error {
	m := c.other(at...)
	got, err := c.losses(&m)
	if err != nil {
		return err
	}
	c.probes += len(at)
	T := c.t.lim.T
	changed := map[int]int{} // row → position
	for _, r := range at {
		changed[r/T] = r % T
	}
	for r, l := range got {
		if c.m.Weight[r] == 0 {
			continue
		}
		row, i := r/T, r%T
		j, here := changed[row]
		moved := math.Float64bits(l) != math.Float64bits(c.base[r])
		switch {
		case moved && !here:
			c.v.fail("a token of another row changed the loss of row %d, position %d: %.9g → %.9g", row, i, c.base[r], l)
		case moved && !c.reach[row][i][j]:
			c.v.fail("token %d of row %d (document %d) changed the loss at position %d (document %d): %.9g → %.9g", j, row, c.docs[row][j], i, c.docs[row][i], c.base[r], l)
		case here && i == j && !moved:
			c.v.fail("token %d of row %d has no effect on its own loss", j, row)
		case moved:
			c.moved++
		default:
			c.still++
		}
	}
	return nil
}

// backward trains one position alone, and looks at the gradient that reaches
// the embedding: ids are such that each position of a row has its own table row.
func (c *cause) backward() error {
	T := c.t.lim.T
	grad, own := c.inputGrad()
	if grad < 0 || own < T {
		c.v.number("backward", fmt.Sprintf("not looked at: %d rows of the table, %d positions", own, T))
		return nil
	}
	m := clone(&c.m)
	for r := range m.IDs {
		if c.doc(r) >= 0 {
			m.IDs[r], m.Row[r] = int32(r%T), int32(r%T)
		}
	}
	width := c.t.p.Buffers[grad].Shape[1]
	pairs := 0
	for _, i := range []int{0, T / 3, T / 2, T - 1} {
		if c.docs[0][i] < 0 {
			continue
		}
		clear(m.Weight)
		m.Weight[i], m.Trained = 1, 1
		if _, err := c.losses(&m); err != nil {
			return err
		}
		g, err := c.t.read(grad)
		if err != nil {
			return err
		}
		for j := range T {
			pairs++
			reached := nonzero(g[j*width : (j+1)*width])
			if reached && !c.reach[0][i][j] {
				c.v.fail("the loss at position %d has a gradient at token %d, which it does not see", i, j)
			}
			if !reached && i == j {
				c.v.fail("the loss at position %d has no gradient at its own token", i)
			}
		}
	}
	c.v.number("backward pairs", pairs)
	return nil
}

// inputGrad is the buffer that the input gradient of a micro-batch is added to,
// one row an id, and how many rows can be told apart.
func (c *cause) inputGrad() (buffer, rows int) {
	for i := range c.t.p.Sections[ir.Micro].Commands {
		k := &c.t.p.Sections[ir.Micro].Commands[i]
		if k.Op == ir.OpEmbedRows.String() || k.Op == ir.OpEmbedGrad.String() {
			if b := k.Results[0]; c.t.p.Buffers[b].Run {
				return b, min(c.t.p.Buffers[b].Shape[0], c.t.lim.Vocab)
			}
		}
	}
	return -1, 0
}

func nonzero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return true
		}
	}
	return false
}
