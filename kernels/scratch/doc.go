// Package scratch says how much scratch space the CPU kernels need, so that a
// plan can reserve it before anything runs and the kernels can rely on it. Block
// sizes stand here once; kernels/cpu uses the same constants.
//
// Sizes are numbers of float32 and functions of shapes and workers only, never
// of the machine.
package scratch
