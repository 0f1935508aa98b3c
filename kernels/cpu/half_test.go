package cpu

import (
	"math"
	"testing"
)

// TestHalfRoundTrip: every value of a 16-bit type survives widening and rounding.
func TestHalfRoundTrip(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	for _, h := range []Half{BF16, F16} {
		wide, back := make([]float32, len(all)), make([]uint16, len(all))
		Widen(Serial{}, wide, all, h)
		Narrow(Serial{}, back, wide, h)
		for i := range all {
			if x := float64(wide[i]); back[i] != all[i] && !math.IsNaN(x) {
				t.Fatalf("type %d: %#04x → %g → %#04x", h, all[i], x, back[i])
			}
			if math.IsNaN(float64(wide[i])) {
				if Narrow(Serial{}, back[:1], wide[i:i+1], h); !math.IsNaN(float64(widened(back[0], h))) {
					t.Fatalf("type %d: NaN %#04x became %#04x", h, all[i], back[0])
				}
			}
		}
	}
}

func widened(x uint16, h Half) float32 {
	var d [1]float32
	Widen(Serial{}, d[:], []uint16{x}, h)
	return d[0]
}

// TestHalfNearest: between two neighbours the nearer one is taken, in the middle
// the even one, and beyond the largest ±Inf.
func TestHalfNearest(t *testing.T) {
	for _, h := range []Half{BF16, F16} {
		inf := uint16(0x7c00)
		if h == BF16 {
			inf = 0x7f80
		}
		for b := uint16(0); b+1 < inf; b += 1 + b/97 {
			lo, hi := float64(widened(b, h)), float64(widened(b+1, h))
			mid := (lo + hi) / 2
			even := b + b&1
			for _, c := range []struct {
				x    float64
				want uint16
			}{{lo, b}, {mid, even}, {math.Nextafter(mid, lo), b}, {math.Nextafter(mid, hi), b + 1}} {
				x := float32(c.x)
				if float64(x) != c.x && c.x != mid { // float32 cannot say it: take the neighbour on that side
					if c.want == b {
						x = math.Nextafter32(float32(mid), float32(lo))
					} else {
						x = math.Nextafter32(float32(mid), float32(hi))
					}
				}
				var got [2]uint16
				Narrow(Serial{}, got[:], []float32{x, -x}, h)
				if got[0] != c.want || got[1] != c.want|0x8000 {
					t.Fatalf("type %d: %g between %#04x and its successor became %#04x and %#04x, want %#04x", h, x, b, got[0], got[1], c.want)
				}
			}
		}
	}
	var got [3]uint16
	Narrow(Serial{}, got[:], []float32{65519.996, 65520, float32(math.Inf(-1))}, F16)
	if got != [3]uint16{0x7bff, 0x7c00, 0xfc00} {
		t.Errorf("around the largest f16: %#04x", got)
	}
}

func TestRound(t *testing.T) {
	x := []float32{1.00390625, 3.1415927, -1e-8, 65504}
	for h, want := range map[Half][]float32{BF16: {1, 3.140625, -1.0011718e-08, 65536}, F16: {1.0039062, 3.140625, 0, 65504}} {
		y := append([]float32(nil), x...)
		Round(Serial{}, y, h)
		for i := range y {
			if math.Abs(float64(y[i]-want[i])) > 1e-12*math.Abs(float64(want[i])) {
				t.Errorf("type %d: %g rounds to %g, want %g", h, x[i], y[i], want[i])
			}
		}
	}
}
