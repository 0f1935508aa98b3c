// O = softmax(scale Q Kᵀ) V over the visible keys, and the log-sum-exp of every
// row and head: att [R,H·D], lse f32[R,H]. The softmax goes on from key tile to
// key tile (Dao et al., arXiv:2205.14135): with m the greatest score so far,
//
//   l = l e^(m-m') + Σ e^(s-m'),  O = O e^(m-m') + Σ e^(s-m') v,  at the end O/l
//
// A query without a visible key has O = 0 and lse = +Inf. A block makes one tile
// of N = ATTN(W) queries of one head, the longest first: grid (⌈L/N⌉, H, B).
#include "attention.cuh"

template <int W, class T>
GP_DEVICE void attention(T* att, float* lse, const T* qkv, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	const int N = ATTN(W);
	i64 q0 = (i64)(gridDim.x - 1 - blockIdx.x) * N, h = blockIdx.y, g = h / (H / G), r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	int stride = attn_stride(D), row = threadIdx.x / 8, sub = threadIdx.x % 8;
	GP_DYNSHARED(float, q);
	float *kv = q + N * stride, *p = kv + N * stride;
	i64 i = q0 + row;
	attn_load<W>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
	float top = -GP_INF, sum = 0.0f, acc[W / 8];
	GP_UNROLL
	for (int c = 0; c < W / 8; c++) acc[c] = 0.0f;
	for (i64 k0 = seq.template first<N>(q0) / N * N; k0 <= q0; k0 += N) {
		attn_load<W>(kv, seq.qkv + seq.key(g), seq.width(), k0, L, D);
		__syncthreads();
		float s[N / 8], best = top;
		attn_dots(s, q + row * stride, kv, sub, D);
		GP_UNROLL
		for (int k = 0; k < N / 8; k++) {
			s[k] = seq.sees(i, k0 + sub + 8 * k) ? s[k] * scale : -GP_INF;
			best = s[k] > best ? s[k] : best;
		}
		best = gp_warp_max(best, 8);
		float less = best == -GP_INF ? 1.0f : gp_exp(top - best), part = 0.0f;
		GP_UNROLL
		for (int k = 0; k < N / 8; k++) {
			float e = s[k] == -GP_INF ? 0.0f : gp_exp(s[k] - best);
			p[row * (N + 1) + sub + 8 * k] = e;
			part += e;
		}
		sum = gp_fma(sum, less, gp_warp_sum(part, 8));
		top = best;
		GP_UNROLL
		for (int c = 0; c < W / 8; c++) acc[c] *= less;
		__syncthreads(); // all have read the keys
		attn_load<W>(kv, seq.qkv + seq.value(g), seq.width(), k0, L, D);
		__syncthreads();
		attn_add<W>(acc, p + row * (N + 1), kv, sub, D);
		__syncthreads();
	}
	if (i >= L) return;
	attn_store<W>(att + ((r0 + i) * H + h) * D, acc, sum > 0.0f ? 1.0f / sum : 0.0f, sub, D);
	if (sub == 0) lse[(r0 + i) * H + h] = sum > 0.0f ? top + (float)gp_log((double)sum) : GP_INF;
}

#define SIZED(N, T, W)                                                                                                                     \
	GP_KERNEL(8 * ATTN(W), 1) attention_##W##_##N(T* att, float* lse, const T* qkv, const int* lo, i64 L, i64 H, i64 G, i64 D, double scale) { \
		attention<W>(att, lse, qkv, lo, L, H, G, D, (float)scale);                                                                   \
	}                                                                                                                                  \
	GP_REGISTER(attention_##W##_##N)
#define ENTRY(N, T) ATTN_WIDTHS(SIZED, N, T)
GP_STORED(ENTRY)
