// Package kernels is the root of the numeric kernels; it holds no code.
//
//   - kernels/ref is the oracle: float64, plain loops, one formula a line, no tuning.
//   - kernels/cpu are the float32 kernels of the CPU engine: AVX-512, AVX2, and plain Go.
//   - kernels/_gen, a module of its own, writes the assembly of kernels/cpu.
//   - kernels/scratch says how much scratch memory the kernels need.
//   - kernels/cuda are the kernels of the CUDA engine, in CUDA C and as PTX, with the
//     simulated driver that tests them (kernels/cuda/sim).
//   - kernels/kerneltest is the conformance suite an implementation must pass: equality with
//     ref within 1e-5, equality of bits over worker counts, splits of the rows, and vector tiers.
//
// A kernel is a plain function over slices: it knows shapes and nothing of graphs, plans,
// arenas or files, and imports nothing of this project. The engines of the runtime bind
// operations to kernels.
package kernels
