package cuda

import (
	"math"
	"testing"
)

// TestPeak holds the table against data sheets: dense FLOP/s at the clock that
// they are stated for.
func TestPeak(t *testing.T) {
	for _, c := range []struct {
		name            string
		major, minor    int
		products        string
		multiprocessors int
		clock, want     float64
	}{
		{"V100, half", 7, 0, "f16dot", 80, 1.53e9, 125e12},
		{"A100, f32", 8, 0, "f32", 108, 1.41e9, 19.5e12},
		{"A100, tf32", 8, 0, "tf32", 108, 1.41e9, 156e12},
		{"A100, bf16", 8, 0, "bf16dot", 108, 1.41e9, 312e12},
		{"A40, bf16", 8, 6, "bf16dot", 84, 1.74e9, 149.7e12},
		{"H100, f32", 9, 0, "f32", 132, 1.98e9, 67e12},
		{"H100, tf32", 9, 0, "tf32", 132, 1.83e9, 494.7e12},
		{"H100, bf16", 9, 0, "bf16dot", 132, 1.83e9, 989.4e12},
	} {
		got := peak(&Device{Major: c.major, Minor: c.minor}, c.products, c.multiprocessors, c.clock)
		if math.Abs(got/c.want-1) > 0.01 {
			t.Errorf("%s: %.4g FLOP/s, the data sheet has %.4g", c.name, got, c.want)
		}
	}
	if got := peak(&Device{Major: 99}, "f32", 1, 1e9); got != 0 {
		t.Errorf("an unknown architecture has %g FLOP/s", got)
	}
	if got := peak(&Device{Major: 7}, "tf32", 80, 1e9); got != 0 {
		t.Errorf("a product that an architecture lacks has %g FLOP/s", got)
	}
}
