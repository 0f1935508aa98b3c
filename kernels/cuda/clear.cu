// p[i] = 0 where a gradient does not continue what is stored, i < n; otherwise
// nothing. It comes before a product of a library that can only add. A thread has
// four elements; p is at a multiple of 16 bytes.
#include "control.cuh"
#include "storage.cuh"

GP_KERNEL(256) clear_f32(float* p, const double* ctl, i64 n) {
	i64 i = 4 * gp_thread();
	if (gp_accumulate(ctl) || i >= n) return;
	const float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	gp_write(p, i, n, true, zeros);
}
GP_REGISTER(clear_f32)
