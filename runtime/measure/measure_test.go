package measure

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

func TestTotals(t *testing.T) {
	p := &plan.Plan{Sections: make([]plan.Section, ir.NumSections)}
	p.Sections[ir.Micro] = plan.Section{Name: "micro", Commands: []plan.Command{
		{Op: "linear", Phase: "forward", Nanos: 10}, {Kind: plan.Record}, {Op: "linear", Phase: "forward", Nanos: 20},
		{Op: "linear", Phase: "recompute", Nanos: 5}, {Op: "copy.out", Phase: "transfer", Stream: plan.Out, Nanos: 7}, {Op: "add", Phase: "forward"}}}
	c := New(p, func() int64 { return 0 })
	for range 2 {
		c.Observe(ir.Micro, 0, nil, 100, 111)
		c.Observe(ir.Micro, 2, nil, 111, 141)
		c.Observe(ir.Micro, 3, nil, 0, 50)
	}
	c.Observe(ir.Micro, 4, nil, 0, 3)
	want := []Total{
		{"micro", "recompute", "linear", "compute", 2, 100, 10},
		{"micro", "forward", "linear", "compute", 4, 82, 60},
		{"micro", "transfer", "copy.out", "out", 1, 3, 7},
	}
	if diff := cmp.Diff(want, c.Totals()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if mean, ok := c.Command(ir.Micro, 2); !ok || mean != 30 {
		t.Errorf("mean of a command %v, %v, want 30", mean, ok)
	}
	if _, ok := c.Command(ir.Micro, 5); ok {
		t.Error("a command that never ran has a time")
	}
	if runs, nanos := c.Sum(ir.Micro, 3); runs != 2 || nanos != 100 {
		t.Errorf("%d runs of %d ns in all, want 2 of 100", runs, nanos)
	}
	c.Reset()
	if runs, nanos := c.Sum(ir.Micro, 3); runs != 0 || nanos != 0 || len(c.Totals()) != 0 {
		t.Errorf("after Reset there are %d runs of %d ns, totals %v", runs, nanos, c.Totals())
	}
}

// TestSessionIsObserved: every launch and copy of a real plan is counted once a run.
func TestSessionIsObserved(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	var now atomic.Int64
	c := New(p, func() int64 { return now.Add(1) })
	s, err := ref.Engine{}.Open(p, exec.Options{Observer: c})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Run(context.Background(), ir.Micro); err != nil {
		t.Fatal(err)
	}
	runs, want := int64(0), int64(0)
	for _, total := range c.Totals() {
		runs += total.Runs
		if total.Nanos <= 0 {
			t.Errorf("%+v took no time", total)
		}
	}
	for _, m := range p.Sections[ir.Micro].Commands {
		if m.Kind == plan.Launch || m.Kind == plan.Copy {
			want++
		}
	}
	if runs != want {
		t.Errorf("%d commands observed, the section has %d", runs, want)
	}
}
