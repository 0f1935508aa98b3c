package cpu

// pause tells the processor that a loop polls: it takes some tens of nanoseconds
// and leaves the core to others meanwhile.
//
//go:noescape
func pause()
