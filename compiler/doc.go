// Package compiler turns an experiment into a plan: it runs the passes, each in
// its own package, and lays their results side by side in the plan.
//
//	model → autodiff → window → eval → fuse → place → order → cost → memory → plan
//
// Passes are listed once, in Passes, with what must come before what in Before.
// What a user can cause comes back as diagnostics; a panic of a pass is a bug of
// the compiler and is returned as an *InternalError that names the pass.
package compiler
