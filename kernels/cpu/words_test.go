package cpu

import (
	"math"
	"testing"
)

// TestDropoutTiers: a mask is made of integers, so every tier has the bits of plain Go, at all lengths and places.
func TestDropoutTiers(t *testing.T) {
	for _, C := range []int{1, 5, 31, 32, 33, 64, 200} {
		const B, T = 3, 7
		x := stream(B*T*C, 1)
		want, got := make([]float32, len(x)), make([]float32, len(x))
		Dropout(Serial{}, want, x, 0.3, 1<<40+7, 12, 65, 3, B, T, C)
		for _, u := range tiers() {
			Dropout(SerialISA(u), got, x, 0.3, 1<<40+7, 12, 65, 3, B, T, C)
			for i, w := range want {
				if math.Float32bits(got[i]) != math.Float32bits(w) {
					t.Fatalf("%s, width %d: element %d is %g, want %g", u, C, i, got[i], w)
				}
			}
		}
	}
}

// TestCastTiers: so has a cast, NaN payloads excepted, for every 16-bit number and for float32 numbers of all exponents.
func TestCastTiers(t *testing.T) {
	all := make([]uint16, 1<<16+5)
	for i := range all {
		all[i] = uint16(i)
	}
	numbers := make([]float32, 1<<18+3)
	for i := range numbers {
		numbers[i] = math.Float32frombits(uint32(i) * 0x9E3779B1)
	}
	for _, h := range []Half{BF16, F16} {
		wide, narrow := make([]float32, len(all)), make([]uint16, len(numbers))
		Widen(Serial{}, wide, all, h)
		Narrow(Serial{}, narrow, numbers, h)
		for _, u := range tiers() {
			w, n := make([]float32, len(all)), make([]uint16, len(numbers))
			Widen(SerialISA(u), w, all, h)
			Narrow(SerialISA(u), n, numbers, h)
			for i := range wide {
				if math.Float32bits(w[i]) != math.Float32bits(wide[i]) && wide[i] == wide[i] || (w[i] == w[i]) != (wide[i] == wide[i]) {
					t.Fatalf("%s, type %d: %#04x became %g, want %g", u, h, all[i], w[i], wide[i])
				}
			}
			Widen(Serial{}, w, n[:len(w)], h)
			for i, x := range numbers {
				if n[i] != narrow[i] && x == x {
					t.Fatalf("%s, type %d: %g became %#04x, want %#04x", u, h, x, n[i], narrow[i])
				}
				if i < len(w) && (w[i] == w[i]) != (x == x) {
					t.Fatalf("%s, type %d: %g became %g", u, h, x, w[i])
				}
			}
			r := append([]float32(nil), numbers...)
			Round(SerialISA(u), r, h)
			Widen(Serial{}, w, narrow[:len(w)], h)
			for i, v := range w {
				if math.Float32bits(r[i]) != math.Float32bits(v) && v == v {
					t.Fatalf("%s, type %d: %g rounds to %g, want %g", u, h, numbers[i], r[i], v)
				}
			}
		}
	}
}
