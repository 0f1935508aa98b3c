// Package prove shows that a training experiment does what its formulas say, by
// running it.
//
// A proof is a value: a formula, how it is shown, and a function that runs the
// experiment, or parts of its plan, and returns a [Verdict] with numbers. Proofs
// compare bits where the formula promises bits (splits, placements, padding,
// resumes), exact numbers where they are known beforehand (a linear loss, the
// visible set), and float64 with a stated limit elsewhere (finite differences).
//
//	aliases      one storage, one gradient, one optimizer slot
//	targets      the trained positions are the declared set
//	linear       a loss Σθ has exactly the declared gradient
//	split        K and B change nothing
//	padding      padding changes nothing
//	causal       no output depends on what comes later
//	visible      attention sees the declared set, forward and backward
//	reach        every parameter gets a gradient
//	differences  gradients are the derivative of the loss
//	placements   recomputing, offloading and workers change nothing
//	border       what is used is what was stored; nothing dead is read
//	ledger       an update is applied, or nothing moves
//	resume       a run that was cut is the run that was not
//	peak         predicted bytes are allocated bytes
//
// The engine under proof is any exec.Engine. It is driven in three ways: by the
// training loop itself, with a [spy] between them; window by window, as the loop
// does it, with inputs that the proof makes; and on rewritten plans that have
// only some commands of the experiment's, in memory that nothing shares, so that
// the operands of each can be written and read.
//
// The package compiles nothing: plans of variants come from the caller. It does
// not measure time or quality, and a proof holds for the shapes it ran on.
package prove
