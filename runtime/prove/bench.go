package prove

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
)

// bench is what the proofs share: the experiment's plan and those of its variants.
type bench struct {
	ctx   context.Context
	o     Options
	p     *plan.Plan
	plans map[string]*plan.Plan
}

// compileError is a variant that could not be compiled: no fault of an engine.
type compileError struct {
	v   Variant
	err error
}

func (e *compileError) Error() string { return fmt.Sprintf("compile variant %+v: %v", e.v, e.err) }
func (e *compileError) Unwrap() error { return e.err }

// plan compiles a variant once.
func (b *bench) plan(v Variant) (*plan.Plan, error) {
	key := fmt.Sprintf("%+v", v)
	if p := b.plans[key]; p != nil {
		return p, nil
	}
	p, err := b.o.Compile(v)
	if err != nil {
		return nil, &compileError{v, err}
	}
	b.plans[key] = p
	return p, nil
}

// trial is an open session of a plan, driven as the training loop drives one.
type trial struct {
	b    *bench
	p    *plan.Plan
	s    exec.Session
	fill *data.Filler
	lim  data.Limits
	wide bool // the engine keeps float64

	scale  float64 // s
	factor float64 // on c, beside s
	u      int     // update being made
	lr     float64 // rate of the update section
	poison bool    // fill everything that dies with a section with NaN before it
}

// open starts an engine on a plan, at the first parameters with noise.
func (b *bench) open(e exec.Engine, p *plan.Plan, obs exec.Observer) (*trial, error) {
	s, err := e.Open(p, exec.Options{Observer: obs})
	if err != nil {
		return nil, err
	}
	t := &trial{b: b, p: p, s: s, lim: data.LimitsOf(p), scale: scaleOf(p), factor: 1, u: 1, wide: e.Name() == b.o.Oracle.Name()}
	t.fill = data.NewFiller(t.lim, data.Sees(p))
	if err := t.reset(); err != nil {
		return nil, t.closed(err)
	}
	return t, nil
}

// scaleOf is the loss scale of the proofs: the first one of the plan, or less
// where that could overflow 16 bits on random parameters.
func scaleOf(p *plan.Plan) float64 {
	if k := p.Run.Precision.Scaler; k == "" || k == "none" {
		return 1
	}
	return min(p.Run.Precision.Scale, 1024)
}

// with opens a trial for the time of a function.
func (b *bench) with(e exec.Engine, p *plan.Plan, obs exec.Observer, f func(*trial) error) error {
	t, err := b.open(e, p, obs)
	if err != nil {
		return err
	}
	return t.closed(f(t))
}

// closed closes the session; the first error wins.
func (t *trial) closed(err error) error {
	if e := t.s.Close(); err == nil {
		err = e
	}
	return err
}

// noise is added to every parameter: at their first values, ones and zeros can
// hide a missing factor or term.
const noise = 0.05

// reset writes parameters and clears moments. The values depend on name and
// index only, so every variant starts from the same point.
func (t *trial) reset() error {
	for i := range t.p.Run.Params {
		q := &t.p.Run.Params[i]
		if err := t.write(q.Buffer, start(q)); err != nil {
			return err
		}
		if q.Master > 0 {
			if err := t.write(q.Master-1, start(q)); err != nil {
				return err
			}
		}
		for _, m := range q.State {
			if err := t.write(m, make([]float64, count(q.Shape))); err != nil {
				return err
			}
		}
	}
	return nil
}

// start is the values of a parameter in the proofs, exact in float32.
func start(q *plan.Param) []float64 {
	var h uint64 = 14695981039346656037
	for i := range len(q.Name) {
		h = (h ^ uint64(q.Name[i])) * 1099511628211
	}
	r := rand.New(rand.NewPCG(h, 7))
	std := noise
	if q.Init == "normal" {
		std = math.Hypot(noise, min(q.Std, 0.2))
	}
	x := make([]float64, count(q.Shape))
	for i := range x {
		v := std * r.NormFloat64()
		if q.Init == "ones" {
			v++
		}
		x[i] = float64(float32(v))
	}
	return x
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// write stores numbers in a buffer of floats; one of 16 bits rounds them.
func (t *trial) write(buffer int, x []float64) error {
	if t.wide {
		return t.s.Write(buffer, x)
	}
	f := make([]float32, len(x))
	for i, v := range x {
		f[i] = float32(v)
	}
	return t.s.Write(buffer, f)
}

// read reads a buffer of floats with all digits that the engine has.
func (t *trial) read(buffer int) ([]float64, error) {
	x := make([]float64, count(t.p.Buffers[buffer].Shape))
	if t.wide {
		return x, t.s.Read(buffer, x)
	}
	f := make([]float32, len(x))
	if err := t.s.Read(buffer, f); err != nil {
		return nil, err
	}
	for i, v := range f {
		x[i] = float64(v)
	}
	return x, nil
}

// batches cuts rows into micro-batches by the plan's policy: the arrays that the
// training loop would write, each with its own memory, and N.
func (t *trial) batches(rows []loss.Row) ([]data.Batch, loss.Window, error) {
	w := t.p.Run.Loss.Make(rows, t.lim.B)
	var bs []data.Batch
	t.fill.Begin()
	for lo := 0; lo < len(rows); lo += t.lim.B {
		hi := min(lo+t.lim.B, len(rows))
		f, err := t.fill.Fill(rows[lo:hi], w.Targets[lo:hi], w.Weights[lo:hi])
		if err != nil {
			return nil, w, err
		}
		bs = append(bs, clone(f))
	}
	return bs, w, nil
}

func clone(b *data.Batch) data.Batch {
	c := *b
	ints := func(x *[]int32) { *x = append([]int32(nil), *x...) }
	for _, x := range []*[]int32{&c.IDs, &c.Targets, &c.Lo, &c.Positions, &c.Row} {
		ints(x)
	}
	c.Weight = append([]float32(nil), b.Weight...)
	return c
}

// control is what the host writes before a section.
func (t *trial) control(n float64, acc bool, seq0 int) []float64 {
	c, o := make([]float64, ir.ControlLen), &t.p.Run.Optimizer
	c[plan.CtlC] = float64(float32(t.scale * t.factor / n))
	c[plan.CtlScale], c[plan.CtlLR], c[plan.CtlU], c[plan.CtlSeq0] = t.scale, t.lr, float64(t.u), float64(seq0)
	c[plan.CtlBC1], c[plan.CtlBC2] = 1-math.Pow(o.Beta1, float64(t.u)), 1-math.Pow(o.Beta2, float64(t.u))
	if acc {
		c[plan.CtlAcc] = 1
	}
	return c
}

// run runs a section.
func (t *trial) run(s ir.Section) error {
	if t.poison {
		if err := t.spoil(s); err != nil {
			return err
		}
	}
	return t.s.Run(t.b.ctx, s)
}

// mortal reports whether a buffer holds floats that are not there when a section begins.
func mortal(u *plan.Buffer, s ir.Section) bool {
	dead := !u.Run && u.Section == int(s) || u.Run && u.From > 0 && s == ir.Micro
	return dead && (u.DType == "f32" || u.DType == "bf16" || u.DType == "f16") && u.Class != ir.Workspace.String()
}

// spoil fills every buffer of floats of a section that holds nothing at its begin with NaN.
func (t *trial) spoil(s ir.Section) error {
	for i := range t.p.Buffers {
		u := &t.p.Buffers[i]
		if !mortal(u, s) {
			continue
		}
		x := make([]float64, count(u.Shape))
		for k := range x {
			x[k] = math.NaN()
		}
		if err := t.write(i, x); err != nil {
			return err
		}
	}
	return nil
}
