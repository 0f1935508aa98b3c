// y = x/(1-rate) where an element is kept, else 0; applied to dy its own VJP
// (Srivastava et al., JMLR 15, 2014). Element e = t·C+c of sequence b, e < n, is
// kept when word e mod 4 of Philox(counter = (e/4, site, seq0+b, u), key = seed),
// as a 24-bit number, is at least limit = ceil(f32(rate)·2^24). scale = 1/(1-rate).
// x, y [B,n]. Four elements, one counter, a thread.
#include "control.cuh"
#include "math.cuh"
#include "storage.cuh"

template <class T> GP_DEVICE void dropout(T* y, const T* x, const double* ctl, i64 B, i64 n, i64 site, i64 seed, i64 limit, float scale) {
	i64 quads = (n + 3) / 4, i = gp_thread();
	if (i >= B * quads) return;
	i64 b = i / quads, q = i % quads;
	u32 seq = (u32)((i64)ctl[CTL_SEQ0] + b), u = (u32)(u64)ctl[CTL_U];
	gp_words r = gp_philox((u32)q, (u32)site, seq, u, (u32)seed, (u32)((u64)seed >> 32));
	float v[4];
	gp_read(v, x + b * n, 4 * q, n, n % 4 == 0);
	GP_UNROLL
	for (int k = 0; k < 4; k++) v[k] = (r.w[k] >> 8) >= (u32)limit ? v[k] * scale : 0.0f;
	gp_write(y + b * n, 4 * q, n, n % 4 == 0, v);
}

#define ENTRY(N, T)                                                                                                                   \
	GP_KERNEL(256) dropout_##N(T* y, const T* x, const double* ctl, i64 B, i64 n, i64 site, i64 seed, i64 limit, double scale) { \
		dropout(y, x, ctl, B, n, site, seed, limit, (float)scale);                                                             \
	}                                                                                                                             \
	GP_REGISTER(dropout_##N)
GP_STORED(ENTRY)
