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
	t := turn{u: isa(p), R: R, T: T, heads: H + G, width: (H + 2*G) * D, D: D, step: R, base: base, inverse: inverse}
	n := R
	if pos == nil && T < R { // the rows of one position share its angles
		n, t.step = T, T
	}
	type args struct {
		turn
		y, x []float32
		pos  []int32
	}
	each(p, n, rowGrain(t.width*(R/max(1, n))), args{t, y, x, pos}, func(t *args, lo, hi, _ int) {
		for i := 0; i < t.D/2; i += ropePairs {
			t.pairs(t.y, t.x, t.pos, lo, hi, i)
		}
		for first := lo; first < hi; first++ {
			for r := first; r < t.R; r += t.step {
				t.rest(t.y[r*t.width:][:t.width], t.x[r*t.width:][:t.width])
			}
		}
	})
}

// turn is a rotation of rows of which the first heads*D elements are rotated. Angles are computed for a row and serve every
// step-th row after it.
type turn struct {
	u                     ISA
	R, T, heads, width, D int
	step                  int
	base                  float64
	inverse               bool
}

// pairs rotates the pairs from … from+ropePairs-1 of all heads of the rows [lo,hi) and those that share their angles.
func (t *turn) pairs(y, x []float32, pos []int32, lo, hi, from int) {
	var freq [ropePairs]float64
	var cos, sin [ropePairs]float32
	half := t.D / 2
	n := min(ropePairs, half-from)
	for i := range n {
		freq[i] = math.Pow(t.base, -2*float64(from+i)/float64(t.D))
	}
	for first := lo; first < hi; first++ {
		at := float64(position(pos, first, t.T))
		if t.inverse {
			at = -at
		}
		for i := range n {
			s, c := math.Sincos(at * freq[i])
			cos[i], sin[i] = float32(c), float32(s)
		}
		for r := first; r < t.R; r += t.step {
			for h := range t.heads {
				o := r*t.width + h*t.D + from
				t.u.rotate(y[o:o+n], y[o+half:o+half+n], x[o:o+n], x[o+half:o+half+n], cos[:n], sin[:n])
			}
		}
	}
}

// rest copies the values of a row, and the last element of heads of odd size.
func (t *turn) rest(y, x []float32) {
	if t.D%2 == 1 {
		for o := t.D - 1; o < t.heads*t.D; o += t.D {
			y[o] = x[o]
		}
	}
	copy(y[t.heads*t.D:], x[t.heads*t.D:])
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
