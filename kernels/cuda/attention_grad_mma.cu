// The VJP of attention (attention_grad.cu) on the tensor cores, 128 threads:
//
//   attention_dq_mma   64 queries of one head, keys in tiles of 64 ascending: grid (⌈L/64⌉, H, B)
//   attention_dkv_mma  64 keys of one group, heads ascending and in each queries in
//                      tiles of 32 ascending: grid (⌈L/64⌉, G, B)
//
// The longest tiles come first. For heads up to 64 wide the next tile of keys and
// values is on its way while one is multiplied.
#include "attention_mma.cuh"

const int ATTM_Q = 32; // queries of a tile of attention_dkv_mma

// Δ of a row for the four threads that share it.
template <class T> GP_DEVICE float attm_delta(const T* datt, const T* att, bool exists, i64 D) {
	float v = 0.0f;
	for (int d = (threadIdx.x & 3) * 8; exists && d < D; d += 32) {
		float x[8], y[8];
		gp_read(x, datt, d, D, true);
		gp_read(y, att, d, D, true);
		GP_UNROLL
		for (int i = 0; i < 8; i++) v = gp_fma(x[i], y[i], v);
	}
	return gp_warp_sum(v, 4);
}

// Tiles of keys and values that attention_dq_mma has room for.
template <int W> struct attm_ahead { static const int tiles = W <= 64 ? 2 : 1; };

template <int W, class T>
GP_DEVICE void attention_dq_mma(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	i64 q0 = (i64)(gridDim.x - 1 - blockIdx.x) * ATTM, h = blockIdx.y, g = h / (H / G), r0 = blockIdx.z * L, head = (r0 * H + h) * D;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	const T *keys = seq.qkv + seq.key(g), *values = seq.qkv + seq.value(g);
	const int tile = ATTM * attm_tile<W>::stride, ahead = attm_ahead<W>::tiles;
	GP_DYNSHARED(T, q);
	T *d = q + tile, *kv = d + tile; // [ahead][keys, values]
	int lane = threadIdx.x & 31, row = (int)q0 + threadIdx.x / 32 * 16 + lane / 4, least[2];
	float delta[2], norm[2], acc[W / 8][4];
	GP_UNROLL
	for (int i = 0; i < 2; i++) {
		bool exists = row + 8 * i < L;
		i64 at = (i64)(row + 8 * i) * H;
		least[i] = exists ? (seq.lo ? seq.lo[row + 8 * i] : 0) : (int)L + ATTM;
		delta[i] = attm_delta(datt + head + at * D, att + head + at * D, exists, D);
		norm[i] = exists ? lse[r0 * H + at + h] * ATTM_LOG2E : GP_INF;
	}
	attm_clear<W>(acc);
	int end = (int)(q0 + ATTM < L ? q0 + ATTM : L), k0 = seq.template first<ATTM>(q0) / ATTM * ATTM, use = 0;
	attm_load<W, ATTM>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
	attm_load<W, ATTM>(d, datt + head, H * D, q0, L, D);
	auto load = [&](int key, int buffer) {
		if (key < end) {
			attm_load<W, ATTM>(kv + 2 * buffer * tile, keys, seq.width(), key, L, D);
			attm_load<W, ATTM>(kv + (2 * buffer + 1) * tile, values, seq.width(), key, L, D);
		}
		gp_copy_commit();
	};
	if (ahead > 1) load(k0, 0);
	for (; k0 < end; k0 += ATTM) {
		load(k0 + (ahead - 1) * ATTM, ahead > 1 ? use ^ 1 : 0);
		gp_copy_wait<ahead - 1>();
		__syncthreads();
		const T *k = kv + 2 * use * tile, *v = k + tile;
		float s[ATTM / 8][4], dp[ATTM / 8][4];
		attm_scores<W, ATTM>(s, q, k, D);
		attm_scores<W, ATTM>(dp, d, v, D);
		int key = k0 + lane % 4 * 2;
		GP_UNROLL
		for (int j = 0; j < ATTM / 8; j++)
			GP_UNROLL
			for (int e = 0; e < 4; e++) {
				int i = e / 2, n = key + 8 * j + e % 2;
				float p = gp_exp2(gp_fma(s[j][e], scale * ATTM_LOG2E, -norm[i])) * scale;
				bool sees = (n <= row + 8 * i) & (n >= least[i]); // no branch
				s[j][e] = sees ? p * (dp[j][e] - delta[i]) : 0.0f;
			}
		u32 ds[ATTM / 16][4];
		attm_pack<ATTM, T>(ds, s);
		attm_add<W, ATTM>(acc, ds, k, D);
		__syncthreads(); // all have read the tiles
		if (ahead > 1) use ^= 1;
	}
	gp_copy_wait<0>();
	GP_UNROLL
	for (int i = 0; i < 2; i++)
		if (row + 8 * i < L) attm_store<W>(dqkv + (r0 + row + 8 * i) * seq.width() + seq.query(h), acc, i, 1.0f, D);
}

template <int W, class T>
GP_DEVICE void attention_dkv_mma(T* dqkv, const T* datt, const T* qkv, const T* att, const float* lse, const int* lo, i64 L, i64 H, i64 G, i64 D, float scale) {
	i64 k0 = (i64)blockIdx.x * ATTM, g = blockIdx.y, r0 = blockIdx.z * L;
	attn_sequence<T> seq = {qkv + r0 * (H + 2 * G) * D, lo ? lo + r0 : nullptr, L, H, G, D};
	const int stride = attm_tile<W>::stride;
	GP_DYNSHARED(T, k);
	T *v = k + ATTM * stride, *q = v + ATTM * stride, *d = q + ATTM_Q * stride;
	float *norms = (float*)(d + ATTM_Q * stride), *deltas = norms + ATTM_Q; // of the queries of a tile
	int* leasts = (int*)(deltas + ATTM_Q);
	int lane = threadIdx.x & 31, own = threadIdx.x / 4, row = (int)k0 + threadIdx.x / 32 * 16 + lane / 4; // of the thread's two keys
	float dk[W / 8][4], dv[W / 8][4];
	attm_clear<W>(dk);
	attm_clear<W>(dv);
	attm_load<W, ATTM>(k, seq.qkv + seq.key(g), seq.width(), k0, L, D);
	attm_load<W, ATTM>(v, seq.qkv + seq.value(g), seq.width(), k0, L, D);
	for (i64 h = g * (H / G); h < (g + 1) * (H / G); h++) {
		i64 head = (r0 * H + h) * D;
		for (i64 q0 = k0; q0 < L; q0 += ATTM_Q) {
			if (seq.template first<ATTM_Q>(q0) >= k0 + ATTM) continue; // none of these keys is seen
			attm_load<W, ATTM_Q>(q, seq.qkv + seq.query(h), seq.width(), q0, L, D);
			attm_load<W, ATTM_Q>(d, datt + head, H * D, q0, L, D);
			bool exists = q0 + own < L;
			i64 at = (q0 + own) * H;
			float delta = attm_delta(datt + head + at * D, att + head + at * D, exists, D);
			if (threadIdx.x % 4 == 0) {
				deltas[own] = delta;
				norms[own] = exists ? lse[r0 * H + at + h] * ATTM_LOG2E : GP_INF;
				leasts[own] = exists ? (seq.lo ? seq.lo[q0 + own] : 0) : (int)L + ATTM;
			}
			attm_landed();
			float s[ATTM_Q / 8][4], dp[ATTM_Q / 8][4];
			attm_scores<W, ATTM_Q>(s, k, q, D);
			attm_scores<W, ATTM_Q>(dp, v, d, D);
			GP_UNROLL
			for (int j = 0; j < ATTM_Q / 8; j++)
				GP_UNROLL
				for (int e = 0; e < 4; e++) {
					int i = 8 * j + lane % 4 * 2 + e % 2, key = row + e / 2 * 8;
					float p = gp_exp2(gp_fma(s[j][e], scale * ATTM_LOG2E, -norms[i]));
					bool sees = (key <= (int)q0 + i) & (key >= leasts[i]);
					p = sees ? p : 0.0f;
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
		if (row + 8 * i >= L) continue;
		attm_store<W>(dqkv + (r0 + row + 8 * i) * seq.width() + seq.key(g), dk, i, 1.0f, D);
		attm_store<W>(dqkv + (r0 + row + 8 * i) * seq.width() + seq.value(g), dv, i, 1.0f, D);
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
