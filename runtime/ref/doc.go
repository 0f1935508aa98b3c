// Package ref is the float64 engine: the oracle the other engines are compared
// with, and what gradient checks run on. It binds the ops to package
// kernels/ref.
//
// Every buffer is a []float64 (or []int32) of its own; offsets, arenas, scratch
// space and the number of workers are ignored, so a plan for any target runs,
// and predicted = allocated does not hold: it takes about twice the bytes of a
// plan in f32. Streams and events are kept as the plan has them. Read and Write
// take f32 buffers as []float32, converted, or as []float64, exactly.
package ref
