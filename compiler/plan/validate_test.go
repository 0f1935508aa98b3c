package plan_test

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

func TestValidateAccepts(t *testing.T) {
	without := plantest.Small()
	without.Slots = 0
	for name, c := range map[string]plantest.Config{"offload": plantest.Small(), "keep": without, "large": plantest.Large()} {
		if err := plan.Validate(plantest.GPT(c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkValidateLarge(b *testing.B) {
	p := plantest.GPT(plantest.Large())
	n := 0
	for _, s := range p.Sections {
		n += len(s.Commands)
	}
	b.ReportMetric(float64(n), "commands")
	b.ReportMetric(float64(len(p.Buffers)), "buffers")
	for b.Loop() {
		if err := plan.Validate(p); err != nil {
			b.Fatal(err)
		}
	}
}
