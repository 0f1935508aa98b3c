// Package cost predicts time from a device profile: each command takes the
// longer of its arithmetic and its memory traffic (roofline), or its FLOPs over
// the op's own rate where that was measured; a transfer its bytes over the link.
// A launch costs something beside, which a measured rate has in it. The streams
// of a section are played against each other with their events:
//
//	T_rt = bytes/B_out + bytes/B_in,   T_exposed = max(0, T_rt − T_overlap)
//
// where exposed is counted as what compute really waits for. The numbers stand
// or fall with the profile; nothing here chooses an arithmetic.
package cost
