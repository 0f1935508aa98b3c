package cpu

// chunk is the number of elements whose squares one partial of [Norm2] sums.
const chunk = 65536

// Norm2 is Σ g² in float64: chunks of 65,536 elements; in a chunk 16 lanes by index mod 16 and one
// fixed tree; the partials of the chunks are added in order.
func Norm2(g []float32) float64 { return Norm2Par(Serial{}, g) }

// Norm2Par is [Norm2] on the workers of p, with the same bits.
func Norm2Par(p Par, g []float32) float64 {
	type args struct {
		u       ISA
		g       []float32
		partial [256]float64
	}
	c := callOf[args](p)
	c.args.u = isa(p)
	c.body = func(t *args, lo, hi, _ int) {
		for i := lo; i < hi; i++ {
			t.partial[i] = t.u.squares(t.g[i*chunk : min(len(t.g), (i+1)*chunk)])
		}
	}
	total := 0.0
	for len(g) > 0 {
		c.args.g = g[:min(len(g), len(c.args.partial)*chunk)]
		n := (len(c.args.g) + chunk - 1) / chunk
		p.For(n, 1, c.piece)
		for _, s := range c.args.partial[:n] {
			total += s
		}
		g = g[len(c.args.g):]
	}
	c.args.g = nil
	return total
}

// squares is the sum of squares of one chunk.
func squares(x []float32) float64 {
	var l [16]float64
	whole := len(x) &^ 15
	for h := 0; h < 16; h += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for i := h; i < whole; i += 16 {
			v := (*[8]float32)(x[i:])
			s0 = square(v[0]) + s0
			s1 = square(v[1]) + s1
			s2 = square(v[2]) + s2
			s3 = square(v[3]) + s3
			s4 = square(v[4]) + s4
			s5 = square(v[5]) + s5
			s6 = square(v[6]) + s6
			s7 = square(v[7]) + s7
		}
		copy(l[h:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for i, v := range x[whole:] {
		l[i] = square(v) + l[i]
	}
	for n := 8; n > 0; n /= 2 {
		for i := range n {
			l[i] += l[i+n]
		}
	}
	return l[0]
}

// square is exact: 24 bits squared fit the 53 of float64.
func square(x float32) float64 { return float64(float64(x) * float64(x)) }
