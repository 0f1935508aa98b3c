// Package window appends what happens once per accumulation window: the
// effective update
//
//	θ_{u+1} = θ_u − η_u U(g_u)   only if finite(g_u).
//
// The order is fixed: add the compact embedding gradient, square-sum every
// gradient storage once, global norm of g = g̃/s with finite check and clip factor,
// optimizer. Rate, bias corrections and the apply flag are read from the control
// buffer, so a skipped update leaves parameters and moments as they are.
//
// The window's denominator, its micro-batches and the one clear (the first
// micro-batch stores instead of adding) are control values too: see package
// loss for N and the plan's control slots.
package window
