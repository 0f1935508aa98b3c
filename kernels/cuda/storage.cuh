// Storage types. A tensor is stored as float, bf16 or f16; nothing is computed
// in 16 bits: operands are widened, results rounded once, to nearest, ties to
// even. A named result is its rounded value wherever a later stage reads it.
#pragma once
#include "gp.cuh"

struct gp_bf16 { u16 bits; }; // 8 bits of exponent, 7 of fraction
struct gp_f16 { u16 bits; };  // 5 bits of exponent, 10 of fraction

// GP_STORED(M) is M(suffix, type) for each storage type: entry points are named
// op_f32, op_bf16, op_f16.
#define GP_STORED(M) M(f32, float) M(bf16, gp_bf16) M(f16, gp_f16)

GP_DEVICE float gp_widen(float x) { return x; }
GP_DEVICE float gp_widen(gp_bf16 x) { return gp_float((u32)x.bits << 16); }
GP_DEVICE float gp_widen(gp_f16 x) { return gp_half_float(x.bits); }

GP_DEVICE void gp_narrow(float* p, float x) { *p = x; }
GP_DEVICE void gp_narrow(gp_bf16* p, float x) {
	u32 u = gp_bits(x);
	bool nan = (u & 0x7fffffffu) > 0x7f800000u;
	p->bits = nan ? (u16)0x7fc0 : (u16)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}
GP_DEVICE void gp_narrow(gp_f16* p, float x) { p->bits = gp_float_half(x); }

// gp_round is the value that x has once it is stored as T.
template <class T> GP_DEVICE float gp_round(float x) {
	T t;
	gp_narrow(&t, x);
	return gp_widen(t);
}

// gp_read reads the P elements from i of a row of end elements, 8 or 16 bytes in
// one access where aligned says that pieces of P begin at multiples of their
// length; past the end it is zero. gp_write is the inverse.
template <int P, class T> GP_DEVICE void gp_read(float (&v)[P], const T* row, i64 i, i64 end, bool aligned) {
	const int words = P * sizeof(T) / 4;
	static_assert(words == 2 || words == 4, "a piece is 8 or 16 bytes");
	if (aligned && i + P <= end) {
		u32 w[words];
		gp_load(w, row + i);
		GP_UNROLL
		for (int k = 0; k < P; k++) {
			T t;
			if constexpr (sizeof(T) == 4) t = gp_float(w[k]);
			else t.bits = (u16)(w[k / 2] >> 16 * (k % 2));
			v[k] = gp_widen(t);
		}
		return;
	}
	GP_UNROLL
	for (int k = 0; k < P; k++) v[k] = i + k < end ? gp_widen(row[i + k]) : 0.0f;
}

template <int P, class T> GP_DEVICE void gp_write(T* row, i64 i, i64 end, bool aligned, const float (&v)[P]) {
	const int words = P * sizeof(T) / 4;
	static_assert(words == 2 || words == 4, "a piece is 8 or 16 bytes");
	if (aligned && i + P <= end) {
		u32 w[words];
		GP_UNROLL
		for (int k = 0; k < words; k++) {
			if constexpr (sizeof(T) == 4) {
				w[k] = gp_bits(v[k]);
			} else {
				T low, high;
				gp_narrow(&low, v[2 * k]);
				gp_narrow(&high, v[2 * k + 1]);
				w[k] = low.bits | (u32)high.bits << 16;
			}
		}
		gp_store(row + i, w);
		return;
	}
	GP_UNROLL
	for (int k = 0; k < P; k++)
		if (i + k < end) gp_narrow(&row[i + k], v[k]);
}

// gp_pack is the elements of one 16-byte access: 4 floats or 8 of 16 bits.
template <class T> struct gp_pack {
	static const int n = 16 / sizeof(T);
	float v[n];
};

// gp_get reads the pack at element i of p[end]; past the end it is zero. gp_put is
// the inverse: nothing is written past the end. p is a multiple of 16 bytes and i of
// a pack.
template <class T> GP_DEVICE gp_pack<T> gp_get(const T* p, i64 i, i64 end) {
	gp_pack<T> r;
	gp_read(r.v, p, i, end, true);
	return r;
}
template <class T> GP_DEVICE void gp_put(T* p, i64 i, i64 end, const gp_pack<T>& r) { gp_write(p, i, end, true, r.v); }

// gp_rows is a matrix of N columns, rows ld apart, that results are stored in, P
// neighbours at a time.
template <class T> struct gp_rows {
	T* p;
	i64 N, ld;

	template <int P> GP_DEVICE_MEMBER void operator()(i64 m, i64 n, const float (&v)[P]) const { gp_write(p + m * ld, n, N, ld % P == 0, v); }
	// get reads what is stored.
	template <int P> GP_DEVICE_MEMBER void get(float (&v)[P], i64 m, i64 n) const { gp_read(v, p + m * ld, n, N, ld % P == 0); }
};
