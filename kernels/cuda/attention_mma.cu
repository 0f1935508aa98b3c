// attention (attention.cu) on the tensor cores: grid (⌈L/64⌉, H, B), 128 threads.
// Keys come in tiles of 64; the values of a tile arrive while its scores are made.
#include "attention_mma.cuh"

template <int W, class T>
GP_DEVICE void attention_mma(T* att, float* lse, const T* qkv, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	i64 q0 = (i64)blockIdx.x * ATTM, h = blockIdx.y, g = h / (H / G), r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	GP_DYNSHARED(T, q);
	T *k = q + ATTM * attm_tile<W>::stride, *v = k + ATTM * attm_tile<W>::stride;
	int lane = threadIdx.x & 31;
	i64 row[2], least[2]; // the thread's two queries, and the first key of each
	float top[2] = {-GP_INF, -GP_INF}, sum[2] = {0.0f, 0.0f}, acc[W / 8][4];
	GP_UNROLL
	for (int i = 0; i < 2; i++) {
		row[i] = q0 + threadIdx.x / 32 * 16 + lane / 4 + 8 * i;
		least[i] = row[i] < L ? (seq.lo ? seq.lo[row[i]] : 0) : L + ATTM;
	}
	attm_clear<W>(acc);
	attm_load<W, ATTM>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
	i64 end = q0 + ATTM < L ? q0 + ATTM : L;
	for (i64 k0 = attm_first(seq, q0) / ATTM * ATTM; k0 < end; k0 += ATTM) {
		attm_load<W, ATTM>(k, seq.qkv + seq.key(g), seq.width(), k0, L, D);
		gp_copy_commit();
		attm_load<W, ATTM>(v, seq.qkv + seq.value(g), seq.width(), k0, L, D);
		gp_copy_commit();
		gp_copy_wait<1>();
		__syncthreads();
		float s[ATTM / 8][4];
		attm_scores<W, ATTM>(s, q, k, D);
		GP_UNROLL
		for (int i = 0; i < 2; i++) {
			float best = top[i], part = 0.0f;
			GP_UNROLL
			for (int j = 0; j < ATTM / 8; j++)
				GP_UNROLL
				for (int e = 2 * i; e < 2 * i + 2; e++) {
					i64 key = k0 + 8 * j + lane % 4 * 2 + e % 2;
					s[j][e] = key <= row[i] && key >= least[i] ? s[j][e] * scale : -GP_INF;
					best = s[j][e] > best ? s[j][e] : best;
				}
			best = gp_warp_max(best, 4);
			float less = best == -GP_INF ? 1.0f : gp_exp(top[i] - best);
			GP_UNROLL
			for (int j = 0; j < ATTM / 8; j++)
				GP_UNROLL
				for (int e = 2 * i; e < 2 * i + 2; e++) {
					s[j][e] = s[j][e] == -GP_INF ? 0.0f : gp_exp(s[j][e] - best);
					part += s[j][e];
				}
			sum[i] = gp_fma(sum[i], less, gp_warp_sum(part, 4));
			top[i] = best;
			GP_UNROLL
			for (int d = 0; d < W / 8; d++) acc[d][2 * i] *= less, acc[d][2 * i + 1] *= less;
		}
		u32 p[ATTM / 16][4];
		attm_pack<ATTM, T>(p, s);
		gp_copy_wait<0>();
		__syncthreads();
		attm_add<W, ATTM>(acc, p, v, D);
		__syncthreads(); // all have read the tiles
	}
	GP_UNROLL
	for (int i = 0; i < 2; i++) {
		if (row[i] >= L) continue;
		attm_store<W>(att + ((r0 + row[i]) * H + h) * D, acc, i, sum[i] > 0.0f ? 1.0f / sum[i] : 0.0f, D);
		if (lane % 4 == 0) lse[(r0 + row[i]) * H + h] = sum[i] > 0.0f ? top[i] + (float)gp_log((double)sum[i]) : GP_INF;
	}
}

#define SIZED(N, T, W)                                                                                                                         \
	GP_KERNEL(128) attention_mma_##W##_##N(T* att, float* lse, const T* qkv, const int* lo, i64 L, i64 H, i64 G, i64 D, double scale) { \
		attention_mma<W>(att, lse, qkv, lo, L, H, G, D, (float)scale);                                                                   \
	}                                                                                                                                      \
	GP_REGISTER(attention_mma_##W##_##N)
SIZED(bf16, gp_bf16, 64)
SIZED(bf16, gp_bf16, 128)
SIZED(f16, gp_f16, 64)
SIZED(f16, gp_f16, 128)
