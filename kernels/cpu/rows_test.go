package cpu

import (
	"math"
	"testing"
)

// rowKernel runs one row kernel of a tier on slices of one length, all of which it may write, and returns its result.
type rowKernel struct {
	name   string
	slices int
	run    func(u ISA, x [][]float32) float64
}

// rowKernels are all of them.
var rowKernels = []rowKernel{
	{"sum16", 1, func(u ISA, x [][]float32) float64 { return float64(u.sum16(x[0])) }},
	{"dot16", 2, func(u ISA, x [][]float32) float64 { return float64(u.dot16(x[0], x[1])) }},
	{"spread16", 1, func(u ISA, x [][]float32) float64 { return float64(u.spread16(x[0], 0.25)) }},
	{"squares", 1, func(u ISA, x [][]float32) float64 { return u.squares(x[0]) }},
	{"maxScaled", 1, func(u ISA, x [][]float32) float64 { return float64(u.maxScaled(x[0], -0.5, -9)) }},
	{"expSub", 2, func(u ISA, x [][]float32) float64 { u.expSub(x[0], x[1], 0.5); return 0 }},
	{"expSum", 1, func(u ISA, x [][]float32) float64 { return float64(u.expSum(x[0], 0.5, 0.25)) }},
	{"scaleRow", 1, func(u ISA, x [][]float32) float64 { u.scaleRow(x[0], 0.3); return 0 }},
	{"scaleTwice", 1, func(u ISA, x [][]float32) float64 { u.scaleTwice(x[0], 0.3, 0.7); return 0 }},
	{"addRow", 3, func(u ISA, x [][]float32) float64 { u.addRow(x[0], x[1], x[2]); return 0 }},
	{"scoreGrad", 3, func(u ISA, x [][]float32) float64 { u.scoreGrad(x[0], x[1], x[2], 0.3, 0.2, 0.1); return 0 }},
	{"rotate", 6, func(u ISA, x [][]float32) float64 { u.rotate(x[0], x[1], x[2], x[3], x[4], x[5]); return 0 }},
	{"tanhGELU", 2, func(u ISA, x [][]float32) float64 { u.tanhGELU(x[0], x[1]); return 0 }},
	{"tanhGELUGrad", 3, func(u ISA, x [][]float32) float64 { u.tanhGELUGrad(x[0], x[1], x[2]); return 0 }},
	{"exactGELU", 2, func(u ISA, x [][]float32) float64 { u.exactGELU(x[0], x[1]); return 0 }},
	{"exactGELUGrad", 3, func(u ISA, x [][]float32) float64 { u.exactGELUGrad(x[0], x[1], x[2]); return 0 }},
	{"gated", 3, func(u ISA, x [][]float32) float64 { u.gated(x[0], x[1], x[2]); return 0 }},
	{"gatedGrad", 5, func(u ISA, x [][]float32) float64 { u.gatedGrad(x[0], x[1], x[2], x[3], x[4]); return 0 }},
	{"normRowBias", 4, func(u ISA, x [][]float32) float64 { u.normRowBias(x[0], x[1], x[2], x[3], 0.1, 1.5); return 0 }},
	{"normRowPlain", 3, func(u ISA, x [][]float32) float64 { u.normRowPlain(x[0], x[1], x[2], 0.1, 1.5); return 0 }},
	{"normGradSums", 3, func(u ISA, x [][]float32) float64 {
		var s [2]float32
		u.normGradSums(s[:], x[0], x[1], x[2], 0.1, 1.5)
		return float64(s[0]) + 3*float64(s[1])
	}},
	{"normGradApply", 4, func(u ISA, x [][]float32) float64 {
		u.normGradApply(x[0], x[1], x[2], x[3], 0.1, 1.5, 0.2, 0.3)
		return 0
	}},
	{"normGradWeight", 3, func(u ISA, x [][]float32) float64 { u.normGradWeight(x[0], x[1], x[2], 0.1, 1.5); return 0 }},
	{"adamWRow", 4, func(u ISA, x [][]float32) float64 {
		for i, v := range x[3] {
			x[3][i] = v * v
		}
		u.adamWRow(x[0], x[1], x[2], x[3], 0.99, 0.5, 0.9, 0.1, 0.95, 0.05, 0.01, 0.7, 1e-8)
		return 0
	}},
	{"sgdPlain", 2, func(u ISA, x [][]float32) float64 { u.sgdPlain(x[0], x[1], 0.1, 0.2, 0.3); return 0 }},
	{"sgdFirst", 3, func(u ISA, x [][]float32) float64 { u.sgdFirst(x[0], x[1], x[2], 0.1, 0.2, 0.3, 0.9, 1); return 0 }},
	{"sgdMomentum", 3, func(u ISA, x [][]float32) float64 {
		u.sgdMomentum(x[0], x[1], x[2], 0.1, 0.2, 0.3, 1, 0, 0.9)
		return 0
	}},
}

// TestRows holds every row kernel of every vector tier against its plain Go twin, at all lengths around the vectors, and the
// vector tiers against each other to the bit. What stands behind a slice must stay.
func TestRows(t *testing.T) {
	for _, k := range rowKernels {
		for n := 0; n <= 70; n++ {
			want, result := k.on(Go, n)
			var first [][]float32
			for _, u := range tiers() {
				got, r := k.on(u, n)
				if !near(r, result) {
					t.Errorf("%s/%s of %d = %g, want %g", k.name, u, n, r, result)
				}
				for i := range want {
					for j := range want[i] {
						if !near(float64(got[i][j]), float64(want[i][j])) {
							t.Fatalf("%s/%s of %d: slice %d, element %d is %g, want %g", k.name, u, n, i, j, got[i][j], want[i][j])
						}
						if u > AVX2 && math.Float32bits(got[i][j]) != math.Float32bits(first[i][j]) {
							t.Fatalf("%s/%s of %d: slice %d, element %d is %g, AVX2 has %g", k.name, u, n, i, j, got[i][j], first[i][j])
						}
					}
				}
				if u == AVX2 {
					first = got
				}
			}
		}
	}
}

// on runs the kernel on a tier, on slices of length n inside longer ones, and returns these and the result.
func (k rowKernel) on(u ISA, n int) ([][]float32, float64) {
	whole, in := make([][]float32, k.slices), make([][]float32, k.slices)
	for i := range whole {
		whole[i] = stream(n+20, uint64(i+1))
		in[i] = whole[i][3 : 3+n]
	}
	r := k.run(u, in)
	return whole, r
}

// near tells whether two tiers agree.
func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 2e-5*max(math.Abs(want), 0.05)
}

// TestExpTiers: the exponential of the vector tiers has the ends and the accuracy of the plain one, and the vector
// tiers have the same bits everywhere.
func TestExpTiers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, u := range tiers() {
		x := []float32{0, float32(math.Copysign(0, -1)), -87.3366, -88, -1e30, -inf, 88.8, 1e30, inf, nan, -87.336, 88.37}
		want := []float32{1, 1, 0, 0, 0, 0, inf, inf, inf, nan, -1, -1}
		u.expSub(x, append([]float32(nil), x...), 0)
		for i, w := range want {
			switch {
			case w == -1: // any normal number
				if !(x[i] >= 1.17549435e-38 && x[i] < inf) {
					t.Errorf("%s: element %d is %g, want a normal number", u, i, x[i])
				}
			case w != w:
				if x[i] == x[i] {
					t.Errorf("%s: element %d is %g, want NaN", u, i, x[i])
				}
			case math.Float32bits(x[i]) != math.Float32bits(w):
				t.Errorf("%s: element %d is %g, want %g", u, i, x[i], w)
			}
		}
	}
	var in, out [1000]float32
	for lo := float32(-88); lo < 88.3; lo += 0.37 {
		for i := range in {
			in[i] = lo + float32(i)*0.00037
		}
		for _, u := range tiers() {
			u.expSub(out[:], in[:], 0)
			for i, v := range in {
				if e := ulps(out[i], math.Exp(float64(v))); v >= expLow && v < 88.37 && e >= 2 {
					t.Fatalf("%s: exp(%g) is %.2f units in the last place off", u, v, e)
				}
			}
		}
	}
}
