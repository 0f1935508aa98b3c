// Package cpu is the float32 engine of the host. It binds the ops to package
// kernels/cpu and runs a plan exactly as it stands.
//
// Open allocates one arena per tier, of exactly the plan's bytes, outside the
// Go heap where the system allows it, and touches it on all workers; a buffer is
// a slice over its arena. What the plan predicts is therefore what is allocated.
// Operands are looked up once, so a step follows ready-made closures and
// allocates nothing.
//
// Kernels run on a fixed pool of workers on threads of their own, the caller's
// among them. A range is cut into pieces, and who is done takes the pieces of
// others. A plan is made for a number of workers, because scratch space depends
// on it; fewer may run it and give the same bits, since the kernels split
// outputs and never sums. Each worker has besides it memory of fixed size for
// packed operands (kernels/cpu.ScratchLen), which is no part of the plan, like
// its stack. Copies run on the goroutine of their stream, next to the kernels.
//
// Operands in 16 bits are read as they are stored by the kernels that the op table
// calls direct; for the others the command's scratch space has float32 copies.
//
// The kernels use the widest instruction set of the machine, or the one that
// exec.Options names. While a section runs, all workers flush denormal numbers
// to zero, with one worker too, so that neither the number of workers nor who
// takes a piece changes a bit.
//
// [Measure] is not part of running plans: it measures what the machine can do at
// most, which package bench holds an update against.
//
// The engine refuses a plan for another target.
package cpu
