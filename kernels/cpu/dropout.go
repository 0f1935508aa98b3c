package cpu

// Dropout is y = x/(1-rate) where an element is kept and 0 where it is dropped, each with probability rate
// (Srivastava et al., JMLR 15, 2014). It keeps no mask: element e = t*C+c of sequence b is kept when
// word e mod 4 of Philox4x32(counter = (e/4, site, seq0+b, u), key = seed), as a number in [0,1), is at least
// rate. seq0 is the index in the window of the first sequence, u the update, site the place in the model.
// Applied to dy it is its own VJP. x, y are [B*T,C]; y may be x.
func Dropout(p Par, y, x []float32, rate float64, seed, u uint64, site uint32, seq0, B, T, C int) {
	n := T * C
	quads := (n + 3) / 4
	key := [2]uint32{uint32(seed), uint32(seed >> 32)}
	limit, scale := float32(rate), float32(1/(1-rate))
	p.For(B*quads, elementGrain/16, func(lo, hi, _ int) {
		for i := lo; i < hi; i++ {
			b, q := i/quads, i%quads
			w := Philox4x32([4]uint32{uint32(q), site, uint32(seq0 + b), uint32(u)}, key)
			for j := range min(4, n-4*q) {
				e := b*n + 4*q + j
				if unit32(w[j]) >= limit {
					y[e] = x[e] * scale
				} else {
					y[e] = 0
				}
			}
		}
	})
}
