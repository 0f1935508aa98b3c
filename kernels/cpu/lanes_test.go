package cpu

import (
	"math"
	"testing"
)

// TestLanes holds the lanes against their definition: element i in lane i mod 16, then the tree.
func TestLanes(t *testing.T) {
	for _, n := range []int{0, 1, 7, 15, 16, 17, 31, 32, 100, 769} {
		a, b := make([]float32, n), make([]float32, n)
		var sum, dot [16]float32
		for i := range n {
			a[i], b[i] = float32(Normal(1, 1, uint64(i))), float32(Normal(1, 2, uint64(i)))
			sum[i%16] += a[i]
			dot[i%16] = float32(a[i]*b[i]) + dot[i%16]
		}
		if got, want := sum16(a), fold(sum); math.Float32bits(got) != math.Float32bits(want) {
			t.Errorf("sum16 of %d elements = %x, want %x", n, got, want)
		}
		if got, want := dot16(a, b), fold(dot); math.Float32bits(got) != math.Float32bits(want) {
			t.Errorf("dot16 of %d elements = %x, want %x", n, got, want)
		}
	}
}

// fold is the tree: halves added, four times.
func fold(l [16]float32) float32 {
	for n := 8; n > 0; n /= 2 {
		for i := range n {
			l[i] += l[i+n]
		}
	}
	return l[0]
}
