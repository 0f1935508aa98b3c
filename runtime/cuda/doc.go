// Package cuda reports the CUDA driver and its devices, over gorgonia.org/cu.
// It holds no engine; a plan for a cuda target can be compiled, checked and run
// by the engines ref and null, not by this package.
//
// Building with the tag cuda needs cgo, the header cuda.h and a libcuda to link
// with. Such a program ends at its start on a machine without a driver, because
// that is what the initialisation of gorgonia.org/cu does; without the tag
// nothing of it is linked, and [Probe] says so.
//
// Licence caution: the LICENSE of gorgonia.org/cu is Apache-2.0, but its README
// says that parts of it (cgoflags.go, execution.go, memory.go) come from a
// package without a licence, and advises to assume terms like those of the GPL.
// Who distributes a binary built with the tag cuda should know that. The default
// build contains none of it.
package cuda
