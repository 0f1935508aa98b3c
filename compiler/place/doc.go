// Package place applies a placement to the graph: what is kept, what is computed
// again, what moves to the host.
//
// A decision is per block and named result. Recompute clones the cheapest op
// that reproduces the bits just before the first backward use; what the clone
// needs is followed through the graph, never listed by hand. Host puts a result
// into a staging slot, copies it out after the block's forward and back in
// before its backward:
//
//	slot of the j-th offloaded block = j mod S
//	forward of block j waits for the copy out of block j−S (the slot is free)
//	copy in of block j is issued when backward of block j+S ends (the slot is free)
//
// The last S offloaded blocks find their results still in their slots and move
// nothing. In the update, groups of moments and master copies stream through slots
// of their own.
//
// Copies run on their own streams; the orders that no data dependency states
// are written as After. The package chooses nothing: decisions come from the
// spec (Declared).
package place
