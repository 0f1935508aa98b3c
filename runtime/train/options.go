package train

import (
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/sink"
	"github.com/gradcue/gradcue/runtime/state"
	"github.com/gradcue/gradcue/spec/diag"
)

// Options of Run. Plan, Engine and Root are what it needs; the rest has a useful
// zero value.
type Options struct {
	Plan    *plan.Plan
	Engine  exec.Engine
	Workers int    // 0 = the engine's choice
	Root    string // folder that the paths of the data start from
	// Dir is the run folder; "" keeps nothing, and neither does the null engine.
	Dir  string
	Spec []byte // resolved spec, kept as spec.json; nil = none
	// Kernels is what another run chose (state/kernels.json), for a new run that
	// is to have its bits; nil = none.
	Kernels []byte
	Env     state.Env // Engine is filled in

	Train, Eval diag.Position // of data.train and data.eval in the user's file

	Steps int             // leave after so many updates of this call, 0 = at the end of the schedule
	Stop  <-chan struct{} // closed: finish the update, save, leave

	Now      func() time.Time // nil: nothing is timed
	Status   *sink.Status     // nil: nothing is shown
	Warn     func(diag.Diagnostic)
	Observer exec.Observer
}

// Result is what a call of Run did and where the run stands.
type Result struct {
	Dir     string // run folder, "" when nothing is kept
	From    int    // update that this call started after
	U       int    // successful updates of the run
	Updates int    // of the schedule
	Done    bool   // U is Updates
	Stopped bool   // left because of Options.Stop

	Losses   []float64 // of the updates of this call
	Loss     float64   // of update U, NaN before the first
	EvalLoss float64   // last held-out loss of this call, NaN without one
	Skipped  int       // updates of the run whose gradient was not finite
	Empty    int       // windows of the run without a trained token

	Tokens          int64         // read by the micro-batches of this call
	Elapsed         time.Duration // in the loop; 0 without a clock
	TokensPerSecond float64
	ParamHash       string // sha256 over the parameters in canonical order, "" for the null engine
	Allocated       [ir.NumTiers]int64
	Kernels         string         // what makes its products, in words; "" where there is no choice
	Beside          *exec.Accounts // memory beside that, nil where the engine needs none
	Saved           string         // folder of the newest state, "" when nothing is kept
}

// ContentError says that spec, data, plan or run folder is wrong.
type ContentError struct{ List diag.List }

// WorldError says that the surroundings do not let the run start.
type WorldError struct{ List diag.List }

func (e *ContentError) Error() string { return first(e.List) }
func (e *WorldError) Error() string   { return first(e.List) }

func first(l diag.List) string {
	for _, d := range l {
		if d.Severity == diag.Error {
			return d.Summary + " [" + d.Rule() + "]"
		}
	}
	return "nothing was found"
}

// Findings turns a list into an error: nil without an error in it, a WorldError
// when all of them are of the world, else a ContentError.
func Findings(l diag.List) error {
	content := false
	for _, d := range l {
		content = content || d.Severity == diag.Error && !d.World
	}
	switch {
	case content:
		return &ContentError{l}
	case l.HasErrors():
		return &WorldError{l}
	}
	return nil
}

func finding(code, path, summary, help string) error {
	return &ContentError{diag.List{{Code: code, Path: path, Summary: summary, Help: help}}}
}
