// c [M,N] = a [M,K] b [K,N] in tiles of 16×16. The further entries have mistakes:
// no barrier before the tile is overwritten, and no test of the last row of b.
#include "gp.cuh"

const int TILE = 16;

template <bool barrier, bool inside>
GP_DEVICE void tile_product(float* c, const float* a, const float* b, i64 M, i64 N, i64 K) {
	GP_DYNSHARED(float, as); // [TILE][TILE]
	float* bs = as + TILE * TILE;
	int tx = threadIdx.x, ty = threadIdx.y;
	i64 row = (i64)blockIdx.y * TILE + ty, col = (i64)blockIdx.x * TILE + tx;
	float acc = 0.0f;
	for (i64 k0 = 0; k0 < K; k0 += TILE) {
		as[ty * TILE + tx] = row < M && k0 + tx < K ? a[row * K + k0 + tx] : 0.0f;
		bs[ty * TILE + tx] = (!inside || k0 + ty < K) && col < N ? b[(k0 + ty) * N + col] : 0.0f;
		__syncthreads();
		for (int k = 0; k < TILE; k++) acc = gp_fma(as[ty * TILE + k], bs[k * TILE + tx], acc);
		if (barrier) __syncthreads();
	}
	if (row < M && col < N) c[row * N + col] = acc;
}

GP_KERNEL(256) sim_product(float* c, const float* a, const float* b, i64 M, i64 N, i64 K) { tile_product<true, true>(c, a, b, M, N, K); }
GP_KERNEL(256) fault_overwritten_tile(float* c, const float* a, const float* b, i64 M, i64 N, i64 K) {
	tile_product<false, true>(c, a, b, M, N, K);
}
GP_KERNEL(256) fault_past_the_end(float* c, const float* a, const float* b, i64 M, i64 N, i64 K) {
	tile_product<true, false>(c, a, b, M, N, K);
}
GP_REGISTER(sim_product) GP_REGISTER(fault_overwritten_tile) GP_REGISTER(fault_past_the_end)
