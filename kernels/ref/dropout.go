package ref

// Dropout is y = x/(1-rate) where the uniform number of the element is at least rate, else 0. Element e = t*C+c of
// sequence b uses word e mod 4 of Philox4x32(counter = (e/4, site, seq0+b, u), key = seed). Applied to dy it is its VJP.
func Dropout(y, x []float64, rate float64, seed, u uint64, site uint32, seq0, B, T, C int) {
	for b := range B {
		for e := range T * C {
			w := Philox4x32([4]uint32{uint32(e / 4), site, uint32(seq0 + b), uint32(u)},
				[2]uint32{uint32(seed), uint32(seed >> 32)})
			y[b*T*C+e] = 0
			if uniform := float64(w[e%4]>>8) / (1 << 24); float32(uniform) >= float32(rate) {
				y[b*T*C+e] = x[b*T*C+e] / (1 - rate)
			}
		}
	}
}
