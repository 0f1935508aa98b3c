// Package tramp makes tramp.c from cuda.h: one C function for each entry point
// of the CUDA driver, which forwards through a pointer that dlsym has filled.
//
// A program linked with the functions needs no driver to start. Until a driver
// is bound, cuInit answers success and every other function
// CUDA_ERROR_NOT_INITIALIZED: gorgonia.org/cu calls cuInit from an init function
// and ends the process when that fails. An entry point that the bound driver
// lacks answers CUDA_ERROR_NOT_SUPPORTED. All functions are hidden, so that a
// real driver, loaded later, cannot bind to them.
//
// The package is used by its own test only, which compares the committed file
// with what the generator writes, and rewrites it with UPDATE=1.
package tramp
