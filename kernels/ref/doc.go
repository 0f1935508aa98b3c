// Package ref holds the reference kernels: float64, plain loops, one formula a line. It is the oracle of
// kernels/cpu (and of any later tier) and the arithmetic of gradient checks; it is not fast and not meant to be.
//
// Names, argument order and shapes are those of kernels/cpu, without the parallelism and workspace arguments:
// R = B*T rows in token order, matrices row-major and dense, weights [out, in]. Outputs do not overlap inputs
// unless the function says so. Every gradient is the vector-Jacobian product x̄ = Jᵀ ȳ of its forward function; kernels
// that write the gradient of a parameter take acc, which adds to what is stored.
//
// [CrossEntropy] exists only here: with [Linear] it is the unfused pair against which the fused head loss is tested.
package ref
