package cpu

import "math"

// Normal is element i of the stream of standard normal numbers of a seed and the hash of a name, by Box and
// Muller (Ann. Math. Statist. 29, 1958): the elements 2j and 2j+1 share one draw. Every architecture and
// instruction set has the same bits, since each step is one rounded operation in float64.
func Normal(seed, nameHash, i uint64) float64 {
	even, odd := normalPair(seed, nameHash, i/2)
	if i%2 == 0 {
		return even
	}
	return odd
}

// Normals stores x[i] = std · Normal(seed, nameHash, first+i), rounded to float32 once. first is even, so that no
// pair is cut; pieces of a stream may be made in any order and by several goroutines.
func Normals(u ISA, x []float32, std float64, seed, nameHash, first uint64) {
	if first%2 != 0 {
		panic("kernels/cpu: Normals from an odd element")
	}
	j := first / 2
	// The vector kernel counts in 32 bits and leaves the upper half of the counter alone.
	if n := len(x) &^ 15; min(u, Detect()) != Go && j>>32 == (j+uint64(n/2))>>32 {
		u.normalGroups(x[:n], std, seed, nameHash, j)
		x, j = x[n:], j+uint64(n/2)
	}
	for ; len(x) > 0; j++ {
		even, odd := normalPair(seed, nameHash, j)
		x[0] = float32(std * even)
		if len(x) == 1 {
			return
		}
		x[1] = float32(std * odd)
		x = x[2:]
	}
}

// normalPair is the elements 2j and 2j+1 of a stream.
func normalPair(seed, nameHash, j uint64) (even, odd float64) {
	w := draw(seed, nameHash, j)
	radius := math.Sqrt(-2 * lnUnit(unit64(w[0], w[1])))
	sin, cos := sincosTurn(2 * math.Pi * unit64(w[2], w[3]))
	return radius * cos, radius * sin
}

// Coefficients of ln((1+s)/(1-s)) = 2s + s R(s²), error below 2^-58.45, and ln 2 in two parts, of which the first
// times an exponent is exact: Sun's fdlibm, e_log.c.
const (
	lnHi = 6.93147180369123816490e-01
	lnLo = 1.90821492927058770002e-10
	lnC1 = 6.666666666666735130e-01
	lnC2 = 3.999999999940941908e-01
	lnC3 = 2.857142874366239149e-01
	lnC4 = 2.222219843214978396e-01
	lnC5 = 1.818357216161805012e-01
	lnC6 = 1.531383769920937332e-01
	lnC7 = 1.479819860511658591e-01
)

// lnUnit is ln u of a normal number in (0,1), to less than one unit in the last place: u = 2^k f with f in
// (√½, √2], and ln f by s = (f-1)/(f+1).
func lnUnit(u float64) float64 {
	bits := math.Float64bits(u)
	f := math.Float64frombits(bits&(1<<52-1) | 0x3fe<<52)
	k := float64(int(bits>>52) - 0x3fe)
	if f <= math.Sqrt2/2 {
		f *= 2
		k--
	}
	f--
	s := f / (2 + f)
	z := s * s
	w := z * z
	odd := float64(z * (lnC1 + float64(w*(lnC3+float64(w*(lnC5+float64(w*lnC7)))))))
	even := float64(w * (lnC2 + float64(w*(lnC4+float64(w*lnC6)))))
	half := float64(0.5 * f * f)
	return float64(k*lnHi) - ((half - (float64(s*(half+(odd+even))) + float64(k*lnLo))) - f)
}

// π/4 in three parts, of which the first two times a small integer are exact, and the coefficients of sine and cosine
// on [-π/4, π/4]: Moshier's Cephes library, sin.c.
const (
	turnA = 7.85398125648498535156e-1
	turnB = 3.77489470793079817668e-8
	turnC = 2.69515142907905952645e-15

	sinC1 = 1.58962301576546568060e-10
	sinC2 = -2.50507477628578072866e-8
	sinC3 = 2.75573136213857245213e-6
	sinC4 = -1.98412698295895385996e-4
	sinC5 = 8.33333333332211858878e-3
	sinC6 = -1.66666666666666307295e-1

	cosC1 = -1.13585365213876817300e-11
	cosC2 = 2.08757008419747316778e-9
	cosC3 = -2.75573141792967388112e-7
	cosC4 = 2.48015872888517045348e-5
	cosC5 = -1.38888888888730564116e-3
	cosC6 = 4.16666666666665929218e-2
)

// sincosTurn is sine and cosine of an angle in (0, 2π]: the angle less the nearest even multiple j of π/4, and
// the quadrant from the bits of j.
func sincosTurn(x float64) (sin, cos float64) {
	j := (int(x*(4/math.Pi)) + 1) &^ 1
	y := float64(j)
	r := ((x - float64(y*turnA)) - float64(y*turnB)) - float64(y*turnC)
	z := r * r
	p := float64(sinC1*z) + sinC2
	p = float64(p*z) + sinC3
	p = float64(p*z) + sinC4
	p = float64(p*z) + sinC5
	p = float64(p*z) + sinC6
	q := float64(cosC1*z) + cosC2
	q = float64(q*z) + cosC3
	q = float64(q*z) + cosC4
	q = float64(q*z) + cosC5
	q = float64(q*z) + cosC6
	sin = r + float64(float64(r*z)*p)
	cos = (1 - float64(0.5*z)) + float64(float64(z*z)*q)
	if j&2 != 0 {
		sin, cos = cos, -sin // a quarter turn
	}
	if j&4 != 0 {
		sin, cos = -sin, -cos // a half turn
	}
	return sin, cos
}
