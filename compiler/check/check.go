package check

import (
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// Input is what rules read.
type Input struct {
	Experiment *shape.Experiment
	Model      *model.Config
	Where      func(path string) diag.Position // user's position of a field, by dotted path
	Prefix     string                          // path of the experiment in the user's file
	Target     string                          // what it is compiled for, such as cuda:sm_80; "" is cpu
	Plan       *plan.Plan                      // nil for rules on the spec
	Sample     *Sample                         // nil without data
	// Without is the plan of the same experiment with nothing recomputed or
	// offloaded, its sizes only. Nil where nothing is declared.
	Without func() *plan.Plan
}

// Sample is a part of the training data that rules may look at.
type Sample struct {
	Rows  []loss.Row // in token order, each with the roles and documents of its positions
	Batch int        // rows of a micro-batch, at least 1
	// Labels are the targets that the described trainer made of the rows, one a
	// position, mask.ignoreIndex where it trains nothing. Nil where unknown.
	Labels [][]int32
}

// Rule is one check. A rule has at least one of Spec, Plan and Data.
type Rule struct {
	ID      string
	Title   string
	Formula string
	Doc     string
	Spec    func(*Input) []Finding // reads the spec only
	Plan    func(*Input) []Finding // reads the finished plan
	Data    func(*Input) []Finding // reads spec and Sample; runs only where Spec found nothing
	// Target marks a rule about what this version can build. It says nothing of a
	// spec that describes another trainer.
	Target bool
}

// Finding is what a rule found: the field, what was found and expected, one
// thing to do.
type Finding struct {
	Field    string
	Summary  string
	Help     string
	Severity diag.Severity
	Related  []string // fields that the formula also reads
}

// Rules are all rules in the order in which explain lists them.
func Rules() []Rule {
	own := []Rule{foreign, precision, slowProducts, gpuAttention, offloadTier, automatic, dropout, qkNorm, replicas, tensors, groups}
	return append(own, append(trainingRules(), graphRules()...)...)
}

// Spec runs the rules on a spec. Of a spec that describes another trainer
// (Foreign) it asks whether that is right, not whether gradcue can build it.
func Spec(in *Input) diag.List {
	return run(in, func(r Rule) []Finding {
		if r.Spec == nil || r.Target && Foreign(in.Experiment) || r.ID == foreign.ID {
			return nil
		}
		return r.Spec(in)
	})
}

// Target runs the rules on what this version can build that Spec leaves out:
// it refuses to run a spec that describes another trainer.
func Target(in *Input) diag.List {
	return run(in, func(r Rule) []Finding {
		if r.ID != foreign.ID {
			return nil
		}
		return r.Spec(in)
	})
}

// Data runs the rules on a spec and a sample of its data: everything that Spec
// finds, with the numbers of the sample where they say more, and what only the
// sample shows.
func Data(in *Input, s Sample) diag.List {
	with := *in
	with.Sample = &s
	return run(&with, func(r Rule) (fs []Finding) {
		if r.Target && Foreign(in.Experiment) || r.ID == foreign.ID {
			return nil
		}
		if r.Spec != nil {
			fs = r.Spec(&with)
		}
		if len(fs) == 0 && r.Data != nil {
			fs = r.Data(&with)
		}
		return fs
	})
}

// Plan runs the rules on a finished plan.
func Plan(in *Input) diag.List {
	return run(in, func(r Rule) []Finding {
		if r.Plan == nil {
			return nil
		}
		return r.Plan(in)
	})
}

func run(in *Input, find func(Rule) []Finding) (list diag.List) {
	for _, r := range Rules() {
		for _, x := range find(r) {
			d := diag.Diagnostic{Code: r.ID, Severity: x.Severity, Path: join(in.Prefix, x.Field), Pos: in.Where(x.Field), Summary: x.Summary, Help: x.Help}
			for _, field := range x.Related {
				d.Related = append(d.Related, diag.Related{Pos: in.Where(field), Message: field + " is read here"})
			}
			list = append(list, d)
		}
	}
	list.Sort()
	return list
}

func join(prefix, field string) string {
	if prefix == "" || field == "" {
		return prefix + field
	}
	return prefix + "." + field
}
