package prove

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/gradcheck"
)

var differences = Proof{
	ID: "differences", Title: "gradients are the derivative of the loss",
	Formula: "‖g − (4·D(h) − D(2h))/3‖ ≤ 1e-6·‖g‖ in float64; ‖g₃₂ − g₆₄‖ ≤ 1e-4·‖g₆₄‖",
	Doc: `A small window of ragged rows in two micro-batches. On the float64 engine, without 16-bit storage, elements
of every tensor are compared with central differences of the window's loss; then the engine under proof
computes the whole gradient of the same window as the experiment stores it, which must agree tensor by tensor.
Finds every wrong derivative: a
missing factor or term, a group sum, a branch that is cut, accumulation that is not addition.`,
	run: (*bench).differences,
}

// Limits of the comparison, and how many elements of a tensor are checked.
const (
	floatLimit = 1e-4
	samples    = 2
	smallSeq   = 8
)

func (b *bench) differences(v *Verdict) error {
	w := &b.p.Run.Window
	p, err := b.plan(Variant{MicroBatches: 2, BatchSize: 1, SeqLen: min(smallSeq, w.SeqLen), Wide: true})
	if err != nil {
		return err
	}
	rows := ragged(p, total(p), p.Run.Window.SeqLen)
	var exact outcome
	if err := b.with(b.o.Oracle, p, nil, func(t *trial) error {
		bs, _, err := t.batches(rows)
		if err != nil {
			return err
		}
		in := gradcheck.Inputs{Batches: bs, RowIDs: make([]int32, t.lim.Compact)}
		t.fill.RowIDs(in.RowIDs)
		rep, err := gradcheck.Run(b.ctx, p, t.s, gradcheck.Options{Inputs: in, Samples: samples})
		if err != nil {
			return err
		}
		v.checked(&rep)
		exact, err = t.rows(rows)
		return err
	}); err != nil {
		return err
	}
	if p, err = b.plan(Variant{MicroBatches: 2, BatchSize: 1, SeqLen: min(smallSeq, w.SeqLen)}); err != nil {
		return err
	}
	return b.with(b.o.Engine, p, nil, func(t *trial) error {
		got, err := t.rows(rows)
		if err != nil {
			return err
		}
		v.near(t, &exact, &got)
		return nil
	})
}

// checked takes over what the difference check found.
func (v *Verdict) checked(rep *gradcheck.Report) {
	n, worst := 0, 0.0
	for _, t := range rep.Tensors {
		n += t.Checked
		worst = max(worst, t.Rel)
	}
	for _, t := range rep.Failed() {
		v.fail("%s: error %.1e, limit %.0e; element %d: plan %.9g, difference %.9g", t.Name, t.Rel, rep.Limit, t.WorstIndex, t.Analytic, t.Numeric)
	}
	v.number("tensors", len(rep.Tensors))
	v.number("elements", n)
	v.number("largest error", fmt.Sprintf("%.1e", worst))
}

// coarsest is the number type that rounds most in a plan: that of storage, or of
// the operands of products.
func coarsest(p *plan.Plan) string {
	k := &p.Run.Precision
	if k.Products == "tf32" {
		return k.Products
	}
	return k.Compute
}

// limitOf is the limit of a relative error for a number type, given that of f32:
// sums of terms that were each rounded to 8 or 11 bits.
func limitOf(dtype string, f32 float64) float64 {
	switch dtype {
	case "bf16":
		return 8e-2
	case "f16", "tf32":
		return 1e-2
	}
	return f32
}

// near compares gradients of the engine with float64 ones.
func (v *Verdict) near(t *trial, want, got *outcome) {
	worst, limit := 0.0, limitOf(coarsest(t.p), floatLimit)
	for i, g := range want.grads {
		var d, n float64
		for k := range g {
			e := g[k] - got.grads[i][k]/t.scale
			d += e * e
			n += g[k] * g[k]
		}
		e := math.Sqrt(d / n)
		if !(e <= limit) {
			v.fail("gradient of %s in %s is %.1e from float64, limit %.0e", t.p.Run.Params[i].Name, coarsest(t.p), e, limit)
		}
		worst = max(worst, e)
	}
	if e := math.Abs(got.loss-want.loss) / math.Abs(want.loss); !(e <= limit) {
		v.fail("loss in %s is %.9g, in float64 %.9g", coarsest(t.p), got.loss, want.loss)
	}
	v.number(coarsest(t.p), fmt.Sprintf("%.1e", worst))
}
