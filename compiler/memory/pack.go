package memory

import (
	"cmp"
	"math"
	"slices"

	"github.com/gradcue/gradcue/compiler/plan"
)

// Interval is a block of bytes that lives from command First to Last inclusive.
type Interval struct {
	First, Last int
	Bytes       int64
}

// Range is bytes from an offset on.
type Range struct{ Offset, Bytes int64 }

// Pack gives each interval an offset, so that two that live at the same time do
// not overlap, and returns the bytes needed. It tries two orders (largest first,
// longest life first), each with lowest fitting offset, and keeps the smaller
// result; the second only where the first has holes. The taken ranges are not for
// any of them. Ties are broken by position, so the result is deterministic.
func Pack(is []Interval, taken ...Range) (offsets []int64, size int64) {
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
		o, s := packIn(is, order, taken)
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

func packIn(is []Interval, order func(a, b int) int, taken []Range) (offsets []int64, size int64) {
	offsets = make([]int64, len(is))
	seq := make([]int, len(is))
	for i := range seq {
		seq[i] = i
	}
	slices.SortFunc(seq, order)
	placed := make([]block, 0, len(is)+len(taken)) // by offset
	for _, r := range taken {
		placed = insert(placed, block{r.Offset, r.Offset + up(r.Bytes), 0, math.MaxInt})
	}
	for _, i := range seq {
		need := up(is[i].Bytes)
		at := int64(0)
		for k := range placed {
			b := &placed[k]
			if b.last < is[i].First || is[i].Last < b.first {
				continue
			}
			if at+need <= b.from {
				break
			}
			at = max(at, b.to)
		}
		offsets[i] = at
		size = max(size, at+need)
		placed = insert(placed, block{at, at + need, is[i].First, is[i].Last})
	}
	return offsets, size
}

// block is an interval with its place.
type block struct {
	from, to    int64
	first, last int
}

func insert(placed []block, b block) []block {
	k, _ := slices.BinarySearchFunc(placed, b.from, func(x block, at int64) int { return cmp.Compare(x.from, at) })
	return slices.Insert(placed, k, b)
}

func up(n int64) int64 { return (n + plan.Align - 1) / plan.Align * plan.Align }
