package cpu

import "math"

// ropePairs is the number of rotated pairs whose angles are held at a time.
const ropePairs = 64

// RoPE rotates the queries and keys of packed rows x [R, (H+2G)D] = [q H*D | k G*D | v G*D] and copies
// the values (Su et al., arXiv:2104.09864, half-split pairing of Llama): in each head, for i < D/2,
// with the angle a = pos base^(-2i/D),
//
//	y[i] = x[i] cos a - x[i+D/2] sin a    y[i+D/2] = x[i+D/2] cos a + x[i] sin a
//
// pos [R] nil means r mod T. inverse turns the other way, which is the VJP. y may be x. Angles are computed
// in float64 and rounded once as cosine and sine.
func RoPE(p Par, y, x []float32, pos []int32, R, T, H, G, D int, base float64, inverse bool) {
	u := isa(p)
	p.For(R, rowGrain((H+2*G)*D), func(lo, hi, _ int) {
		for i := 0; i < D/2; i += ropePairs {
			ropeBlock(u, y, x, pos, lo, hi, T, H+G, G, D, i, base, inverse)
		}
		width := (H + 2*G) * D
		for r := lo; r < hi; r++ {
			for h := range H + G { // an odd head keeps its last element
				if D%2 == 1 {
					y[r*width+h*D+D-1] = x[r*width+h*D+D-1]
				}
			}
			copy(y[r*width+(H+G)*D:(r+1)*width], x[r*width+(H+G)*D:])
		}
	})
}

// ropeBlock rotates the pairs first … first+ropePairs-1 of all heads of the rows [lo,hi).
func ropeBlock(u ISA, y, x []float32, pos []int32, lo, hi, T, heads, G, D, first int, base float64, inverse bool) {
	var freq [ropePairs]float64
	var cos, sin [ropePairs]float32
	half := D / 2
	n := min(ropePairs, half-first)
	for i := range n {
		freq[i] = math.Pow(base, -2*float64(first+i)/float64(D))
	}
	for r := lo; r < hi; r++ {
		at := float64(r % T)
		if pos != nil {
			at = float64(pos[r])
		}
		if inverse {
			at = -at
		}
		for i := range n {
			s, c := math.Sincos(at * freq[i])
			cos[i], sin[i] = float32(c), float32(s)
		}
		for h := range heads {
			o := r*(heads+G)*D + h*D + first
			u.rotate(y[o:o+n], y[o+half:o+half+n], x[o:o+n], x[o+half:o+half+n], cos[:n], sin[:n])
		}
	}
}

// rotate turns the pairs (u[i], v[i]) into (yu[i], yv[i]).
func rotate(yu, yv, u, v, cos, sin []float32) {
	n := len(u)
	yu, yv, v, cos, sin = yu[:n], yv[:n], v[:n], cos[:n], sin[:n]
	for i := range n {
		a, b := u[i], v[i]
		yu[i] = float32(a*cos[i]) - float32(b*sin[i])
		yv[i] = float32(b*cos[i]) + float32(a*sin[i])
	}
}
