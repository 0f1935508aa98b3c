// Command _gen writes the vector kernels of kernels/cpu: Plan 9 assembly for AVX-512F and for AVX2 with FMA, the Go
// declarations of its entries, and the methods of ISA that choose between them and the plain Go kernels.
//
//	go run . [-o ../cpu]
//
// or go generate in kernels/cpu. It is a module of its own in a directory the go command ignores, so that building the
// product does not need it; its output is committed, and a test of kernels/cpu runs it and compares.
//
// A row kernel is written once, for vectors of 16 float32 lanes (lanes.go): one Z register, or two Y registers. Both tiers
// execute the same operations in the same order on every lane, which is why they give the same bits. The register tiles of
// the products (tile.go) differ in shape only: an element is one chain of fused multiply-adds over k ascending in both.
//
// It is not an assembler and checks nothing: `go vet` holds frames and arguments against the declarations, and the tests of
// kernels/cpu hold the results.
package main
