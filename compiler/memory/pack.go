package memory

import (
	"cmp"
	"slices"

	"github.com/gradcue/gradcue/compiler/plan"
)

// Interval is a block of bytes that lives from command First to Last inclusive.
type Interval struct {
	First, Last int
	Bytes       int64
}

// Pack gives each interval an offset, so that two that live at the same time do
// not overlap, and returns the bytes needed. It tries two orders (largest first,
// longest life first), each with lowest fitting offset, and keeps the smaller
// result; the second only where the first has holes. Ties are broken by position,
// so the result is deterministic.
func Pack(is []Interval) (offsets []int64, size int64) {
	bySize := func(a, b int) int {
		return cmp.Or(cmp.Compare(is[b].Bytes, is[a].Bytes), cmp.Compare(is[a].First, is[b].First), cmp.Compare(a, b))
	}
	byLife := func(a, b int) int {
		return cmp.Or(cmp.Compare(is[b].Last-is[b].First, is[a].Last-is[a].First), bySize(a, b))
	}
	least := alive(is)
	for _, order := range []func(a, b int) int{bySize, byLife} {
		if offsets != nil && size == least {
			break
		}
		o, s := packIn(is, order)
		if offsets == nil || s < size {
			offsets, size = o, s
		}
	}
	return offsets, size
}

// alive is the most bytes that live at one time, which no packing can go below.
func alive(is []Interval) (most int64) {
	end := 0
	for i := range is {
		end = max(end, is[i].Last+1)
	}
	steps := make([]int64, end+1)
	for i := range is {
		steps[is[i].First] += up(is[i].Bytes)
		steps[is[i].Last+1] -= up(is[i].Bytes)
	}
	now := int64(0)
	for _, d := range steps {
		now += d
		most = max(most, now)
	}
	return most
}

func packIn(is []Interval, order func(a, b int) int) (offsets []int64, size int64) {
	offsets = make([]int64, len(is))
	seq := make([]int, len(is))
	for i := range seq {
		seq[i] = i
	}
	slices.SortFunc(seq, order)
	placed := make([]int, 0, len(is)) // by offset
	for _, i := range seq {
		need := up(is[i].Bytes)
		at := int64(0)
		for _, j := range placed {
			if is[j].Last < is[i].First || is[i].Last < is[j].First {
				continue
			}
			if at+need <= offsets[j] {
				break
			}
			at = max(at, offsets[j]+up(is[j].Bytes))
		}
		offsets[i] = at
		size = max(size, at+need)
		k, _ := slices.BinarySearchFunc(placed, at, func(j int, o int64) int { return cmp.Compare(offsets[j], o) })
		placed = slices.Insert(placed, k, i)
	}
	return offsets, size
}

func up(n int64) int64 { return (n + plan.Align - 1) / plan.Align * plan.Align }
