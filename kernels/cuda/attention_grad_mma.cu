// The VJP of attention (attention_grad.cu) on the tensor cores, 128 threads:
//
//   attention_dq_mma   64 queries of one head, keys in tiles of 64 ascending: grid (⌈L/64⌉, H, B)
//   attention_dkv_mma  64 keys of one group, heads ascending and in each queries in
//                      tiles of 32 ascending: grid (⌈L/64⌉, G, B)
#include "attention_mma.cuh"

const int ATTM_Q = 32; // queries of a tile of attention_dkv_mma

// Δ of a row for the four threads that share it.
template <class T> GP_DEVICE float attm_delta(const T* datt, const T* att, bool exists, i64 D) {
	float v = 0.0f;
	for (i64 d = threadIdx.x & 3; exists && d < D; d += 4) v = gp_fma(gp_widen(datt[d]), gp_widen(att[d]), v);
	return gp_warp_sum(v, 4);
}

template <int W, class T>
GP_DEVICE void attention_dq_mma(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	i64 q0 = (i64)blockIdx.x * ATTM, h = blockIdx.y, g = h / (H / G), r0 = blockIdx.z * L, head = (r0 * H + h) * D;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	const int tile = ATTM * attm_tile<W>::stride;
	GP_DYNSHARED(T, q);
	T *d = q + tile, *k = d + tile, *v = k + tile;
	int lane = threadIdx.x & 31;
	i64 row[2], least[2];
	float delta[2], norm[2], acc[W / 8][4];
	GP_UNROLL
	for (int i = 0; i < 2; i++) {
		row[i] = q0 + threadIdx.x / 32 * 16 + lane / 4 + 8 * i;
		bool exists = row[i] < L;
		least[i] = exists ? (seq.lo ? seq.lo[row[i]] : 0) : L + ATTM;
		delta[i] = attm_delta(datt + head + row[i] * H * D, att + head + row[i] * H * D, exists, D);
		norm[i] = exists ? lse[(r0 + row[i]) * H + h] : GP_INF;
	}
	attm_clear<W>(acc);
	attm_load<W, ATTM>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
	attm_load<W, ATTM>(d, datt + head, H * D, q0, L, D);
	i64 end = q0 + ATTM < L ? q0 + ATTM : L;
	for (i64 k0 = attm_first(seq, q0) / ATTM * ATTM; k0 < end; k0 += ATTM) {
		attm_load<W, ATTM>(k, seq.qkv + seq.key(g), seq.width(), k0, L, D);
		attm_load<W, ATTM>(v, seq.qkv + seq.value(g), seq.width(), k0, L, D);
		attm_landed();
		float s[ATTM / 8][4], dp[ATTM / 8][4];
		attm_scores<W, ATTM>(s, q, k, D);
		attm_scores<W, ATTM>(dp, d, v, D);
		GP_UNROLL
		for (int j = 0; j < ATTM / 8; j++)
			GP_UNROLL
			for (int e = 0; e < 4; e++) {
				int i = e / 2;
				i64 key = k0 + 8 * j + lane % 4 * 2 + e % 2;
				bool sees = key <= row[i] && key >= least[i];
				s[j][e] = sees ? gp_exp(gp_fma(s[j][e], scale, -norm[i])) * (dp[j][e] - delta[i]) * scale : 0.0f;
			}
		u32 ds[ATTM / 16][4];
		attm_pack<ATTM, T>(ds, s);
		attm_add<W, ATTM>(acc, ds, k, D);
		__syncthreads(); // all have read the tiles
	}
	GP_UNROLL
	for (int i = 0; i < 2; i++)
		if (row[i] < L) attm_store<W>(dqkv + (r0 + row[i]) * seq.width() + seq.query(h), acc, i, 1.0f, D);
}

template <int W, class T>
GP_DEVICE void attention_dkv_mma(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	i64 k0 = (i64)blockIdx.x * ATTM, g = blockIdx.y, r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	const int stride = attm_tile<W>::stride;
	GP_DYNSHARED(T, k);
	T *v = k + ATTM * stride, *q = v + ATTM * stride, *d = q + ATTM_Q * stride;
	float *norms = (float*)(d + ATTM_Q * stride), *deltas = norms + ATTM_Q; // of the queries of a tile
	int lane = threadIdx.x & 31, own = threadIdx.x / 4;
	i64 row[2]; // the thread's two keys
	float dk[W / 8][4], dv[W / 8][4];
	GP_UNROLL
	for (int i = 0; i < 2; i++) row[i] = k0 + threadIdx.x / 32 * 16 + lane / 4 + 8 * i;
	attm_clear<W>(dk);
	attm_clear<W>(dv);
	attm_load<W, ATTM>(k, seq.qkv + seq.key(g), seq.width(), k0, L, D);
	attm_load<W, ATTM>(v, seq.qkv + seq.value(g), seq.width(), k0, L, D);
	for (i64 h = g * (H / G); h < (g + 1) * (H / G); h++) {
		i64 head = (r0 * H + h) * D;
		for (i64 q0 = k0; q0 < L; q0 += ATTM_Q) {
			if (seq.first(q0) >= k0 + ATTM) continue; // none of these keys is seen
			attm_load<W, ATTM_Q>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
			attm_load<W, ATTM_Q>(d, datt + head, H * D, q0, L, D);
			bool exists = q0 + own < L;
			float delta = attm_delta(datt + head + (q0 + own) * H * D, att + head + (q0 + own) * H * D, exists, D);
			if (threadIdx.x % 4 == 0) {
				deltas[own] = delta;
				norms[own] = exists ? lse[(r0 + q0 + own) * H + h] : GP_INF;
			}
			attm_landed();
			float s[ATTM_Q / 8][4], dp[ATTM_Q / 8][4];
			attm_scores<W, ATTM_Q>(s, k, q, D);
			attm_scores<W, ATTM_Q>(dp, v, d, D);
			GP_UNROLL
			for (int j = 0; j < ATTM_Q / 8; j++)
				GP_UNROLL
				for (int e = 0; e < 4; e++) {
					int i = 8 * j + lane % 4 * 2 + e % 2;
					float p = seq.sees(q0 + i, row[e / 2]) ? gp_exp(gp_fma(s[j][e], scale, -norms[i])) : 0.0f;
					s[j][e] = p;
					dp[j][e] = p * (dp[j][e] - deltas[i]) * scale;
				}
			u32 p[ATTM_Q / 16][4];
			attm_pack<ATTM_Q, T>(p, s);
			attm_add<W, ATTM_Q>(dv, p, d, D);
			attm_pack<ATTM_Q, T>(p, dp);
			attm_add<W, ATTM_Q>(dk, p, q, D);
			__syncthreads(); // all have read the tiles
		}
	}
	gp_copy_wait<0>();
	GP_UNROLL
	for (int i = 0; i < 2; i++) {
		if (row[i] >= L) continue;
		attm_store<W>(dqkv + (r0 + row[i]) * seq.width() + seq.key(g), dk, i, 1.0f, D);
		attm_store<W>(dqkv + (r0 + row[i]) * seq.width() + seq.value(g), dv, i, 1.0f, D);
	}
}

#define SIZED(N, T, W)                                                                                                                                \
	GP_KERNEL(128) attention_dq_mma_##W##_##N(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo,                 \
	                                          i64 L, i64 H, i64 G, i64 D, double scale) {                                                          \
		attention_dq_mma<W>(dqkv, datt, qkv, att, lse, lo, L, H, G, D, (float)scale);                                                               \
	}                                                                                                                                                 \
	GP_KERNEL(128) attention_dkv_mma_##W##_##N(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo,                \
	                                           i64 L, i64 H, i64 G, i64 D, double scale) {                                                         \
		attention_dkv_mma<W>(dqkv, datt, qkv, att, lse, lo, L, H, G, D, (float)scale);                                                              \
	}                                                                                                                                                 \
	GP_REGISTER(attention_dq_mma_##W##_##N) GP_REGISTER(attention_dkv_mma_##W##_##N)
SIZED(bf16, gp_bf16, 64)
SIZED(bf16, gp_bf16, 128)
SIZED(f16, gp_f16, 64)
SIZED(f16, gp_f16, 128)
