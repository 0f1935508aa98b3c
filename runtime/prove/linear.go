package prove

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/data"
)

var linear = Proof{
	ID: "linear", Title: "a linear loss has exactly the declared gradient",
	Formula: "L = (1/N)·Σ m·Σθ ⇒ g = 1 for every element; in a table row, occurrences/N",
	Doc: `The plan's own accumulating commands run through a whole window of uneven micro-batches, one of them
without a trained position, with the host playing the backward pass of Σθ: at each position the upstream is
c·m and what it is multiplied with is 1. N is a power of two, so every partial sum is exact in float32 and
the result is known to the bit whatever the order: 1 for every matrix, bias and norm, occurrences/N in the
rows of embedding and position tables. The head is the one command that multiplies with c itself: its matrix
is set so that one row z wins every softmax with probability exactly 1, which leaves exactly 1 in row z,
−(occurrences as a target)/N in the others, and c·m·W_z upstream. Then norm2 and clip run: the norm must be
the root of the sum of these squares. All of it at s = 1 and at s = 8. Finds a lost micro-batch, 1/N applied
twice or never, accumulation that overwrites or is not cleared, a norm that counts a tensor twice, and an s
that is not removed.`,
	run: (*bench).linear,
}

func (b *bench) linear(v *Verdict) error {
	pr, err := newProbe(b.p)
	if err != nil {
		return err
	}
	return b.with(b.o.Engine, pr.p, nil, func(t *trial) error {
		bs, rowIDs, n := b.probeWindow(t)
		for _, s := range []float64{1, 8} {
			t.scale = s
			if err := pr.window(t, v, bs, rowIDs, n); err != nil {
				return err
			}
		}
		v.number("micro-batches", len(bs)-1)
		v.number("N", n)
		v.number("commands", len(pr.p.Sections[ir.Micro].Commands))
		v.number("elements", pr.elements)
		return nil
	})
}

// probeWindow makes three micro-batches that train different numbers of
// positions, N = a power of two in all, and one before the last that trains none.
func (b *bench) probeWindow(t *trial) (bs []data.Batch, rowIDs []int32, n float64) {
	R := t.lim.B * t.lim.T
	r := rand.New(rand.NewPCG(5, 3<<32))
	N := 1
	for 2*N <= R {
		N *= 2
	}
	first, second := max(1, N/8), max(1, N/4)
	distinct := max(1, min(R, t.lim.Vocab-1, t.lim.Compact))
	if t.lim.Compact == 0 {
		distinct = max(1, min(R, t.lim.Vocab-1))
	}
	step := max(1, (t.lim.Vocab-1)/distinct)
	for _, quota := range []int{first, second, 0, N - first - second} {
		m := data.Batch{IDs: make([]int32, R), Targets: make([]int32, R), Lo: make([]int32, R), Positions: make([]int32, R), Row: make([]int32, R), Weight: make([]float32, R)}
		for i, at := range r.Perm(R) {
			j := r.IntN(distinct)
			m.IDs[at], m.Row[at], m.Targets[at], m.Positions[at] = int32(j*step), int32(j), int32(r.IntN(t.lim.Vocab-1)), int32(at%t.lim.T)
			if i < quota {
				m.Weight[at] = 1
				m.Trained++
			} else if i%5 == 0 {
				m.IDs[at], m.Row[at] = 0, -1
			}
		}
		bs = append(bs, m)
	}
	rowIDs = make([]int32, t.lim.Compact)
	for j := range rowIDs {
		rowIDs[j] = -1
		if j < distinct {
			rowIDs[j] = int32(j * step)
		}
	}
	return bs, rowIDs, float64(N)
}

// window runs the probe's window and compares.
func (pr *probe) window(t *trial, v *Verdict, bs []data.Batch, rowIDs []int32, n float64) error {
	c := float64(float32(t.scale / n))
	peak := math.Exp2(math.Ceil(math.Log2(4096 / float64(pr.width))))
	if err := pr.constants(t, peak); err != nil {
		return err
	}
	want := pr.expected(t, bs, rowIDs)
	ran := false
	for k := range bs {
		if bs[k].Trained == 0 {
			continue
		}
		if err := pr.operands(t, &bs[k], c); err != nil {
			return err
		}
		if err := t.s.Write(t.p.Run.Inputs.Control, t.control(n, ran, k*t.lim.B)); err != nil {
			return err
		}
		ran = true
		if err := t.run(ir.Micro); err != nil {
			return err
		}
		if err := pr.upstream(t, v, &bs[k], c, peak); err != nil {
			return err
		}
	}
	in := &t.p.Run.Inputs
	if in.RowIDs >= 0 {
		if err := t.s.Write(in.RowIDs, rowIDs); err != nil {
			return err
		}
	}
	ctl := t.control(n, false, 0)
	if err := t.s.Write(in.Control, ctl); err != nil {
		return err
	}
	if err := t.run(ir.Update); err != nil {
		return err
	}
	if err := t.s.Read(in.Control, ctl); err != nil {
		return err
	}
	return pr.compare(t, v, want, c, ctl)
}

// upstream checks losses and dx of the head: c is applied once.
func (pr *probe) upstream(t *trial, v *Verdict, b *data.Batch, c, peak float64) error {
	dx, err := t.read(pr.headDX)
	if err != nil {
		return err
	}
	l, err := t.read(t.p.Run.Inputs.TokenLoss)
	if err != nil {
		return err
	}
	for r, w := range b.Weight {
		if want := peak * float64(pr.width); w != 0 && l[r] != want {
			v.fail("token loss of position %d is %.9g, expected %.9g", r, l[r], want)
			break
		}
	}
	for i, got := range dx {
		if want := c * float64(b.Weight[i/pr.width]) * peak; got != want {
			v.fail("s = %g: upstream that leaves the head at position %d is %.9g, expected c·m·W = %.9g", t.scale, i/pr.width, got, want)
			break
		}
	}
	return nil
}

// expected is every gradient in units of c.
func (pr *probe) expected(t *trial, bs []data.Batch, rowIDs []int32) map[int][]float64 {
	want := map[int][]float64{}
	for i := range t.p.Run.Params {
		want[t.p.Run.Params[i].Grad] = make([]float64, count(t.p.Run.Params[i].Shape))
	}
	all := 0.0
	for k := range bs {
		for r, w := range bs[k].Weight {
			if w != 0 {
				all++
				pr.position(t, want, &bs[k], r, rowIDs)
			}
		}
	}
	for _, u := range pr.uses {
		if u.kind == everywhere {
			for i := range want[u.grad] {
				want[u.grad][i] += all
			}
		}
	}
	return want
}

// position adds what one trained position gives to the rows of tables.
func (pr *probe) position(t *trial, want map[int][]float64, b *data.Batch, r int, rowIDs []int32) {
	for _, u := range pr.uses {
		add := func(row int32, x float64) {
			for i := range u.width {
				want[u.grad][int(row)*u.width+i] += x
			}
		}
		switch u.kind {
		case byRow:
			add(rowIDs[b.Row[r]], 1)
		case byID:
			add(b.IDs[r], 1)
		case byPosition:
			add(int32(r%t.lim.T), 1)
		case byTarget:
			add(int32(pr.winner), 1)
			add(b.Targets[r], -1)
		}
	}
}

// compare wants every element to be the expected multiple of c, and the norm to
// be that of all elements, once each, without s.
func (pr *probe) compare(t *trial, v *Verdict, want map[int][]float64, c float64, ctl []float64) error {
	pr.elements = 0
	squares := 0.0
	for i := range t.p.Run.Params {
		q := &t.p.Run.Params[i]
		g, err := t.read(q.Grad)
		if err != nil {
			return err
		}
		units := want[q.Grad]
		bad, first := 0, -1
		for k := range g {
			x := units[k] * c
			squares += x * x
			if g[k] != x {
				if bad++; first < 0 {
					first = k
				}
			}
		}
		pr.elements += len(g)
		if bad > 0 {
			v.fail("s = %g: %s: %d of %d elements are wrong, first %d: %.9g, the declared factor is %.9g", t.scale, q.Name, bad, len(g), first, g[first], units[first]*c)
		}
	}
	norm := math.Sqrt(squares) / t.scale
	if got := ctl[ctlNorm]; !(math.Abs(got-norm) <= 1e-14*norm) {
		v.fail("s = %g: the norm is %.17g, of all elements once it is %.17g", t.scale, got, norm)
	}
	if t.scale == 1 {
		v.number("norm", fmt.Sprintf("%.6g", norm))
	}
	return nil
}
