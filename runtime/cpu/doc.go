// Package cpu is the float32 engine of the host. It binds the ops to package
// kernels/cpu and runs a plan exactly as it stands.
//
// Open allocates one arena per tier, of exactly the plan's bytes, outside the
// Go heap where the system allows it; a buffer is a slice over its arena. What
// the plan predicts is therefore what is allocated. Operands are looked up
// once, so a step follows ready-made closures.
//
// Kernels run on a fixed pool of goroutines, the caller's among them. A plan is
// made for a number of workers, because scratch space depends on it; fewer may
// run it and give the same bits, since the kernels split outputs and never
// sums. Copies run on the goroutine of their stream, next to the kernels.
//
// The engine refuses a plan for another target.
package cpu
