package prove

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// clipping makes updates with gradients below and above the clip limit, each at
// two loss scales.
func (t *trial) clipping(v *Verdict) error {
	limit, found := clipLimit(t.p)
	if !found {
		return fmt.Errorf("the plan has no %s", ir.OpClip)
	}
	rows := ragged(t.p, total(t.p), t.lim.T)
	t.lr, t.scale = 0, t.scales()[0]
	plain, err := t.rows(rows)
	if err != nil {
		return err
	}
	factors := []float64{1}
	if limit > 0 {
		// Powers of two, so that gradients differ in their exponents only.
		e := math.Round(math.Log2(limit / plain.ctl[plan.CtlNorm]))
		factors = []float64{math.Exp2(e - 2), math.Exp2(e + 2)}
	}
	t.lr = 1e-2
	for _, f := range factors {
		t.factor = f
		var params [][]float64
		for _, s := range t.scales() {
			t.scale = s
			o, err := t.rows(rows)
			if err != nil {
				return err
			}
			after, _, err := t.state()
			if err != nil {
				return err
			}
			what := fmt.Sprintf("norm %.3g, s = %g", f*plain.ctl[plan.CtlNorm], s)
			t.judge(v, what, limit, &o)
			t.step(v, what, &o, after)
			if params == nil {
				params = after
				continue
			}
			for i := range after {
				if d := differ(params[i], after[i]); d != "" {
					v.fail("%s: %s differs from s = %g in %s", what, t.p.Run.Params[i].Name, t.scales()[0], d)
				}
			}
		}
		v.number("clip", fmt.Sprintf("%.3g → %.3g", f*plain.ctl[plan.CtlNorm], min(f*plain.ctl[plan.CtlNorm], orInf(limit))))
	}
	return nil
}

// scales are the loss scales that must give the same bits: powers of two, but
// only one in f16, whose few exponents are why it needs a scale.
func (t *trial) scales() []float64 {
	if t.p.Run.Precision.Compute == "f16" {
		return []float64{scaleOf(t.p)}
	}
	return []float64{1, 1024}
}

func orInf(limit float64) float64 {
	if limit > 0 {
		return limit
	}
	return math.Inf(1)
}

// clipLimit is the largest norm of the plan, 0 when it does not clip.
func clipLimit(p *plan.Plan) (limit float64, found bool) {
	for _, c := range p.Sections[ir.Update].Commands {
		if c.Op != ir.OpClip.String() {
			continue
		}
		if c.Attr != nil {
			limit = c.Attr.MaxNorm
		}
		return limit, true
	}
	return 0, false
}

// judge recomputes what clip decided from the gradients that it saw.
func (t *trial) judge(v *Verdict, what string, limit float64, o *outcome) {
	sum := 0.0
	for _, g := range o.grads {
		for _, x := range g {
			sum += x / t.scale * (x / t.scale)
		}
	}
	norm, clip := math.Sqrt(sum), 1.0
	if limit > 0 && norm > limit {
		clip = limit / norm
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"norm of g", o.ctl[plan.CtlNorm], norm}, {"clip factor", o.ctl[plan.CtlClip], clip}, {"factor on g̃", o.ctl[plan.CtlGScale], clip / t.scale},
		{"apply", o.ctl[plan.CtlApply], 1}} {
		if !(math.Abs(x.got-x.want) <= 1e-9*math.Abs(x.want)) {
			v.fail("%s: %s is %.12g, expected %.12g", what, x.name, x.got, x.want)
		}
	}
}

// step compares the first update with the optimizer's formula in float64.
func (t *trial) step(v *Verdict, what string, o *outcome, after [][]float64) {
	opt := &t.p.Run.Optimizer
	gscale := o.ctl[plan.CtlGScale]
	for i := range t.p.Run.Params {
		q := &t.p.Run.Params[i]
		lr, w := t.lr*q.Scale, start(q)
		for k := range w {
			g := o.grads[i][k] * gscale
			var want float64
			if opt.Kind == "adamw" {
				// At u = 1 both corrected moments are g and g².
				want = w[k] - lr*q.Decay*w[k] - lr*g/(math.Abs(g)+opt.Eps)
			} else {
				d := g + q.Decay*w[k]
				if opt.Nesterov {
					d += opt.Momentum * d
				}
				want = w[k] - lr*d
			}
			if got := after[i][k]; !(math.Abs(got-want) <= 2e-6*(math.Abs(w[k])+lr)) {
				v.fail("%s: element %d of %s is %.9g after the update, the formula gives %.9g", what, k, q.Name, got, want)
				break
			}
		}
	}
}
