// c[i] = a[i] + b[i], i < n.
#include "gp.cuh"

GP_KERNEL(256) sim_vecadd(float* c, const float* a, const float* b, i64 n) {
	i64 i = gp_thread();
	if (i < n) c[i] = a[i] + b[i];
}
GP_REGISTER(sim_vecadd)
