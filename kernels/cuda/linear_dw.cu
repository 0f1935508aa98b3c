// gw[n,k] (+)= Σ_r dy[r,n] x[r,k], one chain over rows: dy [R,N], x [R,K],
// gw f32[N,K]. The number in a name is the tile (gemm.cuh).
#include "control.cuh"
#include "gemm.cuh"

template <int S, class T>
GP_DEVICE void linear_dw(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 N) {
	gemm_operand<T, true> rows = {dy, N, N}, columns = {x, K, K};
	bool more = gp_accumulate(ctl);
	gemm<S>(rows, columns, R, [&](i64 n, i64 k) { return more ? gw[n * K + k] : 0.0f; }, [&](i64 n, i64 k, float v) { gw[n * K + k] = v; });
}

#define SIZED(N, T, S)                                                                                                  \
	GP_KERNEL(256) linear_dw_##S##_##N(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 O) { \
		linear_dw<S>(gw, dy, x, ctl, R, K, O);                                                                        \
	}                                                                                                                 \
	GP_REGISTER(linear_dw_##S##_##N)
#define ENTRY(N, T) SIZED(N, T, 64) SIZED(N, T, 128)
GP_STORED(ENTRY)
