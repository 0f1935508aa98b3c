// The products of the classifier for 16-bit storage on the tensor cores
// (head_mma.cuh): logits f32[n,ld] of x [n,C] and w [V,C], and their gradients. C is
// a multiple of eight, ld of four. The gradient of the logits is bf16 for bf16. For
// f16 it would leave the range of the type: it is f32, rounded to tf32.
#include "head_mma.cuh"

HEAD_MMA(bf16, gp_bf16, gp_bf16, gp_bf16, gp_bf16, 2, mma_operand<HEAD_MMA_TILE, gp_bf16, true>)
HEAD_MMA(f16, gp_f16, gp_f16, gp_tf32, float, 1, mma_widened<HEAD_MMA_TILE, gp_f16>)
