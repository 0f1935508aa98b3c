package gradcheck

import (
	"math"
	"math/rand/v2"
	"slices"
)

// pick chooses the elements of a tensor that are checked, ascending: all of a
// small one; else the one with the largest gradient, half of the rest anywhere
// and half where the gradient is not zero. Most rows of an embedding have no
// gradient in a window: they must be seen, but not only they.
func pick(grad []float64, samples int, seed, tensor uint64) []int {
	n := len(grad)
	if n <= samples {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	r := rand.New(rand.NewPCG(seed, tensor))
	largest, live := 0, []int(nil)
	for i, g := range grad {
		if math.Abs(g) > math.Abs(grad[largest]) {
			largest = i
		}
		if g != 0 {
			live = append(live, i)
		}
	}
	chosen := map[int]bool{largest: true}
	picked := []int{largest}
	take := func(i int) {
		if !chosen[i] {
			chosen[i] = true
			picked = append(picked, i)
		}
	}
	r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	for _, i := range live[:min(len(live), samples/2)] {
		take(i)
	}
	for len(picked) < samples {
		take(r.IntN(n))
	}
	slices.Sort(picked)
	return picked
}
