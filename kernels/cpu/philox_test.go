package cpu

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPhiloxKnownAnswers are the vectors published with Random123 for philox4x32-10.
func TestPhiloxKnownAnswers(t *testing.T) {
	const f = 0xffffffff
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{f, f, f, f}, [2]uint32{f, f}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if diff := cmp.Diff(c.want, Philox4x32(c.counter, c.key)); diff != "" {
			t.Errorf("Philox4x32(%x, %x): -want +got\n%s", c.counter, c.key, diff)
		}
	}
}

// TestNormalMoments: mean 0, variance 1, fourth moment 3, neighbours uncorrelated, over 200,000 numbers.
func TestNormalMoments(t *testing.T) {
	const n = 200000
	var mean, variance, fourth, pair, last float64
	for i := range uint64(n) {
		v := Normal(42, 0xABCDEF, i)
		mean += v / n
		variance += v * v / n
		fourth += v * v * v * v / n
		pair += v * last / n
		last = v
	}
	for _, m := range []struct {
		name            string
		got, want, near float64
	}{{"mean", mean, 0, 0.01}, {"variance", variance, 1, 0.02}, {"fourth moment", fourth, 3, 0.1}, {"neighbours", pair, 0, 0.01}} {
		if math.Abs(m.got-m.want) > m.near {
			t.Errorf("%s is %g, want %g", m.name, m.got, m.want)
		}
	}
}

// TestUniformRange: in (0,1), mean 1/2, and streams of other names differ.
func TestUniformRange(t *testing.T) {
	mean, equal := 0.0, 0
	for i := range uint64(50000) {
		v := Uniform(1, 2, i)
		if !(v > 0 && v < 1) {
			t.Fatalf("Uniform(1, 2, %d) = %g, want a number in (0,1)", i, v)
		}
		if v == Uniform(1, 3, i) {
			equal++
		}
		mean += v / 50000
	}
	if math.Abs(mean-0.5) > 0.005 || equal > 0 {
		t.Errorf("mean %g and %d numbers shared with another name, want 0.5 and 0", mean, equal)
	}
}

// TestDropoutRate: the share of dropped elements is the rate, and masks of other sites, sequences and updates differ.
func TestDropoutRate(t *testing.T) {
	const n = 40000
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	mask := func(rate float64, u uint64, site uint32, seq int) []float32 {
		y := make([]float32, n)
		Dropout(Serial{}, y, x, rate, 5, u, site, seq, 1, 1, n)
		return y
	}
	for _, rate := range []float64{0, 0.1, 0.5, 0.9} {
		dropped := 0.0
		for _, v := range mask(rate, 1, 2, 3) {
			if v == 0 {
				dropped++
			}
		}
		if math.Abs(dropped/n-rate) > 0.01 {
			t.Errorf("rate %g dropped %g", rate, dropped/n)
		}
	}
	base := mask(0.5, 1, 2, 3)
	for name, other := range map[string][]float32{"u": mask(0.5, 2, 2, 3), "site": mask(0.5, 1, 66, 3), "sequence": mask(0.5, 1, 2, 4)} {
		same := 0
		for i := range base {
			if base[i] == other[i] {
				same++
			}
		}
		if same < n*45/100 || same > n*55/100 {
			t.Errorf("another %s shares %d of %d decisions, want about half", name, same, n)
		}
	}
}
