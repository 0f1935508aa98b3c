// norms[index] = Σ g² in f64, in a fixed order: block i sums one chunk, thread t
// the elements t, t+256, … of it and then a tree; norm2_total adds the partials in
// order. The chunk depends on n alone. g f32[n].
#include "gp.cuh"

// The partials of one norm2 live here from one launch to the next: kernels of a
// stream run one after the other.
const int NORM2_BLOCKS = 2048;
GP_GLOBAL(double, norm2_partial, NORM2_BLOCKS);

GP_DEVICE void norm2_chunk(const float* g, i64 n, i64 chunk) {
	GP_DYNSHARED(double, part); // [256]
	int t = threadIdx.x;
	i64 from = (i64)blockIdx.x * chunk, to = from + chunk < n ? from + chunk : n;
	double sum = 0.0;
	for (i64 i = from + t; i < to; i += 256) sum = gp_fma((double)g[i], (double)g[i], sum);
	part[t] = sum;
	for (int m = 128; m > 0; m >>= 1) {
		__syncthreads();
		if (t < m) part[t] += part[t + m];
	}
	if (t == 0) gp_global_put(&norm2_partial[blockIdx.x], part[0]);
}

GP_KERNEL(256) norm2(const float* g, i64 n, i64 chunk) { norm2_chunk(g, n, chunk); }
GP_REGISTER(norm2)

GP_KERNEL(1) norm2_total(double* norms, i64 index, i64 blocks) {
	double sum = 0.0;
	for (i64 i = 0; i < blocks; i++) sum += gp_global_get(&norm2_partial[i]);
	norms[index] = sum;
}
GP_REGISTER(norm2_total)
