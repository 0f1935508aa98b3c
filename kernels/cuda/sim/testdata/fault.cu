// Mistakes that the executor or the checker must name.
#include "gp.cuh"

// Half of the block does not come to the barrier.
GP_KERNEL(64) fault_divergent_barrier(float* out) {
	if (threadIdx.x < 32) __syncthreads();
	out[threadIdx.x] = 1.0f;
}

// Half of the warp does not come to the shuffle.
GP_KERNEL(32) fault_divergent_warp(float* out) {
	float v = (float)threadIdx.x;
	if (threadIdx.x < 16) v = gp_warp_sum(v);
	out[threadIdx.x] = v;
}

// An address that is nobody's.
GP_KERNEL(32) fault_address(float* out) { out[1 << 28] = 1.0f; }

// All blocks write to one place.
GP_KERNEL(32) fault_blocks(float* out) { out[threadIdx.x] = (float)blockIdx.x; }

GP_REGISTER(fault_divergent_barrier) GP_REGISTER(fault_divergent_warp) GP_REGISTER(fault_address) GP_REGISTER(fault_blocks)
