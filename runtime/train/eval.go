package train

import (
	"context"
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/sink"
)

// evaluation is the held-out text: the same rows every time.
type evaluation struct {
	rows   []loss.Row
	w      loss.Window
	fill   *data.Filler
	losses *tokenLosses
}

// openEval reads the held-out text where the plan evaluates one.
func (l *loop) openEval() error {
	r := &l.p.Run
	if r.Eval.Every < 1 || r.Inputs.EvalLoss < 0 || len(r.Data.Eval) == 0 || len(l.p.Sections[ir.Eval].Commands) == 0 {
		return nil
	}
	o := l.sourceOptions(r.Data.Eval, "data.eval", l.o.Eval)
	o.Data.Order, o.Last, o.Rows = "sequential", "flush", max(1, r.Eval.Batches)*r.Window.BatchSize
	src, list := data.Open(o)
	if err := l.warn(list); err != nil {
		return err
	}
	v := &evaluation{rows: src.First(o.Rows)}
	v.w = r.Loss.Make(v.rows, r.Window.BatchSize)
	if v.w.Trained == 0 {
		d := o.Pos
		err := finding("mask.empty", "data.eval", "no token of the held-out text counts in the loss", "check it with data show")
		err.(*ContentError).List[0].Pos = d
		return err
	}
	lim := data.LimitsOf(l.p)
	lim.Compact = 0
	v.fill = data.NewFiller(lim, data.Sees(l.p))
	v.losses = newTokenLosses(r.Inputs.EvalLoss, lim.B*lim.T, l.wide)
	l.eval = v
	return nil
}

// evaluate measures the held-out loss after update U, if it is due.
func (l *loop) evaluate(ctx context.Context) error {
	v, r := l.eval, &l.p.Run
	if v == nil || l.st.U%r.Eval.Every != 0 && l.st.U != r.Rate.Updates {
		return nil
	}
	sum, B := 0.0, r.Window.BatchSize
	for lo := 0; lo < len(v.rows); lo += B {
		hi := min(lo+B, len(v.rows))
		if !anyWeight(v.w.Weights[lo:hi]) {
			continue
		}
		b, err := v.fill.Fill(v.rows[lo:hi], v.w.Targets[lo:hi], v.w.Weights[lo:hi])
		if err != nil {
			return fmt.Errorf("held-out micro-batch %d: %w", lo/B, err)
		}
		if err := b.Write(&l.p.Run.Inputs, l.sess.Write); err != nil {
			return err
		}
		if err := l.sess.Run(ctx, ir.Eval); err != nil {
			return err
		}
		if err := v.losses.read(l.sess); err != nil {
			return err
		}
		sum = v.losses.add(sum, b.Weight)
	}
	l.res.EvalLoss = sum / v.w.N
	l.o.Status.Say(fmt.Sprintf("update %d  held-out loss %.3f", l.st.U, l.res.EvalLoss))
	return l.log.Write(sink.Event{Type: sink.Eval, U: l.st.U, N: sink.Float(v.w.N), Trained: v.w.Trained, Loss: sink.F(l.res.EvalLoss)})
}
