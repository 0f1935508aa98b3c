package main

// The exponential of kernels/cpu/exp.go: the same reduction and polynomial.
const (
	expLow  = -87.33654
	expTop  = 89 // from 88.4 on the factor 2^n is +Inf
	log2E   = 1.44269504088896340736
	ln2Hi   = 0.693359375
	ln2Lo   = -2.12194440054690582e-4
	magic   = 12582912
	signBit = constant(1 << 31)
	bias127 = constant(127)
)

var expPoly = []float64{0.00139262407872, 0.00836322484285, 0.0416665542734, 0.166665767145, 0.5}

// exp replaces x by e^x: n = round(x/ln2) from the low bits of x log2e + 1.5·2^23, r = x - n ln2 in two steps,
// e^r = 1 + r + r² P(r), times 2^n by its exponent bits. Below expLow the result is +0; NaN stays.
func (l *lanes) exp(x vec) {
	t, n, q := l.alloc(), l.alloc(), l.alloc()
	keep := vec(0)
	if l.zmm {
		l.op("VCMPPS", "$5", expLow, x, "K2")
	} else {
		keep = l.alloc()
		l.op("VCMPPS", "$5", expLow, x, keep)
	}
	l.set(t, float64(expTop))
	l.op("VMINPS", x, t, x)
	l.set(t, float64(magic))
	l.fma(t, x, log2E)
	l.sub(n, t, float64(magic))
	l.fnma(x, n, ln2Hi)
	l.fnma(x, n, ln2Lo)
	l.set(q, expPoly[0])
	for _, c := range expPoly[1:] {
		l.horner(q, x, c)
	}
	l.mul(q, q, x)
	l.horner(q, x, x)
	l.add(q, q, 1.0)
	l.op("VPADDD", bias127, t, t)
	l.op("VPSLLD", "$23", t, t)
	l.mul(x, q, t)
	if l.zmm {
		l.line("VMOVAPS.Z Z%d, K2, Z%d", x, x)
	} else {
		l.op("VANDPS", keep, x, x)
		l.free(keep)
	}
	l.free(t, n, q)
}
