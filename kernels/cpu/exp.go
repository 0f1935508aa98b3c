package cpu

import "math"

// Range and reduction of the exponential. ln2 is split so that n*ln2Hi is exact for |n| < 2^15.
const (
	expLow  = -87.33654 // below, the result is +0: it would be subnormal
	expHigh = 88.37626  // above, the result is +Inf: 2^128 is no float32 factor
	log2E   = 1.44269504088896340736
	ln2Hi   = 0.693359375
	ln2Lo   = -2.12194440054690582e-4
	magic   = 12582912 // 1.5 * 2^23: adding it rounds to an integer, kept in the low bits

	// (e^r - 1 - r) / r², near-minimax over |r| <= ln2/2, relative error of e^r 8e-9.
	expC2 = 0.5
	expC3 = 0.166665767145
	expC4 = 0.0416665542734
	expC5 = 0.00836322484285
	expC6 = 0.00139262407872
)

// exp is e^x to less than 2 units in the last place for x in [expLow, expHigh].
func exp(x float32) float32 {
	switch {
	case x < expLow:
		return 0
	case x > expHigh:
		return float32(math.Inf(1))
	}
	t := float32(x*log2E) + magic
	n := t - magic
	r := (x - float32(n*ln2Hi)) - float32(n*ln2Lo)
	q := float32(expC6*r) + expC5
	q = float32(q*r) + expC4
	q = float32(q*r) + expC3
	q = float32(q*r) + expC2
	q = float32(float32(q*r)*r) + r
	return (q + 1) * math.Float32frombits((math.Float32bits(t)+127)<<23)
}

// expSub stores y[i] = e^(x[i]-m); y may be x.
func expSub(y, x []float32, m float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = exp(v - m)
	}
}

// max returns the greatest element of x, -Inf for none. The order of a maximum changes no bit.
func maxOf(x []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m
}

// sigmoid is 1/(1+e^(-x)).
func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }
