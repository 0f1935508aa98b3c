// Package archtest holds the laws of the source tree and a test that the tree
// obeys them. They keep three promises checkable: a binary that only runs plans
// links no CUE, an engine can be replaced without the compiler noticing, and
// every package says what it is.
//
//	imports      spec ← compiler ← runtime, kernels below all; see the table arrows
//	cue          nothing in runtime/ reaches cuelang.org through any import
//	names        no package called util, common, helpers, misc, base, core, types, shared
//	doc          each package has one package comment, in doc.go
//	size         no written .go file that is not a test has more than 450 lines
//	init         no func init outside generated files
//
// Files are read with go/parser, whatever their build constraints, so the laws
// hold for every platform. Tests may import what they like: they are not linked.
// The package judges nothing else; formatting and vet are the go command's.
package archtest
