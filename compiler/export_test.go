package compiler

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/shape"
)

// Without is what rules compare the plan of an experiment with.
func Without(t *testing.T, x *shape.Experiment) *plan.Plan {
	t.Helper()
	s := newState(Source{Experiment: x}, Options{})
	for _, p := range Passes {
		if err := s.run(p); err != nil {
			t.Fatal(err)
		}
	}
	return s.baseline()
}
