// Package kernels is the root of the numeric kernels; it holds no code.
//
//   - kernels/ref is the oracle: float64, plain loops, one formula a line, no tuning.
//   - kernels/cpu is the float32 tier in plain Go: blocked, packed, parallel over outputs.
//   - kernels/kerneltest is the conformance suite an implementation must pass: equality with
//     ref within 1e-5, equality of bits over worker counts and over splits of the rows.
//
// A kernel is a plain function over slices: it knows shapes and nothing of graphs, plans,
// arenas or files, and imports nothing of this project. The engines of the runtime bind
// operations to kernels.
package kernels
