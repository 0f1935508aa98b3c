// The classifier w [V,C] on x [R,C], in chunks of n rows from row r0 whose logits
// f32[n,ld] lie in the scratch space, rows of V and then zeros:
//
//   head_logits  logits[i,v] = x[r0+i]·w[v]
//   head_loss    loss[r] = log Σ_v e^logits[v] - logits[target], 0 where weight[r] = 0,
//                and the logits become (softmax - 1[target]) (weight c), in f32 or
//                rounded to bf16 in the first half of the row, or stay
//   head_dx      dx[r0+i] = Σ_v dlogits[i,v] w[v]
//   head_dw      gw[v] (+)= Σ_i dlogits[i,v] x[r0+i]
//
// Rows of weight 0 have gradients of exact zeros. Chains go on from chunk to
// chunk: the chunk changes no bit. head_last makes the logits [B,V] of row
// b·L + last[b] of each sequence, a warp an element.
#include "control.cuh"
#include "gemm.cuh"
#include "math.cuh"

const int HEAD_TILE = 64;

template <class T> GP_DEVICE void head_logits(float* logits, const T* x, const T* w, i64 n, i64 C, i64 V, i64 ld) {
	gemm_operand<T, false> rows = {x, n, C}, columns = {w, V, C};
	gemm<HEAD_TILE>(rows, columns, C, gemm_zero(), gp_rows<float>{logits, V, ld});
}

// What head_loss does with the logits.
enum { HEAD_STAY, HEAD_F32, HEAD_BF16 };

// head_gradient makes the gradient of a row of V logits in place, for the block.
// Where it is shorter than the logits, an element may lie where others have not
// been read yet: all of a round are read before one is written, and a round writes
// nothing that a later one reads.
template <class T, class F> GP_DEVICE void head_gradient(float* row, i64 V, i64 ld, const F& gradient) {
	for (i64 v0 = 0; v0 < ld; v0 += 4 * 256) {
		i64 v = v0 + 4 * threadIdx.x;
		float d[4];
		gp_read(d, row, v, V, ld % 4 == 0); // behind V nothing has been written
		GP_UNROLL
		for (int k = 0; k < 4; k++) d[k] = gradient(v + k, d[k]);
		if (sizeof(T) < 4) __syncthreads();
		gp_write((T*)row, v, ld, ld % 4 == 0, d);
	}
}

// head_loss: a block of 256 threads a row.
GP_DEVICE void head_loss(float* loss, float* logits, const int* targets, const float* weight, const double* ctl, i64 V, i64 ld, i64 then) {
	GP_DYNSHARED(float, part); // [2][8]
	i64 r = blockIdx.x;
	float* row = logits + r * ld;
	int t = threadIdx.x, lane = t & 31, warp = t >> 5;
	float m = weight[r];
	if (m == 0.0f) {
		if (t == 0) loss[r] = 0.0f;
		for (i64 v = t; then != HEAD_STAY && v < ld; v += 256) row[v] = 0.0f; // in either type
		return; // the whole block
	}
	float top = -GP_INF, sum = 0.0f;
	for (i64 v = t; v < V; v += 256) top = row[v] > top ? row[v] : top;
	top = gp_warp_max(top);
	if (lane == 0) part[warp] = top;
	__syncthreads();
	top = part[0];
	for (int i = 1; i < 8; i++) top = part[i] > top ? part[i] : top;
	for (i64 v = t; v < V; v += 256) sum += gp_exp(row[v] - top);
	sum = gp_warp_sum(sum);
	if (lane == 0) part[8 + warp] = sum;
	__syncthreads();
	sum = part[8];
	for (int i = 1; i < 8; i++) sum += part[8 + i];
	i64 target = targets[r];
	if (t == 0) loss[r] = (float)(gp_log((double)sum) + ((double)top - (double)row[target]));
	if (then == HEAD_STAY) return;
	__syncthreads(); // the target's logit has been read
	float up = m * (float)ctl[CTL_C], inv = 1.0f / sum;
	auto gradient = [&](i64 v, float logit) {
		float p = v < V ? gp_exp(logit - top) * inv : 0.0f;
		return (v == target ? p - 1.0f : p) * up;
	};
	if (then == HEAD_BF16) head_gradient<gp_bf16>(row, V, ld, gradient);
	else head_gradient<float>(row, V, ld, gradient);
}

template <class T> GP_DEVICE void head_dx(T* dx, const float* dlogits, const T* w, i64 n, i64 C, i64 V, i64 ld) {
	gemm_operand<float, false> rows = {dlogits, n, ld};
	gemm_operand<T, true> columns = {w, C, C};
	gemm<HEAD_TILE>(rows, columns, V, gemm_zero(), gp_rows<T>{dx, C, C});
}

template <class T>
GP_DEVICE void head_dw(float* gw, const float* dlogits, const T* x, const double* ctl, i64 n, i64 C, i64 V, i64 ld, bool first) {
	gemm_operand<float, true> rows = {dlogits, V, ld};
	gemm_operand<T, true> columns = {x, C, C};
	gemm<HEAD_TILE>(rows, columns, n, gemm_continue{{gw, C, C}, !first || gp_accumulate(ctl)}, gp_rows<float>{gw, C, C});
}

template <class T> GP_DEVICE void head_last(float* logits, const T* x, const T* w, const int* last, i64 B, i64 L, i64 C, i64 V) {
	i64 i = gp_thread() / 32;
	if (i >= B * V) return;
	i64 b = i / V, v = i % V;
	x += (b * L + last[b]) * C, w += v * C;
	float dot = 0.0f;
	for (i64 c = threadIdx.x & 31; c < C; c += 32) dot = gp_fma(gp_widen(x[c]), gp_widen(w[c]), dot);
	dot = gp_warp_sum(dot);
	if ((threadIdx.x & 31) == 0) logits[i] = dot;
}

GP_KERNEL(256) head_loss_f32(float* loss, float* logits, const int* targets, const float* weight, const double* ctl, i64 V, i64 ld, i64 then) {
	head_loss(loss, logits, targets, weight, ctl, V, ld, then);
}
GP_REGISTER(head_loss_f32)

#define ENTRY(N, T)                                                                                                                              \
	GP_KERNEL(256) head_logits_##N(float* logits, const T* x, const T* w, i64 n, i64 C, i64 V, i64 ld) { head_logits(logits, x, w, n, C, V, ld); }     \
	GP_KERNEL(256) head_dx_##N(T* dx, const float* dlogits, const T* w, i64 n, i64 C, i64 V, i64 ld) { head_dx(dx, dlogits, w, n, C, V, ld); }         \
	GP_KERNEL(256, 3) head_dw_##N(float* gw, const float* dlogits, const T* x, const double* ctl, i64 n, i64 C, i64 V, i64 ld, i64 first) {           \
		head_dw(gw, dlogits, x, ctl, n, C, V, ld, first != 0);                                                                                 \
	}                                                                                                                                        \
	GP_KERNEL(256) head_last_##N(float* logits, const T* x, const T* w, const int* last, i64 B, i64 L, i64 C, i64 V) {                     \
		head_last(logits, x, w, last, B, L, C, V);                                                                                         \
	}                                                                                                                                        \
	GP_REGISTER(head_logits_##N) GP_REGISTER(head_dx_##N) GP_REGISTER(head_dw_##N) GP_REGISTER(head_last_##N)
GP_STORED(ENTRY)
