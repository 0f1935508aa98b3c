package data

import (
	"math/bits"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// orderKey tells the random numbers of the order of rows from all others of a seed.
const orderKey = 0x6f726465

// permutation is the order of n rows in an epoch: a Fisher–Yates shuffle whose
// numbers are Philox words with key = seed and counter = (i, i>>32, epoch,
// orderKey). It depends on nothing else.
func permutation(n int, seed int64, epoch int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	key := [2]uint32{uint32(seed), uint32(uint64(seed) >> 32)}
	for i := n - 1; i > 0; i-- {
		w := cpu.Philox4x32([4]uint32{uint32(i), uint32(uint64(i) >> 32), uint32(epoch), orderKey}, key)
		j, _ := bits.Mul64(uint64(w[0])<<32|uint64(w[1]), uint64(i)+1) // floor(u·(i+1)) of u in [0,1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}
