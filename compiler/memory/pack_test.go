package memory

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/plan"
)

// demand is the most bytes that live at one time, slots rounded to the
// granularity: no packing can do with less.
func demand(is []Interval) (most int64) {
	for _, at := range is {
		sum := int64(0)
		for _, i := range is {
			if i.First <= at.First && at.First <= i.Last {
				sum += (i.Bytes + plan.Align - 1) / plan.Align * plan.Align
			}
		}
		most = max(most, sum)
	}
	return most
}

// sound holds a packing against: aligned offsets, no two that live together
// share bytes, the size is where the last one ends and not below the demand.
func sound(t *testing.T, is []Interval) (size int64) {
	t.Helper()
	offsets, size := Pack(is)
	end := int64(0)
	for i := range is {
		if offsets[i] < 0 || offsets[i]%plan.Align != 0 {
			t.Errorf("%v is at %d", is[i], offsets[i])
		}
		end = max(end, offsets[i]+is[i].Bytes)
		for j := range is[:i] {
			together := is[i].First <= is[j].Last && is[j].First <= is[i].Last
			if together && offsets[i] < offsets[j]+is[j].Bytes && offsets[j] < offsets[i]+is[i].Bytes {
				t.Errorf("%v at %d and %v at %d share bytes", is[i], offsets[i], is[j], offsets[j])
			}
		}
	}
	if size < end || size >= end+plan.Align || size < demand(is) {
		t.Errorf("size %d, the last interval ends at %d, %d live at one time", size, end, demand(is))
	}
	again, sameSize := Pack(slices.Clone(is))
	if !slices.Equal(offsets, again) || size != sameSize {
		t.Error("the same intervals are packed in two ways")
	}
	return size
}

func TestPackTable(t *testing.T) {
	for _, c := range []struct {
		name string
		is   []Interval
		want int64
	}{
		{"nothing", nil, 0},
		{"one", []Interval{{0, 3, 1}}, 256},
		{"one after the other share space", []Interval{{0, 1, 512}, {2, 3, 512}, {4, 9, 512}}, 512},
		{"inclusive ends", []Interval{{0, 2, 256}, {2, 4, 256}}, 512},
		{"a stack of forward results", []Interval{{0, 9, 256}, {1, 8, 512}, {2, 7, 768}, {3, 6, 1024}}, 2560},
		{"a stack with short ones on top", []Interval{{0, 9, 256}, {1, 2, 300}, {2, 8, 512}, {3, 4, 300}}, 1280},
		{"a hole is filled", []Interval{{0, 9, 1024}, {0, 4, 512}, {0, 9, 256}, {5, 9, 512}}, 1792},
	} {
		if got := sound(t, c.is); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
}

// TestPackTaken: nothing is placed over a range that is taken, and the space between two is used.
func TestPackTaken(t *testing.T) {
	taken := []Range{{512, 300}, {0, 256}, {2048, 1}}
	is := []Interval{{0, 3, 256}, {0, 9, 1024}, {1, 2, 100}, {4, 9, 200}}
	offsets, size := Pack(is, taken...)
	for i, o := range offsets {
		for _, r := range taken {
			if o < r.Offset+r.Bytes && r.Offset < o+is[i].Bytes {
				t.Errorf("%v at %d lies over %v", is[i], o, r)
			}
		}
	}
	if want := int64(2560); size != want || offsets[0] != 256 || offsets[3] != 256 {
		t.Errorf("%v in %d bytes, want %d with the first and the last between the ranges", offsets, size, want)
	}
}

// step draws intervals as a training step makes them: forward results live
// until the mirrored moment in backward, transients a few commands.
func step(r *rand.Rand) (is []Interval) {
	n := 4 + r.IntN(40)
	size := func() int64 { return int64(1 + r.IntN(1<<14)) }
	for at := range n {
		if r.IntN(2) == 0 {
			is = append(is, Interval{at, 2*n - at - r.IntN(3), size()})
		}
		is = append(is, Interval{at, at + r.IntN(3), size()}, Interval{n + at, min(2*n, n+at+r.IntN(4)), size()})
	}
	return is
}

func TestPackSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 200 {
		is := step(r)
		size := sound(t, is)
		if t.Failed() {
			t.Fatalf("round %d: %v", round, is)
		}
		// Not promised for any one, but a packer that wastes more is broken.
		if most := demand(is); size > most+most/2 {
			t.Errorf("round %d: %d bytes for a demand of %d", round, size, most)
		}
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte{0, 3, 1, 0, 1, 2, 0, 2})
	f.Add([]byte("stack of lives and sizes, four bytes each"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var is []Interval
		for ; len(data) >= 4 && len(is) < 64; data = data[4:] {
			first := int(data[0])
			is = append(is, Interval{first, first + int(data[1]), int64(binary.LittleEndian.Uint16(data[2:]))})
		}
		sound(t, is)
	})
}
