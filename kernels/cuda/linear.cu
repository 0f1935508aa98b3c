// y[r,n] = Σ_k x[r,k] w[n,k] (+ b[n]): x [R,K], w [N,K], y [R,N]; b may be absent.
// The number in a name is the tile (gemm.cuh).
#include "gemm.cuh"

template <int S, class T> GP_DEVICE void linear(T* y, const T* x, const T* w, const T* b, i64 R, i64 K, i64 N) {
	gemm_operand<T, false> rows = {x, R, K}, columns = {w, N, K};
	gemm<S>(rows, columns, K, [](i64, i64) { return 0.0f; },
	        [&](i64 r, i64 n, float v) { gp_narrow(&y[r * N + n], b ? v + gp_widen(b[n]) : v); });
}

#define SIZED(N, T, S)                                                                                                                   \
	GP_KERNEL(256) linear_##S##_##N(T* y, const T* x, const T* w, const T* b, i64 R, i64 K, i64 O) { linear<S>(y, x, w, b, R, K, O); } \
	GP_REGISTER(linear_##S##_##N)
#define ENTRY(N, T) SIZED(N, T, 64) SIZED(N, T, 128)
GP_STORED(ENTRY)
