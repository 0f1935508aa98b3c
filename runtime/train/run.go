package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/sink"
)

// Run trains until the schedule's last update, Options.Steps or a request to
// stop; called again with the same folder it goes on. The result says where the
// run stands also when there is an error. When ctx ends, the window in progress
// is given up and nothing more is saved; the error is that of ctx.
func Run(ctx context.Context, o Options) (Result, error) {
	l := newLoop(o)
	err := l.open()
	if err == nil {
		err = l.train(ctx)
	}
	if err == nil {
		err = l.finish()
	}
	l.count()
	if closed := l.close(); err == nil {
		err = closed
	}
	return l.res, err
}

// train runs windows until there is a reason to leave.
func (l *loop) train(ctx context.Context) error {
	l.began = l.now()
	defer l.o.Status.Close()
	for !l.leave() {
		if err := l.step(ctx); err != nil {
			return l.failed(ctx, err)
		}
	}
	return nil
}

// leave reports whether the run has ended or is to be left between two windows.
func (l *loop) leave() bool {
	if l.st.U >= l.p.Run.Rate.Updates || l.o.Steps > 0 && len(l.res.Losses) >= l.o.Steps {
		return true
	}
	select {
	case <-l.o.Stop:
		l.res.Stopped = true
	default:
	}
	return l.res.Stopped
}

// step is one window with what is due after it.
func (l *loop) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u := l.st.U
	if err := l.window(ctx); err != nil || l.st.U == u {
		return err
	}
	if err := l.evaluate(ctx); err != nil {
		return err
	}
	if n := l.p.Run.Save.Every; n > 0 && l.st.U%n == 0 {
		return l.save()
	}
	return nil
}

// save writes the state after the last window, unless that is saved already.
func (l *loop) save() error {
	if l.folder == nil || l.saved == l.st.Windows {
		return nil
	}
	dir, err := l.folder.Save(l.st, l.store.header(), l.store.save, l.p.Run.Save.Keep)
	if err != nil {
		return err
	}
	l.saved, l.res.Saved = l.st.Windows, dir
	rel, err := filepath.Rel(l.folder.Dir, dir)
	if err != nil {
		return err
	}
	if err := l.log.Write(sink.Event{Type: sink.Save, U: l.st.U, State: filepath.ToSlash(rel)}); err != nil {
		return err
	}
	return l.log.Sync()
}

// failed saves what is whole after an error in the loop: the parameters are,
// unless an update was begun. A request to stop at once saves nothing.
func (l *loop) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(err, l.log.Write(sink.Event{Type: sink.Fail, U: l.st.U, Message: ctx.Err().Error()}))
	}
	logged := l.log.Write(sink.Event{Type: sink.Fail, U: l.st.U, Message: err.Error()})
	if l.torn || lost(err) {
		return errors.Join(err, logged)
	}
	if saved := l.save(); saved != nil {
		return errors.Join(err, logged, fmt.Errorf("and the state could not be saved: %w", saved))
	}
	return errors.Join(err, logged)
}

// lost reports whether an error took with it what the session held.
func lost(err error) bool {
	var e interface{ Lost() bool }
	return errors.As(err, &e) && e.Lost()
}

// finish saves, marks a complete run and hashes the parameters.
func (l *loop) finish() error {
	l.res.Done = l.st.U == l.p.Run.Rate.Updates
	l.res.Stopped = l.res.Stopped && !l.res.Done
	if err := l.save(); err != nil {
		return err
	}
	if l.blind {
		return nil
	}
	hash, err := l.store.hash()
	if err != nil {
		return err
	}
	l.res.ParamHash = hash
	if l.folder == nil || l.res.From == l.st.U && l.res.Done {
		return nil
	}
	e := sink.Event{Type: sink.Stop, U: l.st.U, Memory: l.beside()}
	if l.res.Done {
		e.Type = sink.Done
		if err := l.folder.Done(fmt.Sprintf("update %d, parameters %s", l.st.U, hash)); err != nil {
			return err
		}
	}
	return errors.Join(l.log.Write(e), l.log.Sync())
}

// count fills in the totals of the result.
func (l *loop) count() {
	r := &l.res
	r.U, r.Skipped, r.Empty = l.st.U, l.st.Skipped, l.st.Empty
	if l.o.Now != nil && !l.began.IsZero() {
		r.Elapsed = l.now().Sub(l.began)
	}
	if r.Elapsed >= time.Microsecond {
		r.TokensPerSecond = float64(r.Tokens) / r.Elapsed.Seconds()
	}
}

// beside is the memory that the session needed beside the arenas, for the events.
func (l *loop) beside() *sink.Memory {
	a, ok := l.sess.(exec.Accountant)
	if !ok {
		return nil
	}
	n := a.Accounts()
	l.res.Beside = &n
	return &sink.Memory{Allocated: l.res.Allocated[ir.Device], Reserved: n.Reserved, At: n.At, Before: n.Before, Host: l.res.Allocated[ir.Host], Pinned: n.Pinned}
}

func (l *loop) close() error {
	var errs []error
	if l.sess != nil {
		errs = append(errs, l.sess.Close())
	}
	if l.events != nil {
		errs = append(errs, l.events.Close())
	}
	if l.folder != nil {
		errs = append(errs, l.folder.Close())
	}
	return errors.Join(errs...)
}
