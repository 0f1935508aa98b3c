package cpu

import (
	"fmt"
	"math"
	"testing"
)

// tiers are the vector tiers of this machine.
func tiers() []ISA {
	var all []ISA
	for u := AVX2; u <= Detect(); u++ {
		all = append(all, u)
	}
	return all
}

// fma is a*b + c rounded once; the inputs of the tests are short, so that the float64 product and sum are exact or nearly
// so, and rounding twice is no other than once.
func fma(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }

// TestPackedChain holds the packed products against the plain chain of fused multiply-adds, to the bit. Inputs have few bits, so
// that the float64 sum of a step is exact and rounds once.
func TestPackedChain(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {3, 600, 4}, {2, 257, 7}, {65, 129, 5}, {300, 3, 70}, {50, 9, 400}, {49, 385, 49}, {8, 8, 48}, {7, 7, 47}, {100, 800, 17}} {
		M, K, N := s[0], s[1], s[2]
		for _, u := range tiers() {
			for _, acc := range []bool{false, true} {
				for _, layout := range []string{"NT", "NN", "TN"} {
					t.Run(fmt.Sprintf("%s/%s/%dx%dx%d/acc=%t", u, layout, M, K, N, acc), func(t *testing.T) {
						checkPacked(t, u, layout, M, K, N, acc)
					})
				}
			}
		}
	}
}

func checkPacked(t *testing.T, u ISA, layout string, M, K, N int, acc bool) {
	a, b, c, bias := short(M*K, 1), short(N*K, 2), short(M*N, 3), short(N, 4)
	left, right := operand{F32(a), K, false}, operand{F32(b), K, false}
	if layout != "NT" {
		right = operand{F32(b), N, true}
	}
	if layout == "TN" {
		left = operand{F32(a), M, true}
	}
	want := make([]float32, M*N)
	for i := range M {
		for j := range N {
			v := float32(0)
			if acc {
				v = c[i*N+j]
			}
			for k := range K {
				v = fma(left.at(i, k), right.at(j, k), v)
			}
			want[i*N+j] = v + bias[j]
		}
	}
	product(SerialISA(u), c, left, right, bias, M, N, K, acc, epilogue{})
	for i, w := range want {
		if math.Float32bits(c[i]) != math.Float32bits(w) {
			t.Fatalf("element %d is %x, want %x", i, c[i], w)
		}
	}
}

// short returns normal numbers of 12 bits.
func short(n int, name uint64) []float32 {
	x := stream(n, name)
	for i := range x {
		x[i] = math.Float32frombits(math.Float32bits(x[i]) &^ 0xfff)
	}
	return x
}
