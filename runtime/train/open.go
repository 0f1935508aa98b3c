package train

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/sink"
	"github.com/gradcue/gradcue/runtime/state"
	"github.com/gradcue/gradcue/spec/diag"
)

// loop is one call of Run.
type loop struct {
	o     Options
	p     *plan.Plan
	wide  bool // the engine computes in float64
	blind bool // it computes nothing

	src    *data.Source
	eval   *evaluation
	folder *state.Folder
	events sinkFile
	log    *sink.Log
	sess   exec.Session
	store  *store

	fill    *data.Filler
	losses  *tokenLosses
	control []float64
	rowIDs  []int32

	st    state.State // after the last window
	saved int         // windows when it was last saved, -1 never
	torn  bool        // an update was begun and not ended
	was   string      // instruction set of the state gone on from, when this one has other bits
	began time.Time
	res   Result
}

type sinkFile interface {
	sink.File
	Close() error
}

// open does everything that can fail for a reason outside the loop, the user's
// mistakes first.
func (l *loop) open() error {
	if err := trains(l.p); err != nil {
		return err
	}
	r := &l.p.Run
	o := l.sourceOptions(r.Data.Train, "data.train", l.o.Train)
	src, list := data.Open(o)
	if err := l.warn(list); err != nil {
		return err
	}
	l.src = src
	if err := l.openEval(); err != nil {
		return err
	}
	if err := l.openFolder(); err != nil {
		return err
	}
	if err := l.openSession(); err != nil {
		return err
	}
	return l.restore()
}

func (l *loop) sourceOptions(files []string, path string, pos diag.Position) data.Options {
	r := &l.p.Run
	w := r.Window
	return data.Options{Data: r.Data, Files: files, Root: l.o.Root, Loss: r.Loss, T: w.SeqLen, Vocab: data.LimitsOf(l.p).Vocab, Seed: r.Seed,
		Rows: w.MicroBatches * w.BatchSize, Last: w.Last, Path: path, Pos: pos}
}

func (l *loop) openFolder() error {
	if l.o.Dir == "" || l.blind {
		return nil
	}
	env := l.o.Env
	env.Engine = l.o.Engine.Name()
	f, list := state.Open(l.o.Dir, l.p, l.o.Spec, env)
	if err := l.warn(list); err != nil {
		return err
	}
	l.folder, l.res.Dir = f, l.o.Dir
	e, err := f.Events()
	if err != nil {
		return &WorldError{diag.List{{Code: "run.folder", World: true, Summary: fmt.Sprintf("cannot write events: %v", err), Help: "choose another folder with -o DIR"}}}
	}
	l.events, l.log = e, sink.NewLog(e)
	return nil
}

func (l *loop) openSession() error {
	o, err := l.choices(exec.Options{Workers: l.o.Workers, Observer: l.o.Observer})
	if err != nil {
		return err
	}
	s, err := l.o.Engine.Open(l.p, o)
	if err != nil {
		return CannotOpen(err)
	}
	l.sess = s
	if err := l.keepChoices(); err != nil {
		return err
	}
	l.res.Allocated = s.Allocated()
	if !l.wide {
		if err := allocatedAsPlanned(l.p, l.res.Allocated); err != nil {
			return err
		}
	}
	lim := data.LimitsOf(l.p)
	l.fill = data.NewFiller(lim, data.Sees(l.p))
	l.losses = newTokenLosses(l.p.Run.Inputs.TokenLoss, lim.B*lim.T, l.wide)
	l.rowIDs = make([]int32, lim.Compact)
	l.store = newStore(s, l.p, l.wide)
	return nil
}

// CannotOpen is the error of an engine's Open as one about the plan, when that is
// not safe, or about the surroundings.
func CannotOpen(err error) error {
	d := diag.Diagnostic{Code: "engine.open", World: true, Summary: err.Error(), Help: "choose another engine or fewer workers"}
	var can interface{ Advice() string }
	if errors.As(err, &can) {
		d.Help = can.Advice()
	}
	var choice *exec.ChoiceError
	if errors.As(err, &choice) {
		return Findings(diag.List{{Code: "run.kernels", World: !choice.Damaged, Summary: choice.Text,
			Help: "bring that library back (GRADCUE=cublaslt=PATH), or start another run with -o DIR"}})
	}
	var invalid *plan.Invalid
	if errors.As(err, &invalid) {
		return finding("plan.invalid", "", err.Error(), "compile the spec again")
	}
	return &WorldError{diag.List{d}}
}

// restore continues from the newest whole state of the folder, or starts.
func (l *loop) restore() error {
	l.st = state.State{Identity: l.p.Hashes.Identity, Engine: l.o.Engine.Name(), ISA: l.isa(), Scale: scale(&l.p.Run.Precision),
		Data: state.Data{Rows: l.src.Rows(), Tokens: l.src.Tokens(), SHA256: l.src.Digest()}}
	l.saved = -1
	if l.folder == nil {
		return l.store.initialise(l.p.Run.Seed)
	}
	s, damaged, list := state.Load(l.o.Dir, l.p.Hashes.Identity)
	if err := l.warn(list); err != nil {
		return err
	}
	if err := l.folder.SetAside(damaged); err != nil {
		return err
	}
	if s == nil {
		if err := l.store.initialise(l.p.Run.Seed); err != nil {
			return err
		}
		return l.announce(l.folder.Fresh)
	}
	defer s.Close()
	if err := l.fits(s); err != nil {
		return err
	}
	if err := l.store.load(s.File); err != nil {
		return fmt.Errorf("%s: %w", s.Dir, err)
	}
	engine, isa := l.st.Engine, l.st.ISA
	if err := l.otherBits(&s.State); err != nil {
		return err
	}
	l.st = s.State
	l.st.Engine, l.st.ISA = engine, isa
	l.saved, l.res.Saved = s.Windows, s.Dir
	if s.Loss != nil {
		l.res.Loss = *s.Loss
	}
	return l.announce(false)
}

// isa is the instruction set of the session, "" where there is no choice.
func (l *loop) isa() string {
	if v, ok := l.sess.(exec.Vectored); ok {
		return v.ISA()
	}
	return ""
}

// otherBits notes that a state was made on an instruction set with other bits
// than the session's. The run goes on, but not to the bits of one without a break.
func (l *loop) otherBits(s *state.State) error {
	was, is := s.ISA, l.isa()
	if was == "" || is == "" || exec.Class(was) == exec.Class(is) {
		return nil
	}
	l.was = was
	return l.warn(diag.List{{Code: "run.isa", Severity: diag.Warning,
		Summary: fmt.Sprintf("update %d was made on the instruction set %s, this session has %s: the bits from here on differ", s.U, was, is),
		Help:    "for equal bits go on where that instruction set is, or set GRADCUE=cpu=" + was}})
}

// fits wants a saved state to belong to this text and schedule.
func (l *loop) fits(s *state.Saved) error {
	if s.Data != l.st.Data {
		err := finding("run.data", "data.train", fmt.Sprintf("the text has changed since update %d: it had %d tokens in %d rows, has %d in %d", s.U, s.Data.Tokens, s.Data.Rows, l.st.Data.Tokens, l.st.Data.Rows),
			"bring the old text back, or start another run with -o DIR")
		err.(*ContentError).List[0].Pos = l.o.Train
		return err
	}
	if err := l.src.Check(s.Cursor); err != nil || s.U > l.p.Run.Rate.Updates {
		return finding("state.damaged", "", fmt.Sprintf("the state of update %d does not fit the run: %v", s.U, err), "start another run with -o DIR")
	}
	return nil
}

// announce writes how the events that follow begin. A run that is complete has none.
func (l *loop) announce(fresh bool) error {
	l.res.From = l.st.U
	if l.st.U == l.p.Run.Rate.Updates {
		return nil
	}
	e := sink.Event{Type: sink.Start, Version: sink.Version, Name: l.p.Name, Engine: l.o.Engine.Name(), ISA: l.isa(), Was: l.was, Kernels: l.res.Kernels, Identity: l.p.Hashes.Identity,
		Program: l.p.Hashes.Program, Updates: l.p.Run.Rate.Updates}
	if l.o.Now != nil {
		e.Time = l.o.Now().UTC().Format(time.RFC3339)
	}
	if !fresh {
		e.Type, e.From = sink.Resume, &l.res.From
	}
	return l.log.Write(e)
}

// warn hands on findings that do not stop the run and returns the others as an error.
func (l *loop) warn(list diag.List) error {
	if err := Findings(list); err != nil {
		return err
	}
	for _, d := range list {
		if l.o.Warn != nil {
			l.o.Warn(d)
		}
	}
	return nil
}

func newLoop(o Options) *loop {
	name := o.Engine.Name()
	l := &loop{o: o, p: o.Plan, wide: name == "ref", blind: name == "null", log: sink.NewLog(nil), saved: -1}
	l.control = make([]float64, ir.ControlLen)
	l.res = Result{Updates: o.Plan.Run.Rate.Updates, Loss: math.NaN(), EvalLoss: math.NaN()}
	return l
}
