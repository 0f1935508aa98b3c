// Package data turns text files into the rows of windows and the input arrays
// of micro-batches.
//
//	files → documents → ids (+ end) → rows of T → order of an epoch → window → arrays
//
// Files come from patterns in sorted order; a file is one document, or one
// document a line or paragraph. The documents of a file, joined, are the file:
// splitting loses no byte. A row is T positions: a piece of the joined stream
// (concat), a document or a piece of one (none), or several whole documents
// (segments). The order of the rows of epoch e is a permutation f(seed, e), so
// it differs between epochs and is the same after a resume.
//
// Everything is counted in rows. A [Cursor] is the next row to be read; how many
// rows make a micro-batch does not move it, so another split of the window reads
// the same rows.
//
// The package decides nothing about the loss: rows say what follows them and
// what each position is (role, document), package loss makes targets and
// weights, package visible makes lo. [Filler] writes the arrays of a micro-batch
// and checks the range of every number before an engine sees it.
package data
