// Package state keeps a run folder: what a run is, what happened, and from where
// it goes on.
//
//	spec.json     the resolved spec
//	plan.json     the plan in use; written last, so a folder with it is complete
//	env.json      program, machine and engine
//	events.jsonl  appended to by package sink
//	lock          held while a process runs the folder
//	state/u00000020/tensors.safetensors  parameters and moments after update 20
//	state/u00000020/state.json           counters, cursor, loss scale, hash of the tensors
//	state/kernels.json  which kernels the engine chose before the first update, where it had a choice
//	DONE          the run has made all its updates
//
// A state is written beside its place, synced and renamed, so the newest one is
// complete whenever the process dies. It holds everything that the next update
// depends on and nothing else (no time of day): a run that is stopped and
// continued has the same state files, byte for byte, as one that was not. A
// state whose content does not match its hashes is reported, and the one before
// it is used.
//
// A folder belongs to one identity (package plan); another one is refused with
// the parts that differ. The package runs nothing and reads no tensor itself.
package state
