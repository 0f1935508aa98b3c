package cpu

import "sync/atomic"

// polls is how often a condition is looked at before its waiter sleeps. With a
// pause of about 40 ns between them this is some tens of microseconds: longer
// than the serial parts of a step, shorter than what another process notices.
const polls = 1500

// sleeper lets one goroutine wait for a condition that others make true.
type sleeper struct {
	asleep atomic.Bool
	wake   chan struct{} // one token for each time that asleep went from true to false by rouse
	_      [cacheLine - 16]byte
}

// wait returns when ready holds: it polls for a while, then it sleeps. ready
// must not allocate, and once true must stay so until wait has returned.
func (s *sleeper) wait(spin int, ready func() bool) {
	for range spin {
		if ready() {
			return
		}
		pause()
	}
	for !ready() {
		s.asleep.Store(true)
		if ready() && s.asleep.CompareAndSwap(true, false) {
			return // nobody has seen it asleep, so no token comes
		}
		<-s.wake
	}
}

// rouse wakes the waiter if it sleeps; it is called after the condition has
// become true. Either the waiter sees the condition after it has said that it
// is asleep, or rouse sees that it is.
func (s *sleeper) rouse() {
	if s.asleep.Load() && s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}
