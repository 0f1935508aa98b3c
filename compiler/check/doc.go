// Package check holds the rules that need more than CUE can say: each is a value
// with an id, a title, its formula, its text for explain, and functions that
// return findings with the numbers put into the formula, the user's field and
// the other fields that were read.
//
// Rules run on the spec before compiling (Spec), on the finished plan (Plan), or
// on the spec and a sample of its data (Data). A rule is silent where another
// rule explains its finding already, and where the compiler knows that what it
// reads is broken. What plain CUE can say is not repeated here.
//
// A spec may describe another trainer in its section `pipeline`: who shifts,
// masks, divides, clips and ticks, and in which order. Without it gradcue's own
// runtime is meant, for which these rules hold by construction. What a section
// leaves out is right; what it states is put into the formulas:
//
//	shifts:    Σ shift = 1 for targets, the same for their mask, in every layout
//	gradient:  division · Π factors = 1/N, exactly (package math/big), N over window and ranks
//	cadence:   number · times / (counts per update) = number, in updates
//	order:     scale → backward×K → reduce → unscale → check → clip → step → rescale → tick
//	resume:    saved ⊇ what changes; skipped = used
//
// Rules marked Target are about what this version can build and are not asked of
// another trainer (Foreign), which is vetted and never run.
//
// It is not the place of anything that runs: nothing here reads files, and
// nothing is executed. testdata/bugs has a wrong and a right spec for each public
// report that the rules were made for. In the flow it stands between spec and
// compiler, and behind the compiler once more for the plan.
package check
