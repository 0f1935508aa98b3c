package cpu

import "math"

// Dropout is y = x/(1-rate) where an element is kept and 0 where it is dropped, each with probability rate
// (Srivastava et al., JMLR 15, 2014). It keeps no mask: element e = t*C+c of sequence b is kept when
// word e mod 4 of Philox4x32(counter = (e/4, site, seq0+b, u), key = seed), as a number in [0,1), is at least
// rate. seq0 is the index in the window of the first sequence, u the update, site the place in the model.
// Applied to dy it is its own VJP. x, y are [B*T,C]; y may be x.
func Dropout(p Par, y, x []float32, rate float64, seed, u uint64, site uint32, seq0, B, T, C int) {
	n := T * C
	quads := (n + 3) / 4
	key := [2]uint32{uint32(seed), uint32(seed >> 32)}
	limit, scale := dropLimit(rate), float32(1/(1-rate))
	p.For(B*quads, elementGrain/16, func(lo, hi, _ int) {
		for i := lo; i < hi; i++ {
			b, q := i/quads, i%quads
			w := Philox4x32([4]uint32{uint32(q), site, uint32(seq0 + b), uint32(u)}, key)
			src, dst := x[b*n+4*q:b*n+min(n, 4*q+4)], y[b*n+4*q:b*n+min(n, 4*q+4)]
			for j, v := range src {
				// All ones when w/2^8 >= limit: without a branch, which would be guessed wrong.
				keep := uint32(int32(limit-1-w[j&3]>>8) >> 31)
				dst[j] = math.Float32frombits(math.Float32bits(v*scale) & keep)
			}
		}
	})
}

// dropLimit is the least 24-bit number n with n/2^24 >= rate, rate rounded to float32.
func dropLimit(rate float64) uint32 {
	return uint32(math.Ceil(float64(float32(rate)) * (1 << 24)))
}
