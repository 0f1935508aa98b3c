// The products of linear layers for f32 storage on the tensor cores, operands
// rounded to tf32: as linear_mma.cu, where row lengths are multiples of four.
#include "linear_mma.cuh"

LINEAR_MMA(f32, float, gp_tf32, 64)
LINEAR_MMA(f32, float, gp_tf32, 128)
