// LayerNorm (Ba et al., arXiv:1607.06450) over rows of x [R,C]:
//
//   mean = Σx/C,  rstd = 1/√(Σ(x-mean)²/C + eps),  n = (x-mean) rstd,  y = n w + b
//   d = dy w,  dx = rstd (d - Σd/C - n Σ(d n)/C),  gw (+)= Σ_r dy n,  gb (+)= Σ_r dy
//
// layernorm_apply computes y from the statistics, to the same bits. A warp a row,
// blocks of four; lane l sums the elements 4l … 4l+3, 128+4l …, then a butterfly.
// Sums over rows are chains (columns.cuh).
#include "columns.cuh"
#include "storage.cuh"

template <class T>
GP_DEVICE void layernorm_row(T* y, const T* x, float mean, float rstd, const T* w, const T* b, i64 C) {
	bool aligned = C % 4 == 0;
	for (i64 c = 4 * (threadIdx.x & 31); c < C; c += 128) {
		float v[4], u[4], t[4];
		gp_read(v, x, c, C, aligned);
		gp_read(u, w, c, C, aligned);
		gp_read(t, b, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) v[k] = gp_fma((v[k] - mean) * rstd, u[k], t[k]);
		gp_write(y, c, C, aligned, v);
	}
}

template <class T>
GP_DEVICE void layernorm(T* y, float* mean, float* rstd, const T* x, const T* w, const T* b, i64 R, i64 C, float eps) {
	i64 r = gp_thread() / 32;
	if (r >= R) return;
	const T* row = x + r * C;
	bool aligned = C % 4 == 0;
	int lane = threadIdx.x & 31;
	float sum = 0.0f, square = 0.0f, v[4];
	for (i64 c = 4 * lane; c < C; c += 128) {
		gp_read(v, row, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) sum += v[k];
	}
	float m = gp_warp_sum(sum) / (float)C;
	for (i64 c = 4 * lane; c < C; c += 128) {
		gp_read(v, row, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) {
			float d = c + k < C ? v[k] - m : 0.0f;
			square = gp_fma(d, d, square);
		}
	}
	float s = 1.0f / gp_sqrt(gp_warp_sum(square) / (float)C + eps);
	if (lane == 0) {
		mean[r] = m;
		rstd[r] = s;
	}
	layernorm_row(y + r * C, row, m, s, w, b, C);
}

template <class T>
GP_DEVICE void layernorm_apply(T* y, const T* x, const float* mean, const float* rstd, const T* w, const T* b, i64 R, i64 C) {
	i64 r = gp_thread() / 32;
	if (r < R) layernorm_row(y + r * C, x + r * C, mean[r], rstd[r], w, b, C);
}

template <class T>
GP_DEVICE void layernorm_grad(T* dx, const T* dy, const T* x, const T* w, const float* mean, const float* rstd, i64 R, i64 C) {
	i64 r = gp_thread() / 32;
	if (r >= R) return;
	x += r * C, dy += r * C, dx += r * C;
	bool aligned = C % 4 == 0;
	int first = 4 * (threadIdx.x & 31);
	float m = mean[r], s = rstd[r], sum = 0.0f, dot = 0.0f, d[4], n[4];
	// part makes d and n of four places.
	auto part = [&](i64 c) {
		float u[4];
		gp_read(d, dy, c, C, aligned);
		gp_read(u, w, c, C, aligned);
		gp_read(n, x, c, C, aligned);
		GP_UNROLL
		for (int k = 0; k < 4; k++) d[k] *= u[k], n[k] = (n[k] - m) * s;
	};
	for (i64 c = first; c < C; c += 128) {
		part(c);
		GP_UNROLL
		for (int k = 0; k < 4; k++) {
			sum += d[k];
			dot = gp_fma(d[k], n[k], dot);
		}
	}
	sum = gp_warp_sum(sum) / (float)C;
	dot = gp_warp_sum(dot) / (float)C;
	for (i64 c = first; c < C; c += 128) {
		part(c);
		GP_UNROLL
		for (int k = 0; k < 4; k++) d[k] = s * gp_fma(-n[k], dot, d[k] - sum);
		gp_write(dx, c, C, aligned, d);
	}
}

template <class T>
GP_DEVICE void layernorm_params(float* gw, float* gb, const T* dy, const T* x, const float* mean, const float* rstd, const double* ctl, i64 R, i64 C) {
	float* const sum[2] = {gw, gb};
	gp_columns<2>(sum, ctl, R, C, [&](i64 r, i64 c, float (&v)[2]) {
		float d = gp_widen(dy[r * C + c]);
		v[0] = d * ((gp_widen(x[r * C + c]) - mean[r]) * rstd[r]);
		v[1] = d;
	});
}

#define ENTRY(N, T)                                                                                                                                     \
	GP_KERNEL(128) layernorm_##N(T* y, float* mean, float* rstd, const T* x, const T* w, const T* b, i64 R, i64 C, double eps) {                 \
		layernorm(y, mean, rstd, x, w, b, R, C, (float)eps);                                                                                      \
	}                                                                                                                                               \
	GP_KERNEL(128) layernorm_apply_##N(T* y, const T* x, const float* mean, const float* rstd, const T* w, const T* b, i64 R, i64 C) {           \
		layernorm_apply(y, x, mean, rstd, w, b, R, C);                                                                                            \
	}                                                                                                                                               \
	GP_KERNEL(128) layernorm_grad_##N(T* dx, const T* dy, const T* x, const T* w, const float* mean, const float* rstd, i64 R, i64 C) {          \
		layernorm_grad(dx, dy, x, w, mean, rstd, R, C);                                                                                           \
	}                                                                                                                                               \
	GP_KERNEL(256) layernorm_params_##N(float* gw, float* gb, const T* dy, const T* x, const float* mean, const float* rstd, const double* ctl,  \
	                                    i64 R, i64 C) {                                                                                             \
		layernorm_params(gw, gb, dy, x, mean, rstd, ctl, R, C);                                                                                   \
	}                                                                                                                                               \
	GP_REGISTER(layernorm_##N) GP_REGISTER(layernorm_apply_##N) GP_REGISTER(layernorm_grad_##N) GP_REGISTER(layernorm_params_##N)
GP_STORED(ENTRY)
