// Package plantest builds small valid plans for tests of packages that read
// plans, and large ones for measuring. It stands in for the compiler and shares
// no code with it, so a test that passes here does not depend on a pass.
//
// [Builder] takes commands in order, computes lives and places buffers by first
// fit. [GPT] is a training step with offload through staging slots, [Single]
// one application of one op with every operand persistent.
//
// It is for tests only; nothing of the product imports it. Wrong use panics.
package plantest
