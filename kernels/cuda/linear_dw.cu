// gw[n,k] (+)= Σ_r dy[r,n] x[r,k], one chain over rows: dy [R,N], x [R,K],
// gw f32[N,K]. The number in a name is the tile (gemm.cuh).
#include "control.cuh"
#include "gemm.cuh"

template <int S, class T>
GP_DEVICE void linear_dw(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 N) {
	gemm_operand<T, true> rows = {dy, N, N}, columns = {x, K, K};
	gemm<S>(rows, columns, R, gemm_continue{{gw, K, K}, gp_accumulate(ctl)}, gp_rows<float>{gw, K, K});
}

#define SIZED(N, T, S)                                                                                                  \
	GP_KERNEL(256) linear_dw_##S##_##N(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 O) { \
		linear_dw<S>(gw, dy, x, ctl, R, K, O);                                                                        \
	}                                                                                                                 \
	GP_REGISTER(linear_dw_##S##_##N)
#define ENTRY(N, T) SIZED(N, T, 64) SIZED(N, T, 128)
GP_STORED(ENTRY)
