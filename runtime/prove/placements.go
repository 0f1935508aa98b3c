package prove

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

var placements = Proof{
	ID: "placements", Title: "recomputing, offloading and workers change nothing",
	Formula: "Σℓ, g, θ and moments are the same bits for every placement and number of threads; no result is made more than twice",
	Doc: `Two updates of the same ragged window, with everything kept on the device, with every block recomputed,
with activations, moments or both on the host, with both tricks at once, and with other numbers of threads:
loss, gradients, parameters and moments must have the bits of the first. In each plan no result of the forward
pass is computed more than twice. Finds a recompute that draws other random numbers or starts from other
inputs, a copy that is late, stale or of the wrong bytes, a sum whose order depends on threads.`,
	run: (*bench).placements,
}

// placed is the placements that are compared; the first keeps everything.
var placed = []struct {
	name string
	v    Variant
}{
	{"plain", Variant{Checkpoint: "none", Offload: "none"}},
	{"recompute", Variant{Checkpoint: "full", Offload: "none"}},
	{"activations on the host", Variant{Checkpoint: "none", Offload: "activations"}},
	{"moments on the host", Variant{Checkpoint: "none", Offload: "optimizer"}},
	{"recompute, all on the host", Variant{Checkpoint: "full", Offload: "all"}},
	{"one worker", Variant{Checkpoint: "full", Offload: "all", Workers: 1}},
	{"three workers", Variant{Checkpoint: "none", Offload: "none", Workers: 3}},
	{"as declared", Variant{}},
}

// two is the outcome of two updates.
type two struct {
	first, second   outcome
	params, moments [][]float64
}

// twice runs a window and then again as the next update.
func (t *trial) twice() (o two, err error) {
	t.lr, t.u = 1e-2, 1
	bs, w, err := t.batches(ragged(t.p, total(t.p), t.lim.T))
	if err != nil {
		return o, err
	}
	if o.first, err = t.window(bs, w.N); err != nil {
		return o, err
	}
	t.u = 2
	if o.second, err = t.window(bs, w.N); err != nil {
		return o, err
	}
	o.params, o.moments, err = t.state()
	return o, err
}

// equal compares two updates to the bit.
func (v *Verdict) equal(what string, p *plan.Plan, want, got *two) {
	v.same(what+", update 1", p, &want.first, &got.first)
	v.same(what+", update 2", p, &want.second, &got.second)
	for i, x := range want.params {
		if d := differ(x, got.params[i]); d != "" {
			v.fail("%s: %s after two updates differs in %s", what, p.Run.Params[i].Name, d)
		}
	}
	for i, x := range want.moments {
		if d := differ(x, got.moments[i]); d != "" {
			v.fail("%s: moment %d after two updates differs in %s", what, i, d)
		}
	}
}

func (b *bench) placements(v *Verdict) error {
	var want two
	var plain *plan.Plan
	again, moved := 0, int64(0)
	for i, c := range placed {
		p, err := b.plan(c.v)
		if err != nil {
			return err
		}
		again = max(again, v.made(c.name, p))
		moved = max(moved, p.Predictions.MovedOut+p.Predictions.MovedIn)
		var got two
		if err := b.with(b.o.Engine, p, nil, func(t *trial) (err error) {
			got, err = t.twice()
			return err
		}); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if i == 0 {
			want, plain = got, p
			continue
		}
		v.equal(c.name, plain, &want, &got)
	}
	v.number("placements", len(placed))
	v.number("recomputed launches", again)
	v.number("bytes moved an update", moved)
	v.number("numbers compared", 2*elements(want.first.grads)+elements(want.params)+elements(want.moments))
	return nil
}

// made counts the launches that recompute and wants none to be the third of its result.
func (v *Verdict) made(what string, p *plan.Plan) (again int) {
	count := map[string]int{}
	for i := range p.Sections[ir.Micro].Commands {
		c := &p.Sections[ir.Micro].Commands[i]
		if c.Kind != plan.Launch || c.Phase != ir.Forward.String() && c.Phase != ir.Recompute.String() {
			continue
		}
		if c.Phase == ir.Recompute.String() {
			again++
		}
		for _, r := range c.Results {
			name := p.Buffers[r].Name
			if count[name]++; count[name] == 3 {
				v.fail("%s: %s is computed three times in a micro-batch", what, name)
			}
		}
	}
	return again
}
