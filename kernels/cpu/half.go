package cpu

import "math"

// Half is a 16-bit storage type. Nothing is computed in it: operands are widened
// to float32, results rounded once, to nearest, ties to even.
type Half uint8

// The 16-bit types.
const (
	BF16 Half = iota // 8 bits of exponent, 7 of fraction
	F16              // 5 bits of exponent, 10 of fraction; rounds to ±Inf from 65520 on
)

// Widen sets dst[i] to the value of src[i], which float32 holds exactly.
func Widen(p Par, dst []float32, src []uint16, h Half) {
	type args struct {
		u   ISA
		dst []float32
		src []uint16
		h   Half
	}
	each(p, len(dst), elementGrain, args{isa(p), dst, src, h}, func(t *args, lo, hi, _ int) { t.u.widenAll(t.dst[lo:hi], t.src[lo:hi], t.h) })
}

// Narrow sets dst[i] to src[i] rounded.
func Narrow(p Par, dst []uint16, src []float32, h Half) {
	type args struct {
		u   ISA
		dst []uint16
		src []float32
		h   Half
	}
	each(p, len(dst), elementGrain, args{isa(p), dst, src, h}, func(t *args, lo, hi, _ int) { t.u.narrowAll(t.dst[lo:hi], t.src[lo:hi], t.h) })
}

// Round rounds x in place to values that the type holds: a named result that a
// later stage of the same kernel reads.
func Round(p Par, x []float32, h Half) {
	type args struct {
		u ISA
		x []float32
		h Half
	}
	each(p, len(x), elementGrain, args{isa(p), x, h}, func(t *args, lo, hi, _ int) {
		strips(lo, hi, func(lo, hi int) {
			var buf [strip]uint16
			t.u.narrowAll(buf[:hi-lo], t.x[lo:hi], t.h)
			t.u.widenAll(t.x[lo:hi], buf[:hi-lo], t.h)
		})
	})
}

// widenAll widens a piece.
func (u ISA) widenAll(dst []float32, src []uint16, h Half) {
	if u != Go {
		n := u.widen(dst, src, h)
		dst, src = dst[n:], src[n:]
	}
	if h == BF16 {
		for i, x := range src {
			dst[i] = math.Float32frombits(uint32(x) << 16)
		}
		return
	}
	for i, x := range src {
		dst[i] = fromF16(x)
	}
}

// narrowAll rounds a piece.
func (u ISA) narrowAll(dst []uint16, src []float32, h Half) {
	if u != Go {
		n := u.narrow(dst, src, h)
		dst, src = dst[n:], src[n:]
	}
	if h == BF16 {
		for i, x := range src {
			dst[i] = toBF16(x)
		}
		return
	}
	for i, x := range src {
		dst[i] = toF16(x)
	}
}

// toBF16 rounds to bfloat16; a NaN stays one.
func toBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// toF16 rounds to IEEE half precision, subnormals included.
func toF16(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x477ff000: // 65520 and above: ±Inf
		return sign | 0x7c00
	case b >= 0x38800000: // normal: the exponent moves by 127−15, 13 bits of fraction go
		b -= 112 << 23
		return sign | uint16((b+0xfff+b>>13&1)>>13)
	case b < 0x33000000: // below half of the smallest subnormal
		return sign
	}
	e := b >> 23
	m := b&0x7fffff | 0x800000
	shift := 126 - e // of the 24-bit significand down to units of 2⁻²⁴
	half := uint32(1) << (shift - 1)
	return sign | uint16((m+half-1+m>>shift&1)>>shift)
}

// fromF16 is exact.
func fromF16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	e, m := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case e == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | m<<13)
	case e != 0:
		return math.Float32frombits(sign | (e+112)<<23 | m<<13)
	}
	v := float32(m) * (1.0 / (1 << 24))
	return math.Float32frombits(sign | math.Float32bits(v))
}
