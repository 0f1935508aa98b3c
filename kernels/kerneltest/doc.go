// Package kerneltest is the conformance suite for float32 kernels. It holds no kernel: an implementation is handed
// over as a struct of functions ([Kernels]), is run on fixed pseudo-random inputs, and is held against
//
//   - kernels/ref: every output within 1e-5 of the float64 result, ‖a-n‖ / max(‖a‖,‖n‖) by tensor, and element by
//     element with the root mean square as floor; infinities and exact zeros must be equal;
//   - itself: 1, 2 and 3 workers and uneven splits give equal bits; rows [0,R) in one call equal [0,R1) and
//     [R1,R) with accumulation, and padding rows change nothing; fused kernels equal the kernels they fuse.
//
// The shapes cover odd sizes, sizes around the cache blocks, grouped heads, windows, empty rows and padding. Outputs
// start as NaN, so that a kernel that reads what it should write, or leaves an element out, is found.
//
// [On] runs kernels on an instruction set, so that every tier passes the whole suite; [Equal] holds two tiers that promise the
// same bits against each other.
//
// Finite differences of the reference itself are in its own tests.
package kerneltest
