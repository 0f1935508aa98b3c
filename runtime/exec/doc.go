// Package exec is what every engine shares: the interface between the training
// loop and an engine, the walk over a plan's commands, and the binding of
// operands by name.
//
// An [Engine] opens a plan and gives a [Session], which owns memory and
// goroutines until Close. A section is run by a [Walker]: its commands, in list
// order, on three streams. Compute is the calling goroutine, out and in each
// have a goroutine of the session. `record` on a stream marks its event done
// when the commands before it are done; `wait` holds its stream until then. The
// streams start together and join at the end of the section. An error or a
// panic on one stream stops all of them; nothing stays blocked, since an event
// is recorded before it is waited for in the list.
//
// [Operands] gives a kernel its slices and sizes by the names of the op table,
// once, when a plan is opened. What no kernel computes stands here too, in
// float64 on the control buffer: the global norm, the finite check and the clip
// factor ([Clip]).
//
// The package imports no engine and no kernel, and it chooses nothing: order,
// streams and offsets are the plan's.
package exec
