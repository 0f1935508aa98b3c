package prove

import (
	"context"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/train"
)

// spy is an engine whose traffic with the training loop is watched, so that the
// loop that trains is the loop that is proved.
type spy struct {
	exec.Engine
	written func(p *plan.Plan, buffer int, data any)
	before  func(p *plan.Plan, s exec.Session, sec ir.Section) error
	after   func(p *plan.Plan, s exec.Session, sec ir.Section) error
}

// Open opens the engine behind the spy.
func (e *spy) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	s, err := e.Engine.Open(p, o)
	if err != nil {
		return nil, err
	}
	return &watched{Session: s, p: p, e: e}, nil
}

type watched struct {
	exec.Session
	p *plan.Plan
	e *spy
}

// Write tells the spy what the loop writes.
func (w *watched) Write(buffer int, data any) error {
	if w.e.written != nil {
		w.e.written(w.p, buffer, data)
	}
	return w.Session.Write(buffer, data)
}

// Run lets the spy look at the session on both sides of a section.
func (w *watched) Run(ctx context.Context, s ir.Section) error {
	if w.e.before != nil {
		if err := w.e.before(w.p, w.Session, s); err != nil {
			return err
		}
	}
	if err := w.Session.Run(ctx, s); err != nil {
		return err
	}
	if w.e.after != nil {
		return w.e.after(w.p, w.Session, s)
	}
	return nil
}

// train runs the training loop on an engine.
func (b *bench) train(e exec.Engine, p *plan.Plan, o train.Options) (train.Result, error) {
	o.Plan, o.Engine = p, e
	if o.Root == "" {
		o.Root = b.o.Root
	}
	return train.Run(b.ctx, o)
}
