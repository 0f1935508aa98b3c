package ref

import "math"

// RoPE rotates q and k of packed rows [q H*D | k G*D | v G*D] by pos base^(-2i/D) in the pairs (i, i+D/2) of each head and
// copies v (arXiv:2104.09864); pos nil means r mod T; inverse turns back and is the VJP.
func RoPE(y, x []float64, pos []int32, R, T, H, G, D int, base float64, inverse bool) {
	width := (H + 2*G) * D
	for r := range R {
		copy(y[r*width:(r+1)*width], x[r*width:(r+1)*width])
		at := float64(position(pos, r, T))
		if inverse {
			at = -at
		}
		for h := range H + G {
			for i := range D / 2 {
				sin, cos := math.Sincos(at * math.Pow(base, -2*float64(i)/float64(D)))
				u, v := r*width+h*D+i, r*width+h*D+i+D/2
				a, b := x[u], x[v]
				y[u], y[v] = a*cos-b*sin, b*cos+a*sin
			}
		}
	}
}
