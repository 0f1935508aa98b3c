// y[r,n] = Σ_k x[r,k] w[n,k] (+ b[n]): x [R,K], w [N,K], y [R,N]; b may be absent.
// The number in a name is the tile (gemm.cuh). linear_gelu also makes act from
// fc = y, linear_add adds res [R,N] (linear.cuh).
#include "gemm.cuh"
#include "linear.cuh"

template <int S, class T, class End> GP_DEVICE void linear(const T* x, const T* w, i64 R, i64 K, i64 N, const End& end) {
	gemm_operand<T, false> rows = {x, R, K}, columns = {w, N, K};
	gemm<S>(rows, columns, K, gemm_zero(), end);
}

#define SIZED(S, T, Z)                                                                                                                  \
	GP_KERNEL(256) linear_##Z##_##S(T* y, const T* x, const T* w, const T* b, i64 R, i64 K, i64 N) {                                 \
		linear<Z>(x, w, R, K, N, linear_plain<T>{{y, N, N}, b});                                                                       \
	}                                                                                                                                   \
	GP_KERNEL(256) linear_gelu_##Z##_##S(T* fc, T* act, const T* x, const T* w, const T* b, i64 R, i64 K, i64 N, i64 tanh) {         \
		linear<Z>(x, w, R, K, N, linear_gelu<T>{{{fc, N, N}, b}, {act, N, N}, tanh != 0});                                             \
	}                                                                                                                                   \
	GP_KERNEL(256) linear_add_##Z##_##S(T* y, const T* res, const T* x, const T* w, const T* b, i64 R, i64 K, i64 N) {               \
		linear<Z>(x, w, R, K, N, linear_add<T>{{{y, N, N}, b}, {res, N, N}});                                                          \
	}                                                                                                                                   \
	GP_REGISTER(linear_##Z##_##S) GP_REGISTER(linear_gelu_##Z##_##S) GP_REGISTER(linear_add_##Z##_##S)
#define ENTRY(S, T) SIZED(S, T, 64) SIZED(S, T, 128)
GP_STORED(ENTRY)
