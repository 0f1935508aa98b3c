// dx[r,k] = Σ_n dy[r,n] w[n,k]: dy [R,N], w [N,K], dx [R,K]. The number in a name
// is the tile (gemm.cuh).
#include "gemm.cuh"

template <int S, class T> GP_DEVICE void linear_dx(T* dx, const T* dy, const T* w, i64 R, i64 K, i64 N) {
	gemm_operand<T, false> rows = {dy, R, N};
	gemm_operand<T, true> columns = {w, K, K};
	gemm<S>(rows, columns, N, gemm_zero(), gp_rows<T>{dx, K, K});
}

#define SIZED(N, T, S)                                                                                                            \
	GP_KERNEL(256) linear_dx_##S##_##N(T* dx, const T* dy, const T* w, i64 R, i64 K, i64 O) { linear_dx<S>(dx, dy, w, R, K, O); } \
	GP_REGISTER(linear_dx_##S##_##N)
#define ENTRY(N, T) SIZED(N, T, 64) SIZED(N, T, 128)
GP_STORED(ENTRY)
