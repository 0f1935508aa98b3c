package cpu

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// TestNormalBits: the numbers a run starts from do not change between versions, architectures or instruction sets.
func TestNormalBits(t *testing.T) {
	for _, c := range []struct {
		seed, name uint64
		std        float64
		want       uint64
	}{
		{0x0, 0xabcdef, 0.02, 0x52ea3ff391d2425a},
		{0x0, 0xcbf29ce484222325, 1, 0xe2f52acf2eeab1fb},
		{0x1, 0xabcdef, 1, 0x5a5f4376ec813e67},
		{0x1, 0xcbf29ce484222325, 0.02, 0x1ef1cccf1a2a53e8},
		{0x10000000007, 0xabcdef, 0.02, 0x0b0fe3c1fbc97ecc},
		{0x10000000007, 0xcbf29ce484222325, 1, 0x1ccbf077c88f404b},
	} {
		x := make([]float32, 100003)
		for _, u := range append(tiers(), Go) {
			clear(x)
			Normals(u, x, c.std, c.seed, c.name, 0)
			h := fnv.New64a()
			for _, v := range x {
				h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
			if got := h.Sum64(); got != c.want {
				t.Errorf("%s: stream (%#x, %#x) times %g has hash %#016x, want %#016x", u, c.seed, c.name, c.std, got, c.want)
			}
		}
	}
}

// TestNormalsPieces: a piece from any even element on, across the end of the lower half of the counter too, has
// the elements that Normal tells one by one.
func TestNormalsPieces(t *testing.T) {
	for _, first := range []uint64{0, 2, 14, 1 << 14, 1<<33 - 40, 1<<33 - 32, 1 << 33, 1<<40 + 6} {
		for _, n := range []int{0, 1, 2, 15, 16, 17, 31, 33, 100} {
			for _, u := range append(tiers(), Go) {
				x := make([]float32, n)
				Normals(u, x, 0.5, 3, 1<<63+9, first)
				for i, got := range x {
					if want := float32(0.5 * Normal(3, 1<<63+9, first+uint64(i))); math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%s: element %d of %d from %d is %g, want %g", u, i, n, first, got, want)
					}
				}
			}
		}
	}
}

// TestNormalFunctions holds logarithm, sine and cosine against the standard library, at the ends of the range and of every
// octant besides.
func TestNormalFunctions(t *testing.T) {
	us := []float64{1.0 / (1 << 53), 1 - 1.0/(1<<53), 0.5, math.Nextafter(0.5, 0), math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), math.Nextafter(math.Sqrt2/2, 1)}
	for i := range uint64(100000) {
		us = append(us, Uniform(1, 2, i))
	}
	for i := range 64 {
		us = append(us, (float64(i)+0.5)/64, float64(i+1)/64-1.0/(1<<53))
	}
	for _, u := range us {
		if got, want := lnUnit(u), math.Log(u); math.Abs(got-want) > 2.3e-16*math.Abs(want) {
			t.Errorf("ln %g is %g, want %g", u, got, want)
		}
		x := 2 * math.Pi * u
		sin, cos := sincosTurn(x)
		wantSin, wantCos := math.Sincos(x)
		if math.Abs(sin-wantSin) > 2.3e-16 || math.Abs(cos-wantCos) > 2.3e-16 {
			t.Errorf("sine and cosine of %g are %g and %g, want %g and %g", x, sin, cos, wantSin, wantCos)
		}
	}
}

// TestNormalsOdd: a piece that would cut a pair is refused.
func TestNormalsOdd(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Normals from element 1 did not panic")
		}
	}()
	Normals(Go, make([]float32, 4), 1, 1, 1, 1)
}

func BenchmarkNormals(b *testing.B) {
	x := make([]float32, 1<<16)
	for _, u := range append(tiers(), Go) {
		b.Run(u.String(), func(b *testing.B) {
			b.SetBytes(int64(4 * len(x)))
			for b.Loop() {
				Normals(u, x, 0.02, 1, 2, 0)
			}
		})
	}
}
