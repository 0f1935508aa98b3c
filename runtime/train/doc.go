// Package train is the window loop: it runs a plan on an engine over the rows of
// a text until the updates of the schedule are made.
//
// For each window
//
//	rows    = the next K·B rows                           (package data)
//	w, N    = weights and their sum over the whole window (package loss)
//	N = 0:    nothing runs; counted, or an error by the plan
//	micro   for every micro-batch k with a weight: c = f32(s/N), accumulate but in
//	        the first that runs; loss += Σ weight·ℓ / N in f64, in token order
//	update  η_u, bias corrections and u into the control buffer; the device decides
//	        whether the gradient is finite and says so
//	applied:  u grows by one, the schedule with it, since η is a function of u
//	skipped:  parameters, moments and u stay; counted, limited in a row
//
// No gradient is written outside a section and none is cleared here: the first
// micro-batch that runs stores, later ones continue.
//
// The state after a window is a function of the plan, the text and nothing else,
// so a run that is stopped at any moment and continued ends in the same bits.
// Between updates the loop looks at the request to stop, saves and evaluates.
//
// What a user can cause is a [ContentError] or a [WorldError] with findings; any
// other error is a failure while running. The package knows no kernels and no
// CUE; times come from a clock that the caller brings.
package train
