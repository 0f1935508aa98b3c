// Package gradcheck compares the gradients of a plan with central differences,
// for every parameter tensor, on an engine that computes in float64.
//
// The function is the window's loss as the plan computes it,
//
//	L(θ) = Σ_k Σ_r c·w_{k,r}·ℓ_{k,r}(θ),   c = 1/N,  N = Σ w,
//
// with ℓ the token losses that the micro section writes. The analytic gradient a
// is what the plan's own commands leave in the gradient buffers: the micro
// section once per micro-batch, the first one storing and the others adding,
// then, for a table that the head and the embedding share, the update section at
// rate 0, whose first command adds the embedding's part. The numeric one is
//
//	D(h) = (L(θ+h) − L(θ−h))/2h,   n = (4·D(h) − D(2h))/3,
//
// whose truncation error is of order h⁴, so that h may be large (1/500 of the
// tensor's root mean square) and rounding, of order ε·L/h, stays small. A plain
// difference has an error of order h² and needs h near 1e-6, where gradients of
// 1e-5 drown in rounding.
//
// Reported per tensor, over the elements that were checked:
//
//	Rel   = ‖a−n‖ / max(‖a‖,‖n‖)
//	Worst = max_i |a_i−n_i| / max(|a_i|,|n_i|,floor),  floor = max(‖a‖,‖n‖)/√count
//
// Elements near zero have no relative error of their own; floor is the size of a
// typical element. Both must be at most Limit. A tensor whose whole gradient is
// exactly zero is marked NoGradient: right only when nothing depends on it.
//
// The package computes no derivative itself and knows no op: what is tested is
// kernels, autodiff rules, fusing, placement, accumulation and order together. It
// works on the plan and session of any compiler and engine, and leaves the
// parameters and moments as it found them.
package gradcheck
