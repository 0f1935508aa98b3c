// Package memory is the residency ledger and the arena planner:
//
//	M_t = Σ_i a_i(t) b_i,   M_peak = max_t M_t.
//
// a_i(t) follows from first and last use in the order of commands; b_i are exact
// bytes. Storage that outlives the sections (parameters, gradients, moments,
// inputs) has fixed offsets; the transients of all sections share the space
// after it. Where micro runs once a window, a_i of a gradient is 0 in micro until
// the command that stores it, and the planner places gradients among the
// transients of micro; their offsets are the same in all sections. Staging slots are one region per section, counted whole. Scratch
// space is a buffer that lives for one command.
//
// Offsets are multiples of plan.Align. The arena is what is allocated; arena −
// M_peak is fragmentation and has its own row.
package memory
