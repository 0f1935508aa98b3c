// The products of the classifier on the tensor cores (gemm_mma.cuh): what
// head_mma.cu and head_tf32.cu make, as head.cu. T is the storage type and M the
// type of the products. The gradient of the logits is D: rounded to bf16 in place
// by head_loss, or f32. A gradient of w that continues, from chunk to chunk too,
// has the sum added to it.
#pragma once
#include "linear_mma.cuh"

const int HEAD_MMA_TILE = 128;

template <class M, class T> GP_DEVICE void head_logits_mma(float* logits, const T* x, const T* w, i64 n, i64 C, i64 V, i64 ld) {
	mma_operand<HEAD_MMA_TILE, T, false> rows = {x, n, C}, columns = {w, V, C};
	gemm_mma<M, HEAD_MMA_TILE, 4>(rows, columns, C, gp_rows<float>{logits, V, ld});
}

template <class M, class Right, class D, class T>
GP_DEVICE void head_dx_mma(T* dx, const D* dlogits, const T* w, i64 n, i64 C, i64 V, i64 ld) {
	mma_operand<HEAD_MMA_TILE, D, false> rows = {dlogits, n, ld};
	Right columns = {w, C, C};
	gemm_mma<M, HEAD_MMA_TILE, 16 / sizeof(T)>(rows, columns, V, gp_rows<T>{dx, C, C});
}

template <class M, class Right, class D, class T>
GP_DEVICE void head_dw_mma(float* gw, const D* dlogits, const T* x, const double* ctl, i64 n, i64 C, i64 V, i64 ld, bool first) {
	mma_operand<HEAD_MMA_TILE, D, true> rows = {dlogits, V, ld};
	Right columns = {x, C, C};
	gemm_mma<M, HEAD_MMA_TILE, 4>(rows, columns, n, mma_sums{{gw, C, C}, !first || gp_accumulate(ctl)});
}

// HEAD_MMA(S, T, L, M, D, PER, R) is the entry points of a storage type: products of
// type L make the logits, products of type M their gradients D, PER in a float,
// with operands R.
#define HEAD_MMA(S, T, L, M, D, PER, ...)                                                                                                    \
	GP_KERNEL(256, 2) head_logits_mma_##S(float* logits, const T* x, const T* w, i64 n, i64 C, i64 V, i64 ld) {                            \
		head_logits_mma<L>(logits, x, w, n, C, V, ld);                                                                                       \
	}                                                                                                                                        \
	GP_KERNEL(256, 2) head_dx_mma_##S(T* dx, const float* dlogits, const T* w, i64 n, i64 C, i64 V, i64 ld) {                                 \
		head_dx_mma<M, __VA_ARGS__>(dx, (const D*)dlogits, w, n, C, V, PER * ld);                                                            \
	}                                                                                                                                        \
	GP_KERNEL(256, 2) head_dw_mma_##S(float* gw, const float* dlogits, const T* x, const double* ctl, i64 n, i64 C, i64 V, i64 ld, i64 first) { \
		head_dw_mma<M, __VA_ARGS__>(gw, (const D*)dlogits, x, ctl, n, C, V, PER * ld, first != 0);                                           \
	}                                                                                                                                        \
	GP_REGISTER(head_logits_mma_##S) GP_REGISTER(head_dx_mma_##S) GP_REGISTER(head_dw_mma_##S)
