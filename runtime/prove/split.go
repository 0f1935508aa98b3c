package prove

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/train"
)

var split = Proof{
	ID: "split", Title: "the split of a window changes nothing",
	Formula: "Σℓ, N and g of one window are the same for every K and B with the same rows",
	Doc: `A window of ragged rows, some almost all padding, is run whole, in 2, unevenly, and with one row a
micro-batch. Loss, N and every gradient element must have the same bits. The training loop then makes one
update of the text with each even split: same loss, same parameter hash. Finds means of means, a divisor
that is not the window's, lost and repeated micro-batches, gradients that are overwritten or not cleared.
Products of tensor cores do not promise it.`,
	run: (*bench).split,
}

// splits lists micro-batch sizes for S rows: all, half, a third rounded up (the
// last micro-batch is then short), one.
func splits(S int) (sizes []int) {
	for _, n := range []int{S, (S + 1) / 2, (S + 2) / 3, 1} {
		if n > 0 && (len(sizes) == 0 || sizes[len(sizes)-1] != n) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

func (b *bench) split(v *Verdict) error {
	if b.p.Run.Loss.Normalize == "microbatch-mean" {
		return v.without("window.normalize is microbatch-mean: the objective itself depends on the split")
	}
	if !chained(b.p) {
		return v.without("products " + b.p.Run.Precision.Products + " add in the machine's order, which may depend on the split")
	}
	S := total(b.p)
	rows := ragged(b.p, S, b.p.Run.Window.SeqLen)
	var want outcome
	var plain *plan.Plan
	var names []string
	for i, n := range splits(S) {
		p, err := b.plan(Variant{MicroBatches: (S + n - 1) / n, BatchSize: n})
		if err != nil {
			return err
		}
		var got outcome
		if err := b.with(b.o.Engine, p, nil, func(t *trial) (err error) {
			got, err = t.rows(rows)
			return err
		}); err != nil {
			return err
		}
		name := fmt.Sprintf("%d×%d", (S+n-1)/n, n)
		names = append(names, name)
		if i == 0 {
			want, plain = got, p
			continue
		}
		v.same("split "+name, plain, &want, &got)
	}
	v.number("splits", strings.Join(names, " "))
	v.number("N", want.n)
	v.number("loss", want.loss)
	v.number("gradient elements", elements(want.grads))
	return b.splitLoop(v, S)
}

// chained reports whether every product is one chain of float32 sums in the order
// of its terms, which no split of the rows changes. On processors those of bf16dot are.
func chained(p *plan.Plan) bool {
	k := p.Run.Precision.Products
	return k == "f32" || k == "" || k == "bf16dot" && p.Target == "cpu"
}

// splitLoop makes one update with the training loop for each even split.
func (b *bench) splitLoop(v *Verdict, S int) error {
	var want train.Result
	made := 0
	for _, n := range splits(S) {
		if S%n != 0 {
			continue
		}
		p, err := b.plan(Variant{MicroBatches: S / n, BatchSize: n})
		if err != nil {
			return err
		}
		got, err := b.train(b.o.Engine, p, train.Options{Steps: 1})
		if err != nil {
			return fmt.Errorf("train with %d micro-batches of %d: %w", S/n, n, err)
		}
		if made++; made == 1 {
			want = got
			continue
		}
		if got.Loss != want.Loss || got.ParamHash != want.ParamHash {
			v.fail("an update in %d micro-batches of %d: loss %.17g, parameters %.12s; in one: %.17g, %.12s", S/n, n, got.Loss, got.ParamHash, want.Loss, want.ParamHash)
		}
	}
	v.number("updates by the loop", made)
	return nil
}
