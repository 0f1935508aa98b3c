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

// gp_pack is the elements of one 16-byte access: 4 floats or 8 of 16 bits.
template <class T> struct gp_pack {
	static const int n = 16 / sizeof(T);
	float v[n];
};

// gp_get reads the pack at element i of p[end]; past the end it is zero.
// p is a multiple of 16 bytes and i of a pack.
template <class T> GP_DEVICE gp_pack<T> gp_get(const T* p, i64 i, i64 end) {
	gp_pack<T> r;
	if (i + r.n <= end) {
		gp_quad q = *(const gp_quad*)(p + i);
		GP_UNROLL
		for (int k = 0; k < r.n; k++) {
			T t;
			if constexpr (sizeof(T) == 4) t = gp_float(q.w[k]);
			else t.bits = (u16)(q.w[k / 2] >> 16 * (k % 2));
			r.v[k] = gp_widen(t);
		}
	} else {
		GP_UNROLL
		for (int k = 0; k < r.n; k++) r.v[k] = i + k < end ? gp_widen(p[i + k]) : 0.0f;
	}
	return r;
}

// gp_put is the inverse of gp_get; nothing is written past the end.
template <class T> GP_DEVICE void gp_put(T* p, i64 i, i64 end, const gp_pack<T>& r) {
	if (i + r.n <= end) {
		gp_quad q;
		GP_UNROLL
		for (int k = 0; k < 4; k++) {
			if constexpr (sizeof(T) == 4) {
				q.w[k] = gp_bits(r.v[k]);
			} else {
				T lo, hi;
				gp_narrow(&lo, r.v[2 * k]);
				gp_narrow(&hi, r.v[2 * k + 1]);
				q.w[k] = lo.bits | (u32)hi.bits << 16;
			}
		}
		*(gp_quad*)(p + i) = q;
	} else {
		GP_UNROLL
		for (int k = 0; k < r.n; k++)
			if (i + k < end) gp_narrow(&p[i + k], r.v[k]);
	}
}
