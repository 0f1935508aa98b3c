// The products of the classifier for f32 storage on the tensor cores, operands
// rounded to tf32 (head_mma.cuh). C and ld are multiples of four.
#include "head_mma.cuh"

HEAD_MMA(f32, float, gp_tf32, gp_tf32, float, 1, mma_operand<HEAD_MMA_TILE, float, true>)
