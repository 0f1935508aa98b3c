// Package null is the engine that computes nothing and checks everything: it
// walks the commands of each section and keeps, for every range of bytes, who
// wrote it and who touched it when. It refuses a read of bytes that the buffer
// did not write, and an access that no event orders after another stream's.
//
// It is a second opinion on plan.Validate, made in another way: Validate keeps
// one history per buffer, this engine one per range, and tests hold one against
// the other. Only plan.Structure is shared, so a plan that Validate refuses for
// an overlap or a race can be opened here and fails in Run with the command and
// the buffer.
//
// It allocates nothing and reports the plan's arenas as allocated. Reads give
// zeros, but the control buffer is kept and clip answers as for a finite
// gradient of norm 0, so that a training loop runs its full course.
package null
