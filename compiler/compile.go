package compiler

import (
	"fmt"
	"runtime/debug"

	"github.com/gradcue/gradcue/compiler/autodiff"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/cost"
	"github.com/gradcue/gradcue/compiler/fuse"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/memory"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/order"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/window"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// Program is what a plan is for.
type Program int

// The programs: training with optional evaluation, or logits for sampling.
const (
	Train Program = iota
	Sample
)

// Source is the experiment to compile and where it comes from.
type Source struct {
	Experiment *shape.Experiment
	Name       string                          // path of the experiment in the user's file
	Where      func(path string) diag.Position // position of a field, may be nil
	Hash       string                          // of the resolved spec
	Files      []string                        // relative to the spec's folder
}

// Options choose target and output.
type Options struct {
	Program Program
	Target  string // default cpu
	Workers int    // 0 = the profile's
	Tool    string // version of the tool, for provenance
	// Batch and SeqLen of a sampling plan; 0 = one sequence of as many positions as training asks for a token.
	Batch, SeqLen int
	// Unsealed leaves the hashes of the plan empty, for a plan that is checked and not kept.
	Unsealed bool
	// Observe is called after each pass with its graph, for dumps and checks.
	Observe func(pass string, g *ir.Graph)
}

// Result is the plan with the graph it came from.
type Result struct {
	Plan  *plan.Plan
	Graph *ir.Graph
}

// InternalError is a bug of a pass.
type InternalError struct {
	Pass  string
	Cause any
	Stack []byte // of the panic, nil when the pass returned an error
}

// Error names the pass.
func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error in pass %s: %v", e.Pass, e.Cause)
}

// Pass is one step of the pipeline.
type Pass struct {
	Name string
	Run  func(*state) error
}

// Passes is the pipeline.
var Passes = []Pass{
	{"model", (*state).buildModel},
	{"autodiff", (*state).differentiate},
	{"window", (*state).closeWindow},
	{"eval", (*state).buildEval},
	{"fuse", (*state).fuse},
	{"place", (*state).place},
	{"order", (*state).order},
	{"cost", (*state).cost},
	{"memory", (*state).memory},
	{"plan", (*state).assemble},
}

// Before states which pass must run before which, and why.
var Before = []struct{ First, Then, Because string }{
	{"model", "autodiff", "the sweep starts from the loss of the forward graph"},
	{"autodiff", "window", "the update reads every gradient"},
	{"window", "eval", "the update is appended to the graph of the sweep, evaluation to the graph with the update"},
	{"autodiff", "fuse", "fused ops have no gradient rule"},
	{"eval", "fuse", "evaluation must be fused like training to have the same bits"},
	{"fuse", "place", "placement decides on named results as they will exist"},
	{"place", "order", "copies need their streams and events"},
	{"order", "cost", "time depends on the order of commands"},
	{"order", "memory", "lives are positions in the order"},
	{"cost", "plan", "the plan carries its predictions"},
	{"memory", "plan", "commands name buffers"},
}

// state is what the passes hand on.
type state struct {
	src     Source
	opt     Options
	cfg     model.Config
	batch   model.Batch
	optim   window.Optimizer
	profile plan.Profile

	g         *ir.Graph
	leaves    *model.Leaves
	back      *autodiff.Result
	state     [][]ir.ID // moments of each parameter
	master    []ir.ID   // f32 copy of each parameter, ir.None without
	rowIDs    ir.ID
	tokenLoss ir.ID
	evalLoss  ir.ID
	logits    ir.ID
	unplaced  *state // before placement, nil where nothing is placed
	placed    *place.Result
	sched     *order.Schedule
	times     [ir.NumSections]cost.Section
	layout    *memory.Layout
	plan      *plan.Plan
}

// Compile checks an experiment and compiles it. The list holds every finding;
// with an error among them there is no result. The error is an *InternalError.
func Compile(src Source, o Options) (res *Result, list diag.List, err error) {
	if src.Where == nil {
		src.Where = func(string) diag.Position { return diag.Position{} }
	}
	s := newState(src, o)
	in := &check.Input{Experiment: src.Experiment, Model: &s.cfg, Where: src.Where, Prefix: src.Name, Target: s.opt.Target}
	if list = append(check.Spec(in), check.Target(in)...); list.HasErrors() {
		list.Sort()
		return nil, list, nil
	}
	for _, p := range Passes {
		if err := s.run(p); err != nil {
			return nil, list, err
		}
	}
	in.Plan, in.Without = s.plan, s.baseline
	list = append(list, check.Plan(in)...)
	list.Sort()
	if list.HasErrors() {
		return nil, list, nil
	}
	return &Result{Plan: s.plan, Graph: s.g}, list, nil
}

// Vet is every finding about a spec that describes another trainer (check.Foreign),
// which is checked and not compiled.
func Vet(src Source) diag.List {
	if src.Where == nil {
		src.Where = func(string) diag.Position { return diag.Position{} }
	}
	cfg := model.FromSpec(src.Experiment)
	return check.Spec(&check.Input{Experiment: src.Experiment, Model: &cfg, Where: src.Where, Prefix: src.Name})
}

// run executes one pass and turns its panic into an error with its name.
func (s *state) run(p Pass) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &InternalError{p.Name, x, debug.Stack()}
		}
	}()
	if err := p.Run(s); err != nil {
		return &InternalError{Pass: p.Name, Cause: err}
	}
	if s.opt.Observe != nil && s.g != nil {
		s.opt.Observe(p.Name, s.g)
	}
	return nil
}

func (s *state) buildModel() error {
	s.g = &ir.Graph{}
	s.leaves = model.NewLeaves(s.g, &s.cfg, s.batch, s.opt.Program == Sample)
	b := model.Builder{G: s.g, C: &s.cfg, B: s.batch, L: s.leaves, Section: ir.Micro, Train: true}
	if s.opt.Program == Sample {
		b.Section, b.Train = ir.Logits, false
		s.logits = b.Logits(b.Hidden())
		return nil
	}
	b.Loss(b.Hidden())
	return nil
}

func (s *state) differentiate() error {
	if s.opt.Program == Sample {
		return nil
	}
	w := &s.src.Experiment.Window
	rows := min(int64(s.cfg.Vocab), w.Tokens)
	var err error
	s.back, err = autodiff.Backward(s.g, autodiff.Options{Control: s.leaves.Control, Params: s.leaves.Params, CompactRows: int(rows)})
	if err != nil {
		return err
	}
	s.g, s.tokenLoss = s.back.Graph, s.back.TokenLoss
	return nil
}

func (s *state) closeWindow() error {
	if s.opt.Program == Sample {
		return nil
	}
	r := window.Append(s.back, s.leaves.Params, s.leaves.Control, &s.optim)
	s.g, s.state, s.master, s.rowIDs = r.Graph, r.State, r.Master, r.RowIDs
	return nil
}

// buildEval appends the forward pass without dropout and gradient.
func (s *state) buildEval() error {
	if s.opt.Program == Sample || s.src.Experiment.Eval.Every == 0 {
		return nil
	}
	b := model.Builder{G: s.g, C: &s.cfg, B: s.batch, L: s.leaves, Section: ir.Eval}
	s.evalLoss = b.Loss(b.Hidden())
	return nil
}

func (s *state) fuse() error {
	// Fusing renumbers, so the names are followed.
	rw := fuse.Fuse(s.g)
	s.g = rw.New
	s.rename(rw.Map)
	return nil
}

func (s *state) place() error {
	d := s.declared().Decide()
	s.remember(d)
	return s.carryOut(d)
}

func (s *state) carryOut(d *place.Decision) error {
	s.placed = place.Apply(s.g, d)
	s.g = s.placed.Graph
	s.rename(func(id ir.ID) ir.ID { return s.placed.IDs[id] })
	return nil
}

func (s *state) order() error {
	s.sched = order.Make(s.g)
	return nil
}

func (s *state) cost() error {
	for sec := range s.times {
		s.times[sec] = cost.Predict(s.g, s.sched.Sections[sec], s.profile)
	}
	return nil
}

func (s *state) memory() error {
	var outputs []ir.ID
	for _, id := range []ir.ID{s.tokenLoss, s.evalLoss, s.logits} {
		if id != ir.None {
			outputs = append(outputs, id)
		}
	}
	s.layout = memory.Plan(s.sched, s.placed, outputs, s.plannedWorkers(), s.opt.Program == Train && s.src.Experiment.Window.MicroBatches == 1)
	return nil
}

// rename follows the values that the plan names through a pass.
func (s *state) rename(f func(ir.ID) ir.ID) {
	follow := func(ids ...*ir.ID) {
		for _, id := range ids {
			if *id != ir.None {
				*id = f(*id)
			}
		}
	}
	l := s.leaves
	moved := *l
	moved.Params = append([]ir.ID(nil), l.Params...)
	for i := range moved.Params {
		follow(&moved.Params[i])
	}
	follow(&moved.Control, &moved.IDs, &moved.Targets, &moved.Weight, &moved.Lo, &moved.Positions, &moved.Last)
	s.leaves = &moved
	follow(&s.tokenLoss, &s.evalLoss, &s.logits, &s.rowIDs)
	if s.back != nil {
		b := *s.back
		b.GradLeaf = append([]ir.ID(nil), b.GradLeaf...)
		for i := range b.GradLeaf {
			follow(&b.GradLeaf[i])
		}
		follow(&b.Row, &b.Compact)
		s.back = &b
	}
	for i, st := range s.state {
		follow(&s.master[i])
		for k := range st {
			follow(&st[k])
		}
	}
}
