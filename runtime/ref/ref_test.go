package ref_test

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

// TestFloat64IsExact: what no float32 can hold goes in, through an op, and out.
func TestFloat64IsExact(t *testing.T) {
	x := ir.Of(ir.F32, 2)
	p, args, results := plantest.Single(plantest.Case{Op: ir.OpAdd, Args: []ir.Type{x, x}}, 1)
	s, err := ref.Engine{}.Open(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tiny := 1.0 / (1 << 40)
	for k, v := range [][]float64{{1, tiny}, {tiny, 2}} {
		if err := s.Write(args[k], v); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Run(t.Context(), ir.Micro); err != nil {
		t.Fatal(err)
	}
	wide, narrow := make([]float64, 2), make([]float32, 2)
	if err := s.Read(results[0], wide); err != nil {
		t.Fatal(err)
	}
	if err := s.Read(results[0], narrow); err != nil {
		t.Fatal(err)
	}
	if wide[0] != 1+tiny || wide[1] != 2+tiny || narrow[0] != 1 || narrow[1] != 2 {
		t.Errorf("sums are %v and %v", wide, narrow)
	}
	if got := s.Allocated()[ir.Device]; got != 3*2*8 {
		t.Errorf("%d bytes allocated, three buffers of two float64 have %d", got, 3*2*8)
	}
}

// TestRefTakesAnyTarget but no plan that is not safe.
func TestRefTakesAnyTarget(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	p.Target = "cuda:sm_90a"
	s, err := ref.Engine{}.Open(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	p.Buffers[p.Run.Params[0].Buffer].Offset = p.Buffers[p.Run.Params[1].Buffer].Offset
	if _, err := (ref.Engine{}).Open(p, exec.Options{}); plan.Validate(p) == nil || err == nil {
		t.Errorf("a plan with overlapping parameters is opened: %v", err)
	}
}
