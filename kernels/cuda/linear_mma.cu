// The products of linear layers for 16-bit storage on the tensor cores
// (gemm_mma.cuh), where K, N and addresses allow it:
//
//   linear_mma     y[r,n]  = Σ_k x[r,k] w[n,k] (+ b[n])
//   linear_dx_mma  dx[r,k] = Σ_n dy[r,n] w[n,k]
//   linear_dw_mma  gw[n,k] (+)= Σ_r dy[r,n] x[r,k], f32
//
// x [R,K], w [N,K], y, dy [R,N]; b may be absent.
#include "control.cuh"
#include "gemm_mma.cuh"

template <class T> GP_DEVICE void linear_mma(T* y, const T* x, const T* w, const T* b, i64 R, i64 K, i64 N) {
	mma_operand<T, false> rows = {x, R, K}, columns = {w, N, K};
	gemm_mma<T>(rows, columns, K, [](i64, i64) { return 0.0f; },
	         [&](i64 r, i64 n, float v) { gp_narrow(&y[r * N + n], b ? v + gp_widen(b[n]) : v); });
}

template <class T> GP_DEVICE void linear_dx_mma(T* dx, const T* dy, const T* w, i64 R, i64 K, i64 N) {
	mma_operand<T, false> rows = {dy, R, N};
	mma_operand<T, true> columns = {w, K, K};
	gemm_mma<T>(rows, columns, N, [](i64, i64) { return 0.0f; }, [&](i64 r, i64 k, float v) { gp_narrow(&dx[r * K + k], v); });
}

template <class T>
GP_DEVICE void linear_dw_mma(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 N) {
	mma_operand<T, true> rows = {dy, N, N}, columns = {x, K, K};
	bool more = gp_accumulate(ctl);
	gemm_mma<T>(rows, columns, R, [&](i64 n, i64 k) { return more ? gw[n * K + k] : 0.0f; }, [&](i64 n, i64 k, float v) { gw[n * K + k] = v; });
}

#define ENTRY(S, T)                                                                                                                       \
	GP_KERNEL(256) linear_mma_##S(T* y, const T* x, const T* w, const T* b, i64 R, i64 K, i64 N) { linear_mma(y, x, w, b, R, K, N); }   \
	GP_KERNEL(256) linear_dx_mma_##S(T* dx, const T* dy, const T* w, i64 R, i64 K, i64 N) { linear_dx_mma(dx, dy, w, R, K, N); }        \
	GP_KERNEL(256) linear_dw_mma_##S(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 N) {                      \
		linear_dw_mma(gw, dy, x, ctl, R, K, N);                                                                                       \
	}                                                                                                                                     \
	GP_REGISTER(linear_mma_##S) GP_REGISTER(linear_dx_mma_##S) GP_REGISTER(linear_dw_mma_##S)
ENTRY(bf16, gp_bf16)
ENTRY(f16, gp_f16)
