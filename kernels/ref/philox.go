package ref

import "math"

// Philox4x32 is Philox 4×32 with 10 rounds (Salmon et al., SC'11).
func Philox4x32(counter [4]uint32, key [2]uint32) [4]uint32 {
	c, k := counter, key
	for range 10 {
		a, b := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		c = [4]uint32{uint32(b>>32) ^ c[1] ^ k[0], uint32(b), uint32(a>>32) ^ c[3] ^ k[1], uint32(a)}
		k = [2]uint32{k[0] + 0x9E3779B9, k[1] + 0xBB67AE85}
	}
	return c
}

// Uniform is element i of the uniform stream in (0,1) of a seed and the hash of a name: 52 bits of half a block each.
func Uniform(seed, nameHash, i uint64) float64 {
	w := block(seed, nameHash, i/2)
	h := 2 * (i % 2)
	return (float64((uint64(w[h])<<32|uint64(w[h+1]))>>12) + 0.5) / (1 << 52)
}

// Normal is element i of the standard normal stream: Box and Muller on the two uniforms of a block.
func Normal(seed, nameHash, i uint64) float64 {
	u, v := Uniform(seed, nameHash, i-i%2), Uniform(seed, nameHash, i-i%2+1)
	radius, angle := math.Sqrt(-2*math.Log(u)), 2*math.Pi*v
	if i%2 == 0 {
		return radius * math.Cos(angle)
	}
	return radius * math.Sin(angle)
}

// block is block i of the stream: counter (i, hash), key seed.
func block(seed, nameHash, i uint64) [4]uint32 {
	return Philox4x32([4]uint32{uint32(i), uint32(i >> 32), uint32(nameHash), uint32(nameHash >> 32)},
		[2]uint32{uint32(seed), uint32(seed >> 32)})
}
