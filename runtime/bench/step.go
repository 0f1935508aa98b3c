package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
)

// step makes updates on a session, as the training loop does.
type step struct {
	p       *plan.Plan
	sess    exec.Session
	fill    *data.Filler
	texts   []text
	control []float64
	rowIDs  []int32
	losses  []float32
	u       int

	tokens int     // of the last update
	loss   float64 // of the last update
}

// text is a window with its targets and weights.
type text struct {
	rows []loss.Row
	loss.Window
}

// windows is how many windows of random tokens are made.
const windows = 4

func newStep(sess exec.Session, p *plan.Plan, texts [][]loss.Row) (*step, error) {
	in, w := &p.Run.Inputs, p.Run.Window
	if len(p.Sections[ir.Update].Commands) == 0 || min(in.Control, in.IDs, in.Targets, in.Weight, in.TokenLoss) < 0 {
		return nil, errors.New("the plan was not compiled for training")
	}
	lim := data.LimitsOf(p)
	s := &step{p: p, sess: sess, fill: data.NewFiller(lim, data.Sees(p)), control: make([]float64, ir.ControlLen),
		rowIDs: make([]int32, lim.Compact), losses: make([]float32, w.BatchSize*w.SeqLen)}
	if texts == nil {
		r := rand.New(rand.NewPCG(uint64(p.Run.Seed), 1))
		for range windows {
			texts = append(texts, random(r, w, lim.Vocab))
		}
	}
	for _, rows := range texts {
		t := text{rows, p.Run.Loss.Make(rows, w.BatchSize)}
		if t.Trained == 0 {
			return nil, errors.New("a window has no trained token")
		}
		s.texts = append(s.texts, t)
	}
	return s, nil
}

// random is a window of whole rows of one document each.
func random(r *rand.Rand, w plan.Window, vocab int) []loss.Row {
	rows := make([]loss.Row, w.MicroBatches*w.BatchSize)
	for i := range rows {
		row := loss.Row{IDs: make([]int32, w.SeqLen), Docs: make([]int32, w.SeqLen), Roles: make([]loss.Role, w.SeqLen),
			Next: int32(r.IntN(vocab)), NextRole: loss.Text}
		for t := range row.IDs {
			row.IDs[t], row.Roles[t] = int32(r.IntN(vocab)), loss.Text
		}
		rows[i] = row
	}
	return rows
}

// update makes the next update.
func (s *step) update(ctx context.Context) error {
	t := &s.texts[s.u%len(s.texts)]
	s.u++
	s.tokens = 0
	s.set(t.N)
	s.fill.Begin()
	B, sum, ran := s.p.Run.Window.BatchSize, 0.0, 0
	for lo := 0; lo < len(t.rows); lo += B {
		hi := min(lo+B, len(t.rows))
		b, err := s.fill.Fill(t.rows[lo:hi], t.Targets[lo:hi], t.Weights[lo:hi])
		if err != nil {
			return fmt.Errorf("micro-batch %d: %w", lo/B, err)
		}
		if b.Trained == 0 {
			continue
		}
		s.control[plan.CtlAcc], s.control[plan.CtlSeq0] = float64(min(ran, 1)), float64(lo)
		if err := s.micro(ctx, b); err != nil {
			return err
		}
		for i, w := range b.Weight {
			if w != 0 {
				sum += float64(s.losses[i]) * float64(w)
			}
		}
		ran++
		s.tokens += b.Tokens
	}
	s.loss = sum / t.N
	return s.finish(ctx)
}

// set fills in what the control buffer says of a whole window.
func (s *step) set(n float64) {
	r := &s.p.Run
	scale, u := 1.0, float64(s.u)
	if r.Precision.Scale > 0 {
		scale = r.Precision.Scale
	}
	clear(s.control)
	s.control[plan.CtlC] = float64(float32(scale / n))
	s.control[plan.CtlScale] = scale
	s.control[plan.CtlLR] = r.Rate.Factor(min(s.u, r.Rate.Updates)) * r.Optimizer.LR
	s.control[plan.CtlBC1] = 1 - math.Pow(r.Optimizer.Beta1, u)
	s.control[plan.CtlBC2] = 1 - math.Pow(r.Optimizer.Beta2, u)
	s.control[plan.CtlU] = u
}

// micro runs one micro-batch and reads its losses.
func (s *step) micro(ctx context.Context, b *data.Batch) error {
	in := &s.p.Run.Inputs
	if err := errors.Join(b.Write(in, s.sess.Write), s.sess.Write(in.Control, s.control)); err != nil {
		return err
	}
	if err := s.sess.Run(ctx, ir.Micro); err != nil {
		return err
	}
	return s.sess.Read(in.TokenLoss, s.losses)
}

// finish runs the section update.
func (s *step) finish(ctx context.Context) error {
	in := &s.p.Run.Inputs
	s.fill.RowIDs(s.rowIDs)
	if err := errors.Join(write(s.sess, in.RowIDs, s.rowIDs), write(s.sess, in.Control, s.control)); err != nil {
		return err
	}
	if err := s.sess.Run(ctx, ir.Update); err != nil {
		return err
	}
	if err := s.sess.Read(in.Control, s.control); err != nil {
		return err
	}
	if s.control[plan.CtlApply] == 0 {
		return fmt.Errorf("the gradient of update %d is not finite", s.u)
	}
	return nil
}

// write stores an input that the plan has.
func write[T int32 | float32 | float64](s exec.Session, buffer int, data []T) error {
	if buffer < 0 {
		return nil
	}
	return s.Write(buffer, data)
}
