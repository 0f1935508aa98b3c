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
	d := dropper{isa: isa(p), counter: [4]uint32{0, site, 0, uint32(u)}, key: [2]uint32{uint32(seed), uint32(seed >> 32)},
		limit: dropLimit(rate), scale: float32(1 / (1 - rate))}
	type args struct {
		dropper
		y, x           []float32
		n, quads, seq0 int
	}
	each(p, B*quads, elementGrain/16, args{d, y, x, n, quads, seq0}, func(t *args, lo, hi, _ int) {
		for lo < hi {
			b, q := lo/t.quads, lo%t.quads
			k := min(hi-lo, t.quads-q)
			from, to := b*t.n+4*q, b*t.n+min(t.n, 4*(q+k))
			t.run(t.y[from:to], t.x[from:to], q, uint32(t.seq0+b))
			lo += k
		}
	})
}

// dropper is what the elements of a call have in common.
type dropper struct {
	isa     ISA
	counter [4]uint32
	key     [2]uint32
	limit   uint32
	scale   float32
}

// run drops elements of one sequence, from quad q on.
func (d dropper) run(y, x []float32, q int, seq uint32) {
	if d.isa != Go {
		k := len(x) &^ 31
		d.isa.dropGroups(y[:k], x[:k], q, d.counter[1], seq, d.counter[3], d.key[0], d.key[1], d.limit-1, d.scale)
		y, x, q = y[k:], x[k:], q+k/4
	}
	d.counter[2] = seq
	for ; len(x) > 0; q++ {
		d.counter[0] = uint32(q)
		w := Philox4x32(d.counter, d.key)
		k := min(4, len(x))
		for j, v := range x[:k] {
			// All ones when w/2^8 >= limit: without a branch, which would be guessed wrong.
			keep := uint32(int32(d.limit-1-w[j&3]>>8) >> 31)
			y[j] = math.Float32frombits(math.Float32bits(v*d.scale) & keep)
		}
		y, x = y[k:], x[k:]
	}
}

// dropLimit is the least 24-bit number n with n/2^24 >= rate, rate rounded to float32.
func dropLimit(rate float64) uint32 {
	return uint32(math.Ceil(float64(float32(rate)) * (1 << 24)))
}
