// The products of linear layers on the tensor cores (gemm_mma.cuh): what
// linear_mma.cu and linear_tf32.cu make of 16-bit and of f32 operands. T is the
// storage type, M the type of the products and S the tile.
#pragma once
#include "control.cuh"
#include "gemm_mma.cuh"
#include "linear.cuh"

// mma_sums stores f32 results, or adds them to what is stored.
struct mma_sums {
	gp_rows<float> y;
	bool more;

	template <int P> GP_DEVICE_MEMBER void operator()(i64 m, i64 n, const float (&v)[P]) const {
		float s[P];
		GP_UNROLL
		for (int k = 0; k < P; k++) s[k] = 0.0f;
		if (more) y.get(s, m, n);
		GP_UNROLL
		for (int k = 0; k < P; k++) s[k] += v[k];
		y(m, n, s);
	}
};

template <class M, int S, class T, class End> GP_DEVICE void linear_mma(const T* x, const T* w, i64 R, i64 K, i64 N, const End& end) {
	mma_operand<S, T, false> rows = {x, R, K}, columns = {w, N, K};
	gemm_mma<M, S, 16 / sizeof(T)>(rows, columns, K, end);
}

template <class M, int S, class T> GP_DEVICE void linear_dx_mma(T* dx, const T* dy, const T* w, i64 R, i64 K, i64 N) {
	mma_operand<S, T, false> rows = {dy, R, N};
	mma_operand<S, T, true> columns = {w, K, K};
	gemm_mma<M, S, 16 / sizeof(T)>(rows, columns, N, gp_rows<T>{dx, K, K});
}

template <class M, int S, class T>
GP_DEVICE void linear_dw_mma(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 N) {
	mma_operand<S, T, true> rows = {dy, N, N}, columns = {x, K, K};
	gemm_mma<M, S, 4>(rows, columns, R, mma_sums{{gw, K, K}, gp_accumulate(ctl)});
}

// LINEAR_MMA(N, T, M, S) is the entry points of one storage type and tile.
#define LINEAR_MMA(N, T, M, S)                                                                                                             \
	GP_KERNEL(MMA_THREADS(S), 256 / S) linear_mma_##S##_##N(T* y, const T* x, const T* w, const T* b, i64 R, i64 K, i64 O) {             \
		linear_mma<M, S>(x, w, R, K, O, linear_plain<T>{{y, O, O}, b});                                                                    \
	}                                                                                                                                      \
	GP_KERNEL(MMA_THREADS(S), 256 / S)                                                                                                   \
	linear_gelu_mma_##S##_##N(T* fc, T* act, const T* x, const T* w, const T* b, i64 R, i64 K, i64 O, i64 tanh) {                        \
		linear_mma<M, S>(x, w, R, K, O, linear_gelu<T>{{{fc, O, O}, b}, {act, O, O}, tanh != 0});                                          \
	}                                                                                                                                      \
	GP_KERNEL(MMA_THREADS(S), 256 / S)                                                                                                   \
	linear_add_mma_##S##_##N(T* y, const T* res, const T* x, const T* w, const T* b, i64 R, i64 K, i64 O) {                              \
		linear_mma<M, S>(x, w, R, K, O, linear_add<T>{{{y, O, O}, b}, {res, O, O}});                                                       \
	}                                                                                                                                      \
	GP_KERNEL(MMA_THREADS(S), 256 / S) linear_dx_mma_##S##_##N(T* dx, const T* dy, const T* w, i64 R, i64 K, i64 O) {                    \
		linear_dx_mma<M, S>(dx, dy, w, R, K, O);                                                                                           \
	}                                                                                                                                      \
	GP_KERNEL(MMA_THREADS(S), 256 / S)                                                                                                   \
	linear_dw_mma_##S##_##N(float* gw, const T* dy, const T* x, const double* ctl, i64 R, i64 K, i64 O) {                                \
		linear_dw_mma<M, S>(gw, dy, x, ctl, R, K, O);                                                                                      \
	}                                                                                                                                      \
	GP_REGISTER(linear_mma_##S##_##N) GP_REGISTER(linear_gelu_mma_##S##_##N) GP_REGISTER(linear_add_mma_##S##_##N)                       \
	GP_REGISTER(linear_dx_mma_##S##_##N) GP_REGISTER(linear_dw_mma_##S##_##N)
