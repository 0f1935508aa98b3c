package cpu

import (
	"testing"

	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

// TestMeasure with a clock that ticks at each look, so that nothing is timed:
// the work and the arrays are real, the rates those of the clock.
func TestMeasure(t *testing.T) {
	const memory = 4 << 20
	ticks := int64(0)
	m, err := Measure(2, "", memory, func() int64 { ticks += peakNanos; return ticks })
	if err != nil {
		t.Fatal(err)
	}
	if m.Workers != 2 || m.ISA != kernel.Detect().String() || !(m.FLOPS > 0) || m.Bandwidth != 2*memory/float64(peakNanos)*1e9 {
		t.Errorf("%+v", m)
	}
	if pairs := kernel.Detect() == kernel.AVX512BF16; pairs != (m.Pairs > 0) {
		t.Errorf("on %s %g FLOP/s of pairs", m.ISA, m.Pairs)
	}
	if _, err := Measure(1, "mmx", 0, func() int64 { return 0 }); err == nil {
		t.Error("an unknown instruction set is measured")
	}
}
