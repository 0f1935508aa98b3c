// The products of linear layers for 16-bit storage on the tensor cores
// (linear_mma.cuh), where row lengths are multiples of eight:
//
//   linear_mma     y[r,n]  = Σ_k x[r,k] w[n,k] (+ b[n]), and linear_gelu, linear_add
//   linear_dx_mma  dx[r,k] = Σ_n dy[r,n] w[n,k]
//   linear_dw_mma  gw[n,k] (+)= Σ_r dy[r,n] x[r,k], f32
//
// x [R,K], w [N,K], y, dy, fc, act, res [R,N]; b may be absent. A gradient that
// continues has the sum added to it. The number in a name is the tile.
#include "linear_mma.cuh"

LINEAR_MMA(bf16, gp_bf16, gp_bf16, 64)
LINEAR_MMA(bf16, gp_bf16, gp_bf16, 128)
LINEAR_MMA(f16, gp_f16, gp_f16, 64)
LINEAR_MMA(f16, gp_f16, gp_f16, 128)
