package cpu

// Constants of Philox 4×32 (Salmon et al., SC'11, table 2 and the Random123 reference).
const (
	philoxM0 = 0xD2511F53
	philoxM1 = 0xCD9E8D57
	philoxW0 = 0x9E3779B9 // golden ratio
	philoxW1 = 0xBB67AE85 // √3 - 1
)

// Philox4x32 is the counter-based generator Philox 4×32 with 10 rounds: four random words that depend on
// nothing but counter and key.
func Philox4x32(counter [4]uint32, key [2]uint32) [4]uint32 {
	c0, c1, c2, c3 := counter[0], counter[1], counter[2], counter[3]
	k0, k1 := key[0], key[1]
	for range 10 {
		p0, p1 := uint64(philoxM0)*uint64(c0), uint64(philoxM1)*uint64(c2)
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += philoxW0
		k1 += philoxW1
	}
	return [4]uint32{c0, c1, c2, c3}
}

// unit64 maps two words to (0,1) with 52 bits and half a step, so that a logarithm is finite.
func unit64(a, b uint32) float64 {
	return (float64((uint64(a)<<32|uint64(b))>>12) + 0.5) * (1.0 / (1 << 52))
}

// draw returns the words of block i of the stream that seed and a hashed name select.
func draw(seed, nameHash, i uint64) [4]uint32 {
	return Philox4x32(
		[4]uint32{uint32(i), uint32(i >> 32), uint32(nameHash), uint32(nameHash >> 32)},
		[2]uint32{uint32(seed), uint32(seed >> 32)})
}

// Uniform is element i of the stream of uniform numbers in (0,1) of a seed and the hash of a name.
func Uniform(seed, nameHash, i uint64) float64 {
	w := draw(seed, nameHash, i/2)
	if i%2 == 0 {
		return unit64(w[0], w[1])
	}
	return unit64(w[2], w[3])
}
