package train

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/sink"
)

// window reads one window, runs it and counts it. The state changes at the end
// and only when everything before it worked.
func (l *loop) window(ctx context.Context) error {
	began := l.now()
	rows, next, err := l.src.Window(l.st.Cursor)
	if err != nil {
		return err
	}
	w := l.p.Run.Loss.Make(rows, l.p.Run.Window.BatchSize)
	e := sink.Event{U: l.st.U + 1, Window: l.st.Windows + 1, Epoch: l.st.Cursor.Epoch, Row: l.st.Cursor.Row, N: sink.Float(w.N), Trained: w.Trained, Scale: sink.Float(l.st.Scale)}
	if w.Trained == 0 {
		return l.empty(e, next)
	}
	c := l.baseControl()
	c[plan.CtlC] = float64(float32(l.st.Scale / w.N))
	sum, err := l.micros(ctx, rows, &w, c, &e)
	if err != nil {
		return err
	}
	mean := sum / w.N
	if err := l.update(ctx, c); err != nil {
		return err
	}
	e.Loss, e.Norm, e.Clip, e.LR = sink.F(mean), sink.F(c[plan.CtlNorm]), sink.Float(c[plan.CtlClip]), sink.Float(c[plan.CtlLR])
	e.Nanos = int64(l.now().Sub(began))
	l.st.Cursor = next
	l.st.Windows++
	l.st.Barren = 0
	l.res.Tokens += int64(e.Tokens)
	if c[plan.CtlApply] == 0 && !l.blind {
		return l.skipped(e)
	}
	return l.applied(e, mean)
}

// baseControl is the control buffer of update u = U+1: everything that is the
// same in all sections of its window.
func (l *loop) baseControl() []float64 {
	c, r := l.control, &l.p.Run
	clear(c)
	u := l.st.U + 1
	c[plan.CtlScale] = l.st.Scale
	c[plan.CtlLR] = r.Rate.Factor(u) * r.Optimizer.LR
	c[plan.CtlBC1] = 1 - math.Pow(r.Optimizer.Beta1, float64(u))
	c[plan.CtlBC2] = 1 - math.Pow(r.Optimizer.Beta2, float64(u))
	c[plan.CtlU] = float64(u)
	return c
}

// micros runs the micro-batches that have something to train and returns
// Σ weight·ℓ in f64, in token order.
func (l *loop) micros(ctx context.Context, rows []loss.Row, w *loss.Window, c []float64, e *sink.Event) (sum float64, err error) {
	l.fill.Begin()
	B := l.p.Run.Window.BatchSize
	for lo := 0; lo < len(rows); lo += B {
		hi := min(lo+B, len(rows))
		if !anyWeight(w.Weights[lo:hi]) {
			continue
		}
		b, err := l.fill.Fill(rows[lo:hi], w.Targets[lo:hi], w.Weights[lo:hi])
		if err != nil {
			return 0, fmt.Errorf("window %d, micro-batch %d: %w", e.Window, lo/B, err)
		}
		c[plan.CtlAcc] = float64(min(e.MicroBatches, 1))
		c[plan.CtlSeq0] = float64(lo)
		if err := b.Write(&l.p.Run.Inputs, l.sess.Write); err != nil {
			return 0, err
		}
		if err := l.sess.Write(l.p.Run.Inputs.Control, c); err != nil {
			return 0, fmt.Errorf("write control: %w", err)
		}
		if err := l.sess.Run(ctx, ir.Micro); err != nil {
			return 0, err
		}
		if err := l.losses.read(l.sess); err != nil {
			return 0, err
		}
		sum = l.losses.add(sum, b.Weight)
		e.MicroBatches++
		e.Tokens += b.Tokens
	}
	return sum, nil
}

func anyWeight(rows [][]float32) bool {
	for _, ws := range rows {
		for _, m := range ws {
			if m != 0 {
				return true
			}
		}
	}
	return false
}

// update runs the section update and reads back what the device decided. While
// it runs, the parameters belong to no update.
func (l *loop) update(ctx context.Context, c []float64) error {
	in := &l.p.Run.Inputs
	if in.RowIDs >= 0 {
		l.fill.RowIDs(l.rowIDs)
		if err := l.sess.Write(in.RowIDs, l.rowIDs); err != nil {
			return fmt.Errorf("write rowids: %w", err)
		}
	}
	if err := l.sess.Write(in.Control, c); err != nil {
		return fmt.Errorf("write control: %w", err)
	}
	l.torn = true
	if err := l.sess.Run(ctx, ir.Update); err != nil {
		return err
	}
	if err := l.sess.Read(in.Control, c); err != nil {
		return fmt.Errorf("read control: %w", err)
	}
	l.torn = false
	return nil
}

// applied counts an update that was made.
func (l *loop) applied(e sink.Event, mean float64) error {
	l.st.U++
	l.st.Streak = 0
	rescale(&l.p.Run.Precision, &l.st, true)
	l.st.Trained += int64(e.Trained)
	l.st.Loss = nil
	if !math.IsNaN(mean) && !math.IsInf(mean, 0) {
		l.st.Loss = &mean
	}
	l.res.Loss = mean
	l.res.Losses = append(l.res.Losses, mean)
	e.Type = sink.Update
	l.o.Status.Update(sink.Line{U: l.st.U, Updates: l.p.Run.Rate.Updates, Loss: mean, Norm: float64(*e.Norm), LR: float64(e.LR),
		Made: len(l.res.Losses), Tokens: l.res.Tokens, Elapsed: l.now().Sub(l.began)})
	return l.log.Write(e)
}

// skipped counts an update whose gradient was not finite; too many in a row end the run.
func (l *loop) skipped(e sink.Event) error {
	l.st.Skipped++
	l.st.Streak++
	rescale(&l.p.Run.Precision, &l.st, false)
	e.Type = sink.Skip
	if err := l.log.Write(e); err != nil {
		return err
	}
	l.o.Status.Say(fmt.Sprintf("update %d skipped: the gradient is not finite (%d in a row)", e.U, l.st.Streak))
	if limit := max(1, l.p.Run.Precision.SkipLimit); l.st.Streak >= limit {
		return fmt.Errorf("the gradient of update %d was not finite %d times in a row, the limit is %d: lower optimizer.lr, or look at the losses in the events before it", e.U, l.st.Streak, limit)
	}
	return nil
}

// empty counts a window without a trained token.
func (l *loop) empty(e sink.Event, next data.Cursor) error {
	if l.p.Run.Window.Empty == "stop" {
		return l.nothing(fmt.Sprintf("window %d has no trained token and window.empty is stop", e.Window), "set window.empty to skip, or look at the mask with data show")
	}
	l.st.Cursor = next
	l.st.Windows++
	l.st.Empty++
	l.st.Barren++
	e.Type, e.U = sink.Empty, 0
	if err := l.log.Write(e); err != nil {
		return err
	}
	if l.st.Barren*l.p.Run.Window.BatchSize*l.p.Run.Window.MicroBatches >= l.src.Rows() {
		return l.nothing(fmt.Sprintf("no token of a whole epoch of %d rows is trained", l.src.Rows()), "check mask and packing with data show: documents of one token have no target")
	}
	return nil
}

func (l *loop) nothing(summary, help string) error {
	err := finding("mask.empty", "data.train", summary, help)
	err.(*ContentError).List[0].Pos = l.o.Train
	return err
}

// now is the time by the caller's clock.
func (l *loop) now() time.Time {
	if l.o.Now == nil {
		return time.Time{}
	}
	return l.o.Now()
}
