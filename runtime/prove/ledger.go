package prove

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/train"
)

var ledger = Proof{
	ID: "ledger", Title: "an update is applied, or nothing moves",
	Formula: "θ, moments and u change ⇔ g is finite; norm, clip and step act on g = g̃/s; clip = min(1, max/norm)",
	Doc: `The training loop makes updates while a NaN and then an infinity are put into a gradient before the update
section: parameters and moments keep their bits, u, rate and bias corrections are those of the same update
again, a dynamic s has backed off, the skip is counted, and the next clean window is the update that was due.
Then single updates run below and above the clip limit with s = 1 and s = 1024: norm and factor are those of
the restored gradient, the parameters of both are the same bits, and the step is that of the optimizer's
formula in float64. Finds a tick on a skip, a step on a bad gradient, clipping before s is removed, s removed
twice.`,
	run: (*bench).ledger,
}

// entry is a line of the ledger: one window.
type entry struct {
	spoiled       bool
	u, lr, bc1, s float64 // what the loop wrote
	apply, factor float64 // what the engine answered
	before, after uint64  // checksum of parameters and moments
	firstAcc      float64 // accumulate flag of the first and of the other micro-batches
	laterAcc      bool
}

// keeper watches the loop, spoils some windows and keeps the ledger.
type keeper struct {
	bad     []float64 // what is put into window 2, 3, …
	ctl     []float64
	started bool
	now     entry
	lines   []entry
}

func (k *keeper) spy(e exec.Engine) *spy {
	s := &spy{Engine: e}
	s.written = func(p *plan.Plan, buffer int, data any) {
		if d, ok := data.([]float64); ok && buffer == p.Run.Inputs.Control {
			k.ctl = append(k.ctl[:0], d...)
		}
	}
	s.before = func(p *plan.Plan, s exec.Session, sec ir.Section) (err error) {
		if sec == ir.Micro {
			if acc := k.ctl[plan.CtlAcc]; !k.started {
				k.started, k.now.firstAcc, k.now.laterAcc = true, acc, true
			} else {
				k.now.laterAcc = k.now.laterAcc && acc != 0
			}
			return nil
		}
		k.now.u, k.now.lr, k.now.bc1, k.now.s = k.ctl[plan.CtlU], k.ctl[plan.CtlLR], k.ctl[plan.CtlBC1], k.ctl[plan.CtlScale]
		if at := len(k.lines) - 1; at >= 0 && at < len(k.bad) {
			k.now.spoiled = true
			if err := spoilGradient(p, s, k.bad[at]); err != nil {
				return err
			}
		}
		k.now.before, err = stateSum(p, s)
		return err
	}
	s.after = func(p *plan.Plan, s exec.Session, sec ir.Section) (err error) {
		if sec != ir.Update {
			return nil
		}
		c := make([]float64, ir.ControlLen)
		if err := s.Read(p.Run.Inputs.Control, c); err != nil {
			return err
		}
		k.now.apply, k.now.factor = c[plan.CtlApply], c[plan.CtlClip]
		k.now.after, err = stateSum(p, s)
		k.lines, k.now, k.started = append(k.lines, k.now), entry{}, false
		return err
	}
	return s
}

// spoilGradient puts a number into the middle of the last parameter's gradient.
func spoilGradient(p *plan.Plan, s exec.Session, x float64) error {
	q := &p.Run.Params[len(p.Run.Params)-1]
	g := make([]float32, count(q.Shape))
	if err := s.Read(q.Grad, g); err != nil {
		return err
	}
	g[len(g)/2] = float32(x)
	return s.Write(q.Grad, g)
}

// stateSum is a checksum of parameters and moments.
func stateSum(p *plan.Plan, s exec.Session) (uint64, error) {
	t := trial{p: p, s: s}
	params, moments, err := t.state()
	return checksum(append(params, moments...)...), err
}

func (b *bench) ledger(v *Verdict) error {
	p, err := b.plan(Variant{Updates: max(4, b.p.Run.Rate.Updates)})
	if err != nil {
		return err
	}
	bad := []float64{math.NaN(), math.Inf(1)}
	bad = bad[:min(len(bad), max(1, p.Run.Precision.SkipLimit)-1)]
	k := &keeper{bad: bad}
	res, err := b.train(k.spy(b.o.Engine), p, train.Options{Steps: 2})
	if err != nil {
		return err
	}
	k.compare(v, p, &res)
	return b.with(b.o.Engine, b.p, nil, func(t *trial) error { return t.clipping(v) })
}

// compare checks the ledger: 1, then the spoiled windows and the clean one as 2.
func (k *keeper) compare(v *Verdict, p *plan.Plan, res *train.Result) {
	r := &p.Run
	for i, e := range k.lines {
		u := min(i+1, 2)
		what := fmt.Sprintf("window %d", i+1)
		if e.u != float64(u) {
			v.fail("%s is update %g, expected %d", what, e.u, u)
		}
		if want := r.Rate.Factor(u) * r.Optimizer.LR; e.lr != want {
			v.fail("%s has rate %g, update %d has %g", what, e.lr, u, want)
		}
		if want := 1 - math.Pow(r.Optimizer.Beta1, float64(u)); e.bc1 != want {
			v.fail("%s has bias correction %g, update %d has %g", what, e.bc1, u, want)
		}
		if i > 0 {
			v.scaled(what, &r.Precision, &k.lines[i-1], &e)
		}
		if e.apply != 0 && e.spoiled {
			v.fail("%s has a gradient that is not finite, and is applied", what)
		}
		if e.apply == 0 && !e.spoiled {
			v.fail("%s has a finite gradient, and is not applied", what)
		}
		if moved := e.before != e.after; moved != (e.apply != 0) {
			v.fail("%s: applied is %v, parameters or moments changed is %v", what, e.apply != 0, moved)
		}
		if e.spoiled && e.before != e.after {
			v.fail("%s has a gradient that is not finite, and parameters or moments changed", what)
		}
		if e.firstAcc != 0 || !e.laterAcc {
			v.fail("%s: the first micro-batch must clear, the others add", what)
		}
	}
	if res.U != 2 || res.Skipped != len(k.bad) {
		v.fail("the loop counts %d updates and %d skips, expected 2 and %d", res.U, res.Skipped, len(k.bad))
	}
	if len(k.lines) != 2+len(k.bad) {
		v.fail("%d windows were run, expected %d", len(k.lines), 2+len(k.bad))
	}
	v.number("windows", len(k.lines))
	v.number("applied", res.U)
	v.number("skipped", res.Skipped)
}

// scaled wants s to back off after a skip, if it is dynamic, and to stay else.
func (v *Verdict) scaled(what string, p *plan.Precision, before, e *entry) {
	want := before.s
	switch {
	case p.Scaler != "dynamic":
	case before.apply == 0:
		want *= p.Backoff
	case p.Every == 1:
		want *= p.Growth
	}
	if e.s != want {
		v.fail("%s has s = %g, expected %g after %g", what, e.s, want, before.s)
	}
}
