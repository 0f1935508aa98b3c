// Package bench measures how fast an engine makes updates of a plan, and how far
// that is from what the machine can do.
//
// [Run] makes whole updates as a training run does, without saving: inputs are
// written, K micro-batches and the update run, the token losses are read. After
// some that are not counted, every update and every command in it is timed. The
// [Report] has medians: of an update, and for each kind of work of the sum over
// its commands' medians. Beside them stand the limits that they are held
// against, measured in the same minutes (cpu.Measure): multiply-adds on
// registers, before and after the updates, the better of the two; and a copy
// beyond the caches. An engine on a device brings limits of its own, and has its
// commands timed apart from the updates, since it waits for each that is observed.
//
//	rate      = FLOPs / time       FLOPs as the op table counts them: two for a multiply-add
//	fraction  = rate / peak
//	bandwidth = bytes / time       each operand read and each result written once
//
// Work that is repeated (recomputed activations) counts as often as it is done.
// Head products count every position, so masks that leave many out make a rate
// look better than it is; the random tokens used without data leave none out.
//
// Other processes disturb. Where the caller can say how much processor time they
// took, an update during which it was more than 4 % of the machine is not
// counted, as long as three remain; [Report.Clean] says how many were counted.
//
// It is no profiler and no training run: the text is a few windows over and
// over, and nothing is kept. Times are those of the clock it is given.
package bench
