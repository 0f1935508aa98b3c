package cpu

import (
	"fmt"
	"math"
	"testing"
)

// TestProductChain holds the blocked products against the plain chain, to the bit: every element starts from C or +0, goes over
// k ascending with both roundings, and gets its bias once, after the last k.
func TestProductChain(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {3, 600, 4}, {2, 257, 7}, {65, 129, 5}, {300, 3, 70}, {5, 0, 4}} {
		M, K, N := s[0], s[1], s[2]
		for _, acc := range []bool{false, true} {
			for _, layout := range []string{"NT", "NN", "TN"} {
				t.Run(fmt.Sprintf("%s/%dx%dx%d/acc=%t", layout, M, K, N, acc), func(t *testing.T) {
					checkChain(t, layout, M, K, N, acc)
				})
			}
		}
	}
}

func checkChain(t *testing.T, layout string, M, K, N int, acc bool) {
	a, b, c, bias := stream(M*K, 1), stream(N*K, 2), stream(M*N, 3), stream(N, 4)
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
				v = float32(left.at(i, k)*right.at(j, k)) + v
			}
			want[i*N+j] = v + bias[j]
		}
	}
	product(Serial{}, c, left, right, bias, M, N, K, acc, epilogue{})
	for i, w := range want {
		if math.Float32bits(c[i]) != math.Float32bits(w) {
			t.Fatalf("element %d is %x, want %x", i, c[i], w)
		}
	}
}

// at is element (i,k) of the operand.
func (o operand) at(i, k int) float32 {
	if o.across {
		return o.wide[k*o.ld+i]
	}
	return o.wide[i*o.ld+k]
}

// stream returns n normal numbers of one stream.
func stream(n int, name uint64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(Normal(7, name, uint64(i)))
	}
	return x
}
