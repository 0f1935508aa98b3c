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

// expSub stores y[i] = e^(x[i]-m), to less than 2 units in the last place of e^(float32(x[i]-m)) in
// [expLow, expHigh]; y may be x. NaN stays NaN.
//
// It is a loop and not a function of one number because the compiler would not inline that, and calls between the
// elements cost half the time. e^x = 2^n e^r with n = round(x/ln2), r = x - n ln2.
func expSub(y, x []float32, m float32) {
	y = y[:len(x)]
	for i, v := range x {
		v -= m
		if v < expLow {
			y[i] = 0
			continue
		}
		if v > expHigh {
			y[i] = float32(math.Inf(1))
			continue
		}
		t := float32(v*log2E) + magic
		n := t - magic
		r := (v - float32(n*ln2Hi)) - float32(n*ln2Lo)
		q := float32(expC6*r) + expC5
		q = float32(q*r) + expC4
		q = float32(q*r) + expC3
		q = float32(q*r) + expC2
		q = float32(float32(q*r)*r) + r
		y[i] = (q + 1) * math.Float32frombits((math.Float32bits(t)+127)<<23)
	}
}

// expSum replaces x[i] by e^(x[i] s - m) and returns the sum of the row.
func expSum(x []float32, s, m float32) float32 {
	if s != 1 {
		scaleRow(x, s)
	}
	expSub(x, x, m)
	return sum16(x)
}

// exp is e^x of one number, with the bits of [expSub].
func exp(x float32) float32 {
	v := [1]float32{x}
	expSub(v[:], v[:], 0)
	return v[0]
}

var negInf = float32(math.Inf(-1))

// maxScaled returns the greatest of m and the x[i] s. The order of a maximum changes no bit.
func maxScaled(x []float32, s, m float32) float32 {
	for _, v := range x {
		if v *= s; v > m {
			m = v
		}
	}
	return m
}

// scaleRow multiplies a row by f.
func scaleRow(x []float32, f float32) {
	for i := range x {
		x[i] *= f
	}
}

// scaleTwice multiplies a row by f, then by h.
func scaleTwice(x []float32, f, h float32) {
	for i, v := range x {
		x[i] = float32(v*f) * h
	}
}
