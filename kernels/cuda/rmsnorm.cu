// RMSNorm (Zhang & Sennrich, arXiv:1910.07467) over rows of x [R,C]:
//
//   rstd = 1/√(Σx²/C + eps),  n = x rstd,  y = n w
//   d = dy w,  dx = rstd (d - n Σ(d n)/C),  gw (+)= Σ_r dy n
//
// rmsnorm_apply computes y from the statistic, to the same bits. A warp a row,
// blocks of four; lane l has the elements 4l … 4l+3, 128+4l …; sums over rows are chains (columns.cuh).
#include "columns.cuh"
#include "storage.cuh"

template <class T> GP_DEVICE void rmsnorm_row(T* y, const T* x, float rstd, const T* w, i64 C) {
	bool aligned = C % 4 == 0;
	for (i64 c = 4 * (threadIdx.x & 31); c < C; c += 128) {
		float v[4], u[4];
		gp_read(v, x, c, C, aligned);
		gp_read(u, w, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) v[k] = v[k] * rstd * u[k];
		gp_write(y, c, C, aligned, v);
	}
}

template <class T> GP_DEVICE void rmsnorm(T* y, float* rstd, const T* x, const T* w, i64 R, i64 C, float eps) {
	i64 r = gp_thread() / 32;
	if (r >= R) return;
	int lane = threadIdx.x & 31;
	float square = 0.0f, v[4];
	for (i64 c = 4 * lane; c < C; c += 128) {
		gp_read(v, x + r * C, c, C, C % 4 == 0);
		GP_UNROLL
		for (int k = 0; k < 4; k++) square = gp_fma(v[k], v[k], square);
	}
	float s = 1.0f / gp_sqrt(gp_warp_sum(square) / (float)C + eps);
	if (lane == 0) rstd[r] = s;
	rmsnorm_row(y + r * C, x + r * C, s, w, C);
}

template <class T> GP_DEVICE void rmsnorm_apply(T* y, const T* x, const float* rstd, const T* w, i64 R, i64 C) {
	i64 r = gp_thread() / 32;
	if (r < R) rmsnorm_row(y + r * C, x + r * C, rstd[r], w, C);
}

template <class T>
GP_DEVICE void rmsnorm_grad(T* dx, const T* dy, const T* x, const T* w, const float* rstd, i64 R, i64 C) {
	i64 r = gp_thread() / 32;
	if (r >= R) return;
	x += r * C, dy += r * C, dx += r * C;
	bool aligned = C % 4 == 0;
	int first = 4 * (threadIdx.x & 31);
	float s = rstd[r], dot = 0.0f, d[4], n[4];
	// part makes d and n of four places.
	auto part = [&](i64 c) {
		float u[4];
		gp_read(d, dy, c, C, aligned);
		gp_read(u, w, c, C, aligned);
		gp_read(n, x, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) d[k] *= u[k], n[k] *= s;
	};
	for (i64 c = first; c < C; c += 128) {
		part(c);
		GP_UNROLL
		for (int k = 0; k < 4; k++) dot = gp_fma(d[k], n[k], dot);
	}
	dot = gp_warp_sum(dot) / (float)C;
	for (i64 c = first; c < C; c += 128) {
		part(c);
		GP_UNROLL
		for (int k = 0; k < 4; k++) d[k] = s * gp_fma(-n[k], dot, d[k]);
		gp_write(dx, c, C, aligned, d);
	}
}

template <class T>
GP_DEVICE void rmsnorm_params(float* gw, const T* dy, const T* x, const float* rstd, const double* ctl, i64 R, i64 C) {
	float* const sum[1] = {gw};
	gp_columns<1>(sum, ctl, R, C, [&](i64 r, i64 c, float (&v)[1]) { v[0] = gp_widen(dy[r * C + c]) * (gp_widen(x[r * C + c]) * rstd[r]); });
}

#define ENTRY(N, T)                                                                                                                      \
	GP_KERNEL(128) rmsnorm_##N(T* y, float* rstd, const T* x, const T* w, i64 R, i64 C, double eps) {                               \
		rmsnorm(y, rstd, x, w, R, C, (float)eps);                                                                                    \
	}                                                                                                                                \
	GP_KERNEL(128) rmsnorm_apply_##N(T* y, const T* x, const float* rstd, const T* w, i64 R, i64 C) {                               \
		rmsnorm_apply(y, x, rstd, w, R, C);                                                                                          \
	}                                                                                                                                \
	GP_KERNEL(128) rmsnorm_grad_##N(T* dx, const T* dy, const T* x, const T* w, const float* rstd, i64 R, i64 C) {                  \
		rmsnorm_grad(dx, dy, x, w, rstd, R, C);                                                                                      \
	}                                                                                                                                \
	GP_KERNEL(256) rmsnorm_params_##N(float* gw, const T* dy, const T* x, const float* rstd, const double* ctl, i64 R, i64 C) {     \
		rmsnorm_params(gw, dy, x, rstd, ctl, R, C);                                                                                  \
	}                                                                                                                                \
	GP_REGISTER(rmsnorm_##N) GP_REGISTER(rmsnorm_apply_##N) GP_REGISTER(rmsnorm_grad_##N) GP_REGISTER(rmsnorm_params_##N)
GP_STORED(ENTRY)
