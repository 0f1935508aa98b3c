// gb[n] (+)= Σ_r dy[r,n], one chain over rows: dy [R,N], gb f32[N].
#include "columns.cuh"
#include "storage.cuh"

template <class T> GP_DEVICE void linear_db(float* gb, const T* dy, const double* ctl, i64 R, i64 N) {
	float* const sum[1] = {gb};
	gp_columns<1>(sum, ctl, R, N, [&](i64 r, i64 c, float (&v)[1]) { v[0] = gp_widen(dy[r * N + c]); });
}

#define ENTRY(S, T)                                                                                                        \
	GP_KERNEL(256) linear_db_##S(float* gb, const T* dy, const double* ctl, i64 R, i64 N) { linear_db(gb, dy, ctl, R, N); } \
	GP_REGISTER(linear_db_##S)
GP_STORED(ENTRY)
