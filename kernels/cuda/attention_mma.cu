// attention (attention.cu) on the tensor cores: grid (⌈L/64⌉, H, B), 128 threads,
// the longest tile first. Keys come in tiles of 64; the values of a tile arrive
// while its scores are made, the keys of the next while the values are added.
#include "attention_mma.cuh"

// attm_mask scales the scores of a thread's two rows; those that a row does not
// see are -Inf. least is the first key of each row.
template <int N> GP_DEVICE void attm_mask(float (&s)[N / 8][4], float scale, int k0, int row, const int (&least)[2]) {
	GP_UNROLL
	for (int j = 0; j < N / 8; j++)
		GP_UNROLL
		for (int e = 0; e < 4; e++) s[j][e] *= scale;
	if (k0 + N - 1 <= row && least[0] <= k0 && least[1] <= k0) return; // all are seen
	int key = k0 + (int)(threadIdx.x & 3) * 2;
	GP_UNROLL
	for (int j = 0; j < N / 8; j++)
		GP_UNROLL
		for (int e = 0; e < 4; e++) {
			int k = key + 8 * j + e % 2;
			bool sees = (k <= row + e / 2 * 8) & (k >= least[e / 2]); // no branch
			s[j][e] = sees ? s[j][e] : -GP_INF;
		}
}

// attm_softmax makes probabilities of the scores of row half i of the thread, not
// yet divided by their sum, and goes on with its maximum and sum. The result is
// the factor of what was added up before.
template <int N> GP_DEVICE float attm_softmax(float (&s)[N / 8][4], int i, float& top, float& sum) {
	float best = top, part = 0.0f;
	GP_UNROLL
	for (int j = 0; j < N / 8; j++)
		GP_UNROLL
		for (int e = 2 * i; e < 2 * i + 2; e++) best = gp_max(s[j][e], best);
	best = gp_warp_max(best, 4);
	float zero = best == -GP_INF ? 0.0f : best, less = gp_exp2(top - zero);
	GP_UNROLL
	for (int j = 0; j < N / 8; j++)
		GP_UNROLL
		for (int e = 2 * i; e < 2 * i + 2; e++) {
			s[j][e] = gp_exp2(s[j][e] - zero);
			part += s[j][e];
		}
	sum = gp_fma(sum, less, gp_warp_sum(part, 4));
	top = best;
	return less;
}

template <int W, class T>
GP_DEVICE void attention_mma(T* att, float* lse, const T* qkv, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	i64 q0 = (i64)(gridDim.x - 1 - blockIdx.x) * ATTM, h = blockIdx.y, g = h / (H / G), r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	const T *keys = seq.qkv + seq.key(g), *values = seq.qkv + seq.value(g);
	GP_DYNSHARED(T, q);
	T *k = q + ATTM * attm_tile<W>::stride, *v = k + ATTM * attm_tile<W>::stride;
	int lane = threadIdx.x & 31, row = (int)q0 + threadIdx.x / 32 * 16 + lane / 4; // of the thread's two queries, the other is 8 below
	int least[2];                                                                  // the first key of each
	float top[2] = {-GP_INF, -GP_INF}, sum[2] = {0.0f, 0.0f}, acc[W / 8][4];
	GP_UNROLL
	for (int i = 0; i < 2; i++) least[i] = row + 8 * i < L ? (seq.lo ? seq.lo[row + 8 * i] : 0) : (int)L + ATTM;
	attm_clear<W>(acc);
	int end = (int)(q0 + ATTM < L ? q0 + ATTM : L), k0 = seq.template first<ATTM>(q0) / ATTM * ATTM;
	attm_load<W, ATTM>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
	if (k0 < end) attm_load<W, ATTM>(k, keys, seq.width(), k0, L, D);
	gp_copy_commit();
	for (; k0 < end; k0 += ATTM) {
		attm_load<W, ATTM>(v, values, seq.width(), k0, L, D);
		gp_copy_commit();
		gp_copy_wait<1>();
		__syncthreads(); // the keys are there
		float s[ATTM / 8][4];
		attm_scores<W, ATTM>(s, q, k, D);
		attm_mask<ATTM>(s, scale * ATTM_LOG2E, k0, row, least);
		GP_UNROLL
		for (int i = 0; i < 2; i++) {
			float less = attm_softmax<ATTM>(s, i, top[i], sum[i]);
			GP_UNROLL
			for (int d = 0; d < W / 8; d++) acc[d][2 * i] *= less, acc[d][2 * i + 1] *= less;
		}
		u32 p[ATTM / 16][4];
		attm_pack<ATTM, T>(p, s);
		gp_copy_wait<0>();
		__syncthreads(); // the values are there, and all have read the keys
		if (k0 + ATTM < end) attm_load<W, ATTM>(k, keys, seq.width(), k0 + ATTM, L, D);
		gp_copy_commit();
		attm_add<W, ATTM>(acc, p, v, D);
		__syncthreads(); // all have read the values
	}
	gp_copy_wait<0>();
	GP_UNROLL
	for (int i = 0; i < 2; i++) {
		if (row + 8 * i >= L) continue;
		i64 at = (r0 + row + 8 * i) * H + h;
		attm_store<W>(att + at * D, acc, i, sum[i] > 0.0f ? 1.0f / sum[i] : 0.0f, D);
		if (lane % 4 == 0) lse[at] = sum[i] > 0.0f ? gp_fma(top[i], ATTM_LN2, (float)gp_log((double)sum[i])) : GP_INF;
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
