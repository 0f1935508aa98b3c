// out[block] = the sum of the block's share of x, with a warp shuffle, shared
// memory and a barrier. The second entry has no barrier, which is a mistake.
#include "gp.cuh"

template <bool barrier> GP_DEVICE void block_sum(float* out, const float* x, i64 n) {
	GP_DYNSHARED(float, part); // [warps]
	float s = 0.0f;
	for (i64 i = gp_thread(); i < n; i += (i64)gridDim.x * blockDim.x) s += x[i];
	s = gp_warp_sum(s);
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	if (lane == 0) part[warp] = s;
	if (barrier) __syncthreads();
	if (warp == 0) {
		s = gp_warp_sum(lane < (int)(blockDim.x >> 5) ? part[lane] : 0.0f);
		if (lane == 0) out[blockIdx.x] = s;
	}
}

GP_KERNEL(256) sim_blocksum(float* out, const float* x, i64 n) { block_sum<true>(out, x, n); }
GP_KERNEL(256) fault_no_barrier(float* out, const float* x, i64 n) { block_sum<false>(out, x, n); }
GP_REGISTER(sim_blocksum) GP_REGISTER(fault_no_barrier)
