// Elementary functions, in plain arithmetic, so that device and host agree: no
// approximation of the hardware is used. Errors are relative unless said.
#pragma once
#include "gp.cuh"

const float GP_INF = __builtin_inff();

// e^x to 2 units in the last place; +0 below -87.33654, where the result would
// be subnormal, +Inf above 88.37626. e^x = 2^n e^r, n = round(x/ln 2), |r| <= ln(2)/2.
GP_DEVICE float gp_exp(float x) {
	if (x < -87.33654f) return 0.0f;
	if (x > 88.37626f) return GP_INF;
	float t = gp_fma(x, 1.44269504088896340736f, 12582912.0f); // 1.5·2^23: n in the low bits
	float n = t - 12582912.0f;
	float r = gp_fma(n, 2.12194440054690582e-4f, gp_fma(n, -0.693359375f, x));
	float q = gp_fma(0.00139262407872f, r, 0.00836322484285f);
	q = gp_fma(q, r, 0.0416665542734f);
	q = gp_fma(q, r, 0.166665767145f);
	q = gp_fma(q, r, 0.5f);
	q = gp_fma(q * r, r, r);
	return (q + 1.0f) * gp_float((gp_bits(t) + 127u) << 23);
}

// 1/(1+e^-x), without overflow.
GP_DEVICE float gp_sigmoid(float x) { return 1.0f / (1.0f + gp_exp(-x)); }

// e^x for |x| < 700, to 1e-15.
GP_DEVICE double gp_exp(double x) {
	double t = gp_fma(x, 1.44269504088896340736, 6755399441055744.0); // 1.5·2^52
	double n = t - 6755399441055744.0;
	double r = gp_fma(n, -1.90821492927058770002e-10, gp_fma(n, -6.93147180369123816490e-01, x));
	double q = 1.0 / 6227020800.0; // Σ r^k/k!, k = 0 … 13
	const double c[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
	                    1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0};
	GP_UNROLL
	for (int k = 0; k < 13; k++) q = gp_fma(q, r, c[k]);
	return q * gp_double((gp_bits(t) + 1023ull) << 52);
}

// ln x of a positive normal number, to 1e-15 of max(1, |ln x|):
// x = 2^e m with m in [√½, √2), ln m = 2 (z + z³/3 + z⁵/5 + …), z = (m-1)/(m+1).
GP_DEVICE double gp_log(double x) {
	u64 u = gp_bits(x);
	int e = (int)(u >> 52) - 1023;
	double m = gp_double((u & 0xfffffffffffffull) | 0x3ff0000000000000ull);
	if (m > 1.41421356237309504880) {
		m *= 0.5;
		e++;
	}
	double z = (m - 1.0) / (m + 1.0), w = z * z, s = 0.0;
	GP_UNROLL
	for (int k = 21; k > 0; k -= 2) s = gp_fma(s, w, 1.0 / k);
	return gp_fma((double)e, 0.69314718055994530942, 2.0 * z * s);
}

// sin and cos of a, |a| < 2^30, to 1e-15 absolute: a - n π/2 in three parts.
GP_DEVICE void gp_sincos(double a, double* sin, double* cos) {
	double t = gp_fma(a, 0.63661977236758134308, 6755399441055744.0);
	double n = t - 6755399441055744.0;
	double r = gp_fma(n, -1.5707963267948966, a);
	r = gp_fma(n, -6.123233995736766e-17, r);
	double w = r * r, s = 0.0, c = 0.0;
	const double fs[] = {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0};
	const double fc[] = {1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0};
	GP_UNROLL
	for (int k = 0; k < 8; k++) s = gp_fma(s, w, fs[k]);
	GP_UNROLL
	for (int k = 0; k < 9; k++) c = gp_fma(c, w, fc[k]);
	s *= r;
	int quadrant = (int)(i64)gp_bits(t) & 3;
	double x = quadrant & 1 ? c : s, y = quadrant & 1 ? s : c;
	*sin = quadrant & 2 ? -x : x;
	*cos = (quadrant + 1) & 2 ? -y : y;
}

// Philox 4×32 with 10 rounds (Salmon et al., SC'11): four words of the stream of
// a key at a counter.
struct gp_words { u32 w[4]; };
GP_DEVICE gp_words gp_philox(u32 c0, u32 c1, u32 c2, u32 c3, u32 k0, u32 k1) {
	GP_UNROLL
	for (int round = 0; round < 10; round++) {
		u64 a = (u64)c0 * 0xD2511F53u, b = (u64)c2 * 0xCD9E8D57u;
		c0 = (u32)(b >> 32) ^ c1 ^ k0;
		c1 = (u32)b;
		c2 = (u32)(a >> 32) ^ c3 ^ k1;
		c3 = (u32)a;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	gp_words r = {{c0, c1, c2, c3}};
	return r;
}
