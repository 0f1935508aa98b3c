package check

import (
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
	Plan       *plan.Plan                      // nil for rules on the spec
}

// Rule is one check.
type Rule struct {
	ID      string
	Title   string
	Formula string
	Doc     string
	Spec    func(*Input) []Finding // reads the spec only
	Plan    func(*Input) []Finding // reads the finished plan
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
	return []Rule{precision, offloadTier, automatic, dropout, qkNorm, replicas, owners, tensors, groups, budget, hostBudget, idleOffload}
}

// Spec runs the rules on a spec.
func Spec(in *Input) diag.List { return run(in, func(r Rule) func(*Input) []Finding { return r.Spec }) }

// Plan runs the rules on a finished plan.
func Plan(in *Input) diag.List { return run(in, func(r Rule) func(*Input) []Finding { return r.Plan }) }

func run(in *Input, pick func(Rule) func(*Input) []Finding) (list diag.List) {
	for _, r := range Rules() {
		f := pick(r)
		if f == nil {
			continue
		}
		for _, x := range f(in) {
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
