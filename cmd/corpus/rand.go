package main

// rng is SplitMix64: the state advances by a constant and each output is a mix of it.
// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
// It is written out here, and not taken from the standard library, so that the committed text depends on nothing else.
type rng struct{ state uint64 }

// next returns the next 64 random bits.
func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// pick returns a number in [0, n). The bias of the remainder, below n/2^64, is of no interest here.
func (r *rng) pick(n int) int { return int(r.next() % uint64(n)) }

// from returns one element of list.
func (r *rng) from(list []string) string { return list[r.pick(len(list))] }

// two returns two different elements of list, which must have at least two.
func (r *rng) two(list []string) (string, string) {
	i := r.pick(len(list))
	j := r.pick(len(list) - 1)
	if j >= i {
		j++
	}
	return list[i], list[j]
}
