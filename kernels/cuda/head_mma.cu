// The products of the classifier for 16-bit storage on the tensor cores
// (gemm_mma.cuh), as in head.cu: logits f32[n,ld] of x [n,C] and w [V,C], and for
// bf16 the gradients, with the gradient of the logits as a sum of two bf16. C is
// a multiple of eight, ld of four. In f16 that gradient would leave the range of
// the type: its products stay on the f32 cores.
#include "control.cuh"
#include "gemm_mma.cuh"

template <class T> GP_DEVICE void head_logits_mma(float* logits, const T* x, const T* w, i64 n, i64 C, i64 V, i64 ld) {
	mma_operand<T, false> rows = {x, n, C}, columns = {w, V, C};
	gemm_mma<T>(rows, columns, C, [](i64, i64) { return 0.0f; }, [&](i64 i, i64 v, float s) { logits[i * ld + v] = s; });
}

GP_KERNEL(256) head_logits_mma_bf16(float* logits, const gp_bf16* x, const gp_bf16* w, i64 n, i64 C, i64 V, i64 ld) {
	head_logits_mma(logits, x, w, n, C, V, ld);
}
GP_REGISTER(head_logits_mma_bf16)

GP_KERNEL(256) head_logits_mma_f16(float* logits, const gp_f16* x, const gp_f16* w, i64 n, i64 C, i64 V, i64 ld) {
	head_logits_mma(logits, x, w, n, C, V, ld);
}
GP_REGISTER(head_logits_mma_f16)

GP_KERNEL(256) head_dx_mma_bf16(gp_bf16* dx, const float* dlogits, const gp_bf16* w, i64 n, i64 C, i64 V, i64 ld) {
	mma_split<false> rows = {dlogits, n, ld};
	mma_operand<gp_bf16, true> columns = {w, C, C};
	gemm_mma<gp_bf16>(rows, columns, V, [](i64, i64) { return 0.0f; }, [&](i64 i, i64 c, float s) { gp_narrow(&dx[i * C + c], s); });
}
GP_REGISTER(head_dx_mma_bf16)

GP_KERNEL(256) head_dw_mma_bf16(float* gw, const float* dlogits, const gp_bf16* x, const double* ctl, i64 n, i64 C, i64 V, i64 ld, i64 first) {
	mma_split<true> rows = {dlogits, V, ld};
	mma_operand<gp_bf16, true> columns = {x, C, C};
	bool more = !first || gp_accumulate(ctl);
	gemm_mma<gp_bf16>(rows, columns, n, [&](i64 v, i64 c) { return more ? gw[v * C + c] : 0.0f; },
	                  [&](i64 v, i64 c, float s) { gw[v * C + c] = s; });
}
GP_REGISTER(head_dw_mma_bf16)
