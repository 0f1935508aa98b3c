// RoPE (Su et al., arXiv:2104.09864; half-split pairing): in each head of q and k
// of packed rows x [R, (H+2G)D] = [q H·D | k G·D | v G·D], for i < D/2, with the
// angle a = pos base^(-2i/D),
//
//   y[i] = x[i] cos a - x[i+D/2] sin a    y[i+D/2] = x[i+D/2] cos a + x[i] sin a
//
// v is copied. pos [R], absent: r mod T. sign -1 turns back, which is the VJP.
// Angles are f64, cosine and sine rounded once. A thread has one (row, pair) and
// turns it in all heads, so the angle is made once; y may be x.
#include "math.cuh"
#include "storage.cuh"

template <class T>
GP_DEVICE void rope(T* y, const T* x, const int* pos, i64 R, i64 L, i64 H, i64 G, i64 D, double base, double sign) {
	i64 half = D / 2, i = gp_thread();
	if (i >= R * half) return;
	i64 r = i / half, p = i % half, row = r * (H + 2 * G) * D;
	double at = sign * (double)(pos ? pos[r] : (int)(r % L)), sin, cos;
	gp_sincos(at * gp_exp(gp_log(base) * (-2.0 * (double)p / (double)D)), &sin, &cos);
	float s = (float)sin, c = (float)cos;
	for (i64 h = 0; h < H + G; h++) {
		i64 k = row + h * D + p;
		float a = gp_widen(x[k]), b = gp_widen(x[k + half]);
		gp_narrow(&y[k], gp_fma(a, c, -(b * s)));
		gp_narrow(&y[k + half], gp_fma(b, c, a * s));
	}
	for (i64 k = row + (H + G) * D + p; k < row + (H + 2 * G) * D; k += half) y[k] = x[k];
}

#define ENTRY(N, T)                                                                                                                  \
	GP_KERNEL(256) rope_##N(T* y, const T* x, const int* pos, i64 R, i64 L, i64 H, i64 G, i64 D, double base, double sign) { \
		rope(y, x, pos, R, L, H, G, D, base, sign);                                                                            \
	}                                                                                                                            \
	GP_REGISTER(rope_##N)
GP_STORED(ENTRY)
