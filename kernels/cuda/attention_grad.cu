// The VJP of attention (attention.cu), P rebuilt from lse:
//
//   P = e^(scale QKᵀ - lse),  Δ = Σ_d dO·O,  dP = dO Vᵀ,  dS = P (dP - Δ) scale
//   dQ = dS K,  dK = dSᵀ Q,  dV = Pᵀ dO
//
// attention_dq makes a tile of N = ATTN(W) queries of one head, keys ascending, the
// longest tile first: grid (⌈L/N⌉, H, B). attention_dkv makes a tile of N keys of one
// group, heads of the group ascending and queries ascending in each: grid
// (⌈L/N⌉, G, B). Both write their part of dqkv, packed as qkv; no element has two
// writers.
#include "attention.cuh"

// What a block knows of the gradient of one head.
template <class T> struct attn_upstream {
	const T *datt, *att; // row 0 of the sequence, head h
	const float* lse;    // likewise
	i64 L, H, D;

	// delta is Δ of a row, for its eight threads together.
	GP_DEVICE_MEMBER float delta(i64 i, int sub) const {
		float v = 0.0f;
		for (i64 d = sub; i < L && d < D; d += 8) v = gp_fma(gp_widen(datt[i * H * D + d]), gp_widen(att[i * H * D + d]), v);
		return gp_warp_sum(v, 8);
	}
	GP_DEVICE_MEMBER float norm(i64 i) const { return i < L ? lse[i * H] : GP_INF; }
};

template <int W, class T>
GP_DEVICE void attention_dq(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	const int N = ATTN(W);
	i64 q0 = (i64)(gridDim.x - 1 - blockIdx.x) * N, h = blockIdx.y, g = h / (H / G), r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	attn_upstream<T> up = {datt + (r0 * H + h) * D, att + (r0 * H + h) * D, lse + r0 * H + h, L, H, D};
	int stride = attn_stride(D), tile = N * stride, row = threadIdx.x / 8, sub = threadIdx.x % 8;
	GP_DYNSHARED(float, q);
	float *d = q + tile, *k = d + tile, *v = k + tile, *ds = v + tile;
	i64 i = q0 + row;
	attn_load<W>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
	attn_load<W>(d, up.datt, H * D, q0, L, D);
	float delta = up.delta(i, sub), norm = up.norm(i), acc[W / 8];
	GP_UNROLL
	for (int c = 0; c < W / 8; c++) acc[c] = 0.0f;
	for (i64 k0 = seq.template first<N>(q0) / N * N; k0 <= q0; k0 += N) {
		attn_load<W>(k, seq.qkv + seq.key(g), seq.width(), k0, L, D);
		attn_load<W>(v, seq.qkv + seq.value(g), seq.width(), k0, L, D);
		__syncthreads();
		float s[N / 8], dp[N / 8];
		attn_dots(s, q + row * stride, k, sub, D);
		attn_dots(dp, d + row * stride, v, sub, D);
		GP_UNROLL
		for (int n = 0; n < N / 8; n++) {
			bool sees = seq.sees(i, k0 + sub + 8 * n);
			ds[row * (N + 1) + sub + 8 * n] = sees ? gp_exp(gp_fma(s[n], scale, -norm)) * (dp[n] - delta) * scale : 0.0f;
		}
		__syncthreads();
		attn_add<W>(acc, ds + row * (N + 1), k, sub, D);
		__syncthreads();
	}
	if (i < L) attn_store<W>(dqkv + (r0 + i) * seq.width() + seq.query(h), acc, 1.0f, sub, D);
}

template <int W, class T>
GP_DEVICE void attention_dkv(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	const int N = ATTN(W);
	i64 k0 = (i64)blockIdx.x * N, g = blockIdx.y, r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	int stride = attn_stride(D), tile = N * stride, row = threadIdx.x / 8, sub = threadIdx.x % 8;
	GP_DYNSHARED(float, k);
	float *v = k + tile, *q = v + tile, *d = q + tile, *p = d + tile, *ds = p + N * (N + 1);
	float *norms = ds + N * (N + 1), *deltas = norms + N; // of the queries of a tile
	i64 j = k0 + row;
	attn_load<W>(k, seq.qkv + seq.key(g), seq.width(), k0, L, D);
	attn_load<W>(v, seq.qkv + seq.value(g), seq.width(), k0, L, D);
	float dk[W / 8], dv[W / 8];
	GP_UNROLL
	for (int c = 0; c < W / 8; c++) dk[c] = dv[c] = 0.0f;
	for (i64 h = g * (H / G); h < (g + 1) * (H / G); h++) {
		attn_upstream<T> up = {datt + (r0 * H + h) * D, att + (r0 * H + h) * D, lse + r0 * H + h, L, H, D};
		for (i64 q0 = k0; q0 < L; q0 += N) {
			if (seq.template first<N>(q0) >= k0 + N) continue; // none of these keys is seen
			attn_load<W>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
			attn_load<W>(d, up.datt, H * D, q0, L, D);
			float delta = up.delta(q0 + row, sub);
			if (sub == 0) {
				deltas[row] = delta;
				norms[row] = up.norm(q0 + row);
			}
			__syncthreads();
			float s[N / 8], dp[N / 8];
			attn_dots(s, k + row * stride, q, sub, D);
			attn_dots(dp, v + row * stride, d, sub, D);
			GP_UNROLL
			for (int n = 0; n < N / 8; n++) {
				int i = sub + 8 * n;
				float e = seq.sees(q0 + i, j) ? gp_exp(gp_fma(s[n], scale, -norms[i])) : 0.0f;
				p[row * (N + 1) + i] = e;
				ds[row * (N + 1) + i] = e * (dp[n] - deltas[i]) * scale;
			}
			__syncthreads();
			attn_add<W>(dv, p + row * (N + 1), d, sub, D);
			attn_add<W>(dk, ds + row * (N + 1), q, sub, D);
			__syncthreads();
		}
	}
	if (j >= L) return;
	attn_store<W>(dqkv + (r0 + j) * seq.width() + seq.key(g), dk, 1.0f, sub, D);
	attn_store<W>(dqkv + (r0 + j) * seq.width() + seq.value(g), dv, 1.0f, sub, D);
}

#define SIZED(N, T, W)                                                                                                                            \
	GP_KERNEL(8 * ATTN(W), 1) attention_dq_##W##_##N(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo,                 \
	                                      i64 L, i64 H, i64 G, i64 D, double scale) {                                                          \
		attention_dq<W>(dqkv, datt, qkv, att, lse, lo, L, H, G, D, (float)scale);                                                               \
	}                                                                                                                                             \
	GP_KERNEL(8 * ATTN(W), 1) attention_dkv_##W##_##N(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo,                \
	                                       i64 L, i64 H, i64 G, i64 D, double scale) {                                                         \
		attention_dkv<W>(dqkv, datt, qkv, att, lse, lo, L, H, G, D, (float)scale);                                                              \
	}                                                                                                                                             \
	GP_REGISTER(attention_dq_##W##_##N) GP_REGISTER(attention_dkv_##W##_##N)
#define ENTRY(N, T) ATTN_WIDTHS(SIZED, N, T)
GP_STORED(ENTRY)
