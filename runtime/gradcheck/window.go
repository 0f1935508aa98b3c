package gradcheck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// window runs one window of a plan in a session.
type window struct {
	ctx    context.Context
	p      *plan.Plan
	s      Session
	in     *Inputs
	c      float64     // 1/N in the precision of the plan
	params [][]float64 // in force now
	before [][]float64 // as they were found
	state  [][]float64 // moments as they were found, in the order of Run.Params
	token  []float64
	runs   int
}

// open checks that plan and inputs fit and reads what restore must put back.
func open(ctx context.Context, p *plan.Plan, s Session, in *Inputs) (*window, error) {
	n, err := in.fit(p)
	if err != nil {
		return nil, err
	}
	w := &window{ctx: ctx, p: p, s: s, in: in, c: float64(float32(1 / n))}
	w.token = make([]float64, elems(p, p.Run.Inputs.TokenLoss))
	for _, q := range p.Run.Params {
		x, err := w.read(q.Buffer)
		if err != nil {
			return nil, err
		}
		w.before = append(w.before, x)
		w.params = append(w.params, slices.Clone(x))
		for _, b := range q.State {
			x, err := w.read(b)
			if err != nil {
				return nil, err
			}
			w.state = append(w.state, x)
		}
	}
	return w, nil
}

func elems(p *plan.Plan, buffer int) int {
	n := 1
	for _, d := range p.Buffers[buffer].Shape {
		n *= d
	}
	return n
}

func (w *window) read(buffer int) ([]float64, error) {
	x := make([]float64, elems(w.p, buffer))
	if err := w.s.Read(buffer, x); err != nil {
		return nil, fmt.Errorf("read %s in float64: %w", w.p.Buffers[buffer].Name, err)
	}
	return x, nil
}

// write stores parameter i.
func (w *window) write(i int) error { return w.s.Write(w.p.Run.Params[i].Buffer, w.params[i]) }

// jitter moves every parameter by seeded normal noise.
func (w *window) jitter(std float64, seed uint64) error {
	if std == 0 {
		return nil
	}
	for i, x := range w.params {
		r := rand.New(rand.NewPCG(seed, 1<<32+uint64(i)))
		for k := range x {
			x[k] += std * r.NormFloat64()
		}
		if err := w.write(i); err != nil {
			return err
		}
	}
	return nil
}

// restore puts parameters and moments back.
func (w *window) restore() error {
	k := 0
	for i, q := range w.p.Run.Params {
		if err := w.s.Write(q.Buffer, w.before[i]); err != nil {
			return fmt.Errorf("restore %s: %w", q.Name, err)
		}
		for _, b := range q.State {
			if err := w.s.Write(b, w.state[k]); err != nil {
				return fmt.Errorf("restore the moments of %s: %w", q.Name, err)
			}
			k++
		}
	}
	return nil
}

// control is what the host writes before a section: loss scale 1, rate 0.
func (w *window) control(acc bool, batch int) []float64 {
	ctl := make([]float64, ir.ControlLen)
	ctl[plan.CtlC], ctl[plan.CtlScale], ctl[plan.CtlU] = w.c, 1, 1
	ctl[plan.CtlBC1], ctl[plan.CtlBC2] = 1, 1
	ctl[plan.CtlSeq0] = float64(batch * w.p.Run.Window.BatchSize)
	if acc {
		ctl[plan.CtlAcc] = 1
	}
	return ctl
}

// losses runs the micro-batches that train something and returns their terms
// c·w·ℓ of the window's loss, in token order.
func (w *window) losses() (terms []float64, err error) {
	for k := range w.in.Batches {
		b := &w.in.Batches[k]
		if b.Trained == 0 {
			continue
		}
		if err := b.Write(&w.p.Run.Inputs, w.s.Write); err != nil {
			return nil, err
		}
		if err := w.s.Write(w.p.Run.Inputs.Control, w.control(terms != nil, k)); err != nil {
			return nil, err
		}
		if err := w.s.Run(w.ctx, ir.Micro); err != nil {
			return nil, err
		}
		w.runs++
		if err := w.s.Read(w.p.Run.Inputs.TokenLoss, w.token); err != nil {
			return nil, err
		}
		for r, l := range w.token {
			terms = append(terms, w.c*float64(b.Weight[r])*l)
		}
	}
	return terms, nil
}

// gradient runs the window once and returns the gradient of each parameter with
// the loss.
func (w *window) gradient() (grads [][]float64, loss float64, err error) {
	terms, err := w.losses()
	if err != nil {
		return nil, 0, err
	}
	for _, t := range terms {
		loss += t
	}
	if err := w.complete(); err != nil {
		return nil, 0, err
	}
	for _, q := range w.p.Run.Params {
		g, err := w.read(q.Grad)
		if err != nil {
			return nil, 0, err
		}
		grads = append(grads, g)
	}
	return grads, loss, nil
}

// complete adds the embedding's part to a shared table's gradient. The command
// for it stands in the update, which changes no parameter at rate 0 but does
// move the moments; restore undoes that.
func (w *window) complete() error {
	shared := slices.ContainsFunc(w.p.Sections[ir.Update].Commands, func(c plan.Command) bool { return c.Op == ir.OpEmbedAdd.String() })
	if !shared {
		return nil
	}
	if err := w.s.Write(w.p.Run.Inputs.RowIDs, w.in.RowIDs); err != nil {
		return err
	}
	if err := w.s.Write(w.p.Run.Inputs.Control, w.control(false, 0)); err != nil {
		return err
	}
	if err := w.s.Run(w.ctx, ir.Update); err != nil {
		return err
	}
	for i := range w.params {
		if err := w.write(i); err != nil {
			return err
		}
	}
	return nil
}
