// Package cpu holds the float32 kernels of the CPU engine in plain Go: no assembly, no cgo, no
// allocation that grows with the model. It is not an engine: it owns no threads, no memory and
// no order of operations, and it checks no user input; shapes and ids are checked before.
//
// # Shapes
//
// R = B*T rows in token order (row r = b*T+t), every matrix row-major and dense, weights
// [out, in]. A slice may be longer than its matrix; a shorter one panics (index out of range).
// Outputs do not overlap inputs unless the function says so.
//
// # Bits
//
// The kernels keep three rules, so that neither the number of workers nor the split of a window
// into micro-batches nor recomputation changes a bit of a result:
//
//   - Every element of a product is one chain: acc = C when accumulating, else +0; then for k
//     ascending acc = float32(a*b) + acc, each rounded; bias and other epilogues once, after the
//     last k. Blocking stores and reloads acc, it never sums a block from zero. The explicit
//     conversion keeps the compiler from fusing the two roundings.
//   - Row reductions (softmax, norms, dot products of a row) use 16 lanes, lane = index mod 16,
//     one accumulator each, folded by one fixed tree (lanes.go).
//   - Work is split over outputs, never over a sum. Column sums are chains over the rows in
//     token order that go on from the stored value when acc is true.
//
// Adding the exact zeros of padded rows to a chain that began at +0 changes no bit.
//
// Zeros that stand for masked keys or padding cancel what is finite only: a NaN or infinity in a masked value or a
// padded row may spread. Subnormal numbers keep their meaning, since Go cannot switch them off without assembly; they are
// slow, and exp never makes one.
//
// # Speed
//
// The Go compiler emits scalar SSE: one multiply and one add a product, two of each a cycle at
// best. The register tile is 2 rows by 3 columns (tile.go says why), operands are packed into
// panels on the stack, and the cache blocks change speed only.
//
// Parallel work goes through [Par], which the caller implements over its own threads.
package cpu
