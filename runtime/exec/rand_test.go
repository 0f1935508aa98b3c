package exec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// fill makes n numbers around center.
func fill(r *rand.Rand, n int, center, spread float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(center + spread*(2*r.Float64()-1))
	}
	return x
}

// ints makes n numbers below max.
func ints(r *rand.Rand, n, max int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(r.IntN(max))
	}
	return x
}

// control is a control buffer for an update u with everything switched on.
func control(acc float64, u int) []float64 {
	c := make([]float64, ir.ControlLen)
	c[plan.CtlC], c[plan.CtlAcc], c[plan.CtlScale], c[plan.CtlLR] = 0.25, acc, 1, 1e-2
	c[plan.CtlBC1], c[plan.CtlBC2] = 1-math.Pow(0.9, float64(u)), 1-math.Pow(0.999, float64(u))
	c[plan.CtlU], c[plan.CtlSeq0], c[plan.CtlApply], c[plan.CtlGScale] = float64(u), 2, 1, 0.5
	return c
}

// floats reads an f32 buffer.
func floats(t *testing.T, p *plan.Plan, s exec.Session, b int) []float32 {
	t.Helper()
	n := 1
	for _, d := range p.Buffers[b].Shape {
		n *= d
	}
	x := make([]float32, n)
	if err := s.Read(b, x); err != nil {
		t.Fatal(err)
	}
	return x
}

// write stores data and expects no error.
func write(t *testing.T, s exec.Session, b int, data any) {
	t.Helper()
	if err := s.Write(b, data); err != nil {
		t.Fatal(err)
	}
}

// apart is ‖a−b‖/max(‖a‖,‖b‖), 0 for two zeros; infinities must be equal.
func apart(a, b []float32) float64 {
	var d, na, nb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if math.IsInf(x, 0) && x == y {
			continue
		}
		d, na, nb = d+(x-y)*(x-y), na+x*x, nb+y*y
	}
	if d == 0 {
		return 0
	}
	return math.Sqrt(d) / math.Sqrt(max(na, nb))
}

// open opens a plan until the test ends.
func open(t *testing.T, e exec.Engine, p *plan.Plan, o exec.Options) exec.Session {
	t.Helper()
	s, err := e.Open(p, o)
	if err != nil {
		t.Fatalf("%s: %v", e.Name(), err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", e.Name(), err)
		}
	})
	return s
}
