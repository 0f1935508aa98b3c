// Package cpu holds the float32 kernels of the CPU engine, without cgo and without allocations that grow with the model. It is
// not an engine: it owns no threads, no memory and no order of operations, and it checks no user input; shapes and
// ids are checked before.
//
// # Shapes
//
// R = B*T rows in token order (row r = b*T+t), every matrix row-major and dense, weights
// [out, in]. A slice may be longer than its matrix; a shorter one panics (index out of range).
// Outputs do not overlap inputs unless the function says so.
//
// # Tiers
//
// A kernel runs on the instruction set ([ISA]) that its [Par] asks for with a method ISA() ISA, as far as the machine has
// it ([Detect]); a Par without that method gets plain Go, the tier every architecture has and the twin the others
// are tested against. The vector kernels are assembly that kernels/_gen writes (vec_*_amd64.s); each entry's
// declaration says in Go what it computes, and the methods of ISA choose between it and its twin.
//
// # Bits
//
// The kernels keep three rules, so that neither the number of workers nor the split of a window
// into micro-batches nor recomputation changes a bit of a result:
//
//   - Every element of a product is one chain: acc = C when accumulating, else +0; then for k
//     ascending acc = a*b + acc; bias and other epilogues once, after the last k. Blocking stores
//     and reloads acc, it never sums a block from zero.
//   - Row reductions (softmax, norms, dot products of a row) use 16 lanes, lane = index mod 16,
//     one accumulator each, folded by one fixed tree (lanes.go).
//   - Work is split over outputs, never over a sum. Column sums are chains over the rows in
//     token order that go on from the stored value when acc is true.
//
// AVX2 and AVX-512 use fused multiply-adds, at the same places, and give equal bits: tiles, panels and edges differ, chains
// and lanes do not. Plain Go rounds the product first, float32(a*b) + acc, where the conversion keeps the compiler from
// fusing on architectures that could; it differs from the vector tiers in the last places (1e-5 by tensor). Norm2 has
// the same bits on all three.
//
// Adding the exact zeros of padded rows to a chain that began at +0 changes no bit.
//
// Zeros that stand for masked keys or padding cancel what is finite only: a NaN or infinity in a masked value or a
// padded row may spread. Subnormal numbers keep their meaning unless the threads that run kernels flush them
// ([FlushDenormals]), as an engine's should: they are two orders of magnitude slower. exp never makes one.
//
// # Storage
//
// Kernels whose name ends in Of take matrices as they are stored ([Matrix]), in float32 or in 16 bits. They compute in float32
// what the kernel without that ending computes of the widened operands, to the bit, and round a named result before
// anything reads it: a product widens blocks while it packs them and rounds what is finished while it is in a cache, an
// elementwise kernel goes span by span. No operand is widened whole.
//
// # Speed
//
// A product on vector registers packs blocks of both operands into scratch memory of the worker ([ScratchLen]) and runs
// a register tile over them: 8 rows by 48 columns in AVX-512, 6 by 16 in AVX2, as many accumulators as there are registers,
// so that nothing but the multiply-add units limits it. Attention uses the same tiles on small blocks; its left operands are read in
// place. [Peak] is the rate to hold them against.
//
// In plain Go the compiler emits scalar instructions: one multiply and one add a product, two of each a cycle at
// best. The register tile is 2 rows by 3 columns (tile.go says why), operands are packed into
// panels on the stack. Cache blocks change speed only, in every tier.
//
// Parallel work goes through [Par], which the caller implements over its own threads.
package cpu
