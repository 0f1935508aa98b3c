// Package report draws what a plan says about itself.
//
// [Memory] is the picture of the ledger: M_t = Σ a_i(t)·b_i by class, stacked,
// over the commands of each section, with the peak and the device arena.
//
// Pictures are SVG without scripts, fonts or anything from outside, and a
// function of the plan alone: equal plans have equal pictures.
//
// What it is not: nothing here is computed beyond where a line goes; the numbers
// are those of package plan. It knows no run, so it draws predictions only.
package report
