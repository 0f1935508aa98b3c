// Package autodiff appends the backward pass to a forward graph: reverse
// accumulation over a table of vector–Jacobian products,
//
//	x̄ = J_f(x)ᵀ ȳ,   and where a value is used twice  x̄ = J_fᵀ ȳ + J_hᵀ ȳ.
//
// One rule per op (Rules) says what it emits, and which operands of the forward
// pass it reads; an op without a rule has a stated reason. A branch sum is
// emitted as soon as its second term exists, inside the block where it arises.
//
// A parameter's gradient is one storage. Every op that uses the parameter
// continues the same chain over it; a table that the head writes too gets the
// embedding's share through a compact buffer with one row per distinct id of
// the window, added once in the update.
//
// The package does not know the window: 1/N enters as the upstream factor c of
// the loss, read from the control buffer.
package autodiff
