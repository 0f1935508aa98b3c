package prove

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

// Variant is a change of the experiment under proof. Zero values keep what the
// experiment says, so the zero Variant is the experiment itself. None of the
// fields but SeqLen, Wide, Train and Updates may change a bit of a run.
type Variant struct {
	MicroBatches, BatchSize int      // K and B of the window
	SeqLen                  int      // T
	Checkpoint              string   // none, full
	Offload                 string   // none, activations, optimizer, all
	Workers                 int      // threads that scratch memory is planned for
	Wide                    bool     // f32 throughout, where the experiment stores 16 bits
	Train                   []string // data.train
	Updates                 int      // length of the schedule
}

// Options of Run. Compile, Root and Dir are needed.
type Options struct {
	// Compile compiles the experiment with a change.
	Compile func(Variant) (*plan.Plan, error)
	Root    string // folder that the paths of the data start from
	Dir     string // an empty folder for run folders and texts of the proofs

	Engine exec.Engine // what is proved, float32; nil = cpu
	Oracle exec.Engine // the float64 engine it is compared with; nil = ref

	Only     []string         // IDs of the proofs to make; nil = all
	Now      func() time.Time // nil: nothing is timed
	Progress func(Verdict)    // told after each proof, if set
}

// Status is the outcome of a proof.
type Status string

// The outcomes.
const (
	OK      Status = "ok"
	Failed  Status = "FAILED"
	Without Status = "without" // the experiment has nothing of the kind
)

// Number is one thing that a proof counted or measured.
type Number struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Verdict is what a proof found.
type Verdict struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Status  Status   `json:"status"`
	Numbers []Number `json:"numbers"`
	Details []string `json:"details"` // of a failure: what was found, what was expected
	More    int      `json:"more"`    // details that were left out
	Nanos   int64    `json:"ns"`      // 0 without a clock
}

// maxDetails is how many details of a failed proof are kept.
const maxDetails = 8

// fail records that the formula does not hold.
func (v *Verdict) fail(format string, args ...any) {
	v.Status = Failed
	if len(v.Details) == maxDetails {
		v.More++
		return
	}
	v.Details = append(v.Details, fmt.Sprintf(format, args...))
}

// number records a count or a measure.
func (v *Verdict) number(name string, value any) {
	text := fmt.Sprint(value)
	if f, ok := value.(float64); ok {
		text = fmt.Sprintf("%.6g", f)
	}
	v.Numbers = append(v.Numbers, Number{name, text})
}

// without says that there is nothing to prove, and why.
func (v *Verdict) without(why string) error {
	v.Status = Without
	v.Numbers = append(v.Numbers, Number{"", why})
	return nil
}

// Summary is the numbers in one line.
func (v *Verdict) Summary() string {
	parts := make([]string, len(v.Numbers))
	for i, n := range v.Numbers {
		parts[i] = strings.TrimSpace(n.Name + " " + n.Value)
	}
	return strings.Join(parts, " · ")
}

// Proof is one thing that must hold of every experiment.
type Proof struct {
	ID, Title string
	Formula   string
	Doc       string // how it is shown, and which faults it finds
	run       func(b *bench, v *Verdict) error
}

// Proofs is all of them, in the order in which they are made.
var Proofs = []Proof{
	aliases, targets, linear, split, padding, causal, visibleSet, reach, differences, placements, border, ledger, resume, peak,
}

// IDs names all proofs.
func IDs() (ids []string) {
	for _, p := range Proofs {
		ids = append(ids, p.ID)
	}
	return ids
}

// Report is the outcome of all proofs that were made.
type Report struct {
	Plan     *plan.Plan // of the experiment as it was proved
	Verdicts []Verdict
}

// Failed lists the proofs that did not hold.
func (r *Report) Failed() (vs []Verdict) {
	for _, v := range r.Verdicts {
		if v.Status == Failed {
			vs = append(vs, v)
		}
	}
	return vs
}

// Run makes the proofs. An error is one of the options, of compiling, or the end
// of ctx; an engine that fails in the middle of a proof fails that proof.
func Run(ctx context.Context, o Options) (Report, error) {
	b := &bench{ctx: ctx, o: o, plans: map[string]*plan.Plan{}}
	if b.o.Engine == nil {
		b.o.Engine = cpu.Engine{}
	}
	if b.o.Oracle == nil {
		b.o.Oracle = ref.Engine{}
	}
	for _, id := range o.Only {
		if !slices.Contains(IDs(), id) {
			return Report{}, fmt.Errorf("there is no proof %q, only %s", id, strings.Join(IDs(), ", "))
		}
	}
	var err error
	if b.p, err = b.plan(Variant{}); err != nil {
		return Report{}, err
	}
	rep := Report{Plan: b.p}
	for _, p := range Proofs {
		if o.Only != nil && !slices.Contains(o.Only, p.ID) {
			continue
		}
		v, err := b.prove(&p)
		if err != nil {
			return rep, err
		}
		rep.Verdicts = append(rep.Verdicts, v)
		if o.Progress != nil {
			o.Progress(v)
		}
	}
	return rep, nil
}

// prove makes one proof.
func (b *bench) prove(p *Proof) (Verdict, error) {
	v := Verdict{ID: p.ID, Title: p.Title, Status: OK, Numbers: []Number{}, Details: []string{}}
	began := b.now()
	err := p.run(b, &v)
	v.Nanos = int64(b.now().Sub(began))
	var stop *compileError
	switch {
	case b.ctx.Err() != nil:
		return v, b.ctx.Err()
	case errors.As(err, &stop):
		return v, err
	case err != nil:
		v.fail("%v", err)
	}
	return v, nil
}

func (b *bench) now() time.Time {
	if b.o.Now == nil {
		return time.Time{}
	}
	return b.o.Now()
}
