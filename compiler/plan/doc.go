// Package plan is the artefact between compiler and runtime: one canonical JSON
// file that says which bytes live where and when, which commands run on which
// stream in which order, and everything a run needs besides (data, loss,
// window, optimizer, rate, seed). The plan alone is enough to run; the runtime
// knows neither CUE nor the compiler.
//
// A plan from anywhere is checked by Validate before it runs: every offset
// inside its arena, operand types recomputed with the op table, no read of
// bytes that another buffer has overwritten, every pair of commands on two
// streams that touches the same bytes ordered by events.
//
// Three hashes: Identity (what may not change between a run and its resume),
// Program (what goldens compare) and File. There is no time of day and no
// absolute path in a plan.
//
// The package decides nothing: placement, order and offsets come from the
// compiler's passes.
package plan
