//go:build cuda

package cuda

import (
	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/exec"
)

// ledger follows the device memory that the driver takes for a session beside
// its arenas. The driver says only how much of the device is free, so what other
// processes take or give back meanwhile is in the difference.
type ledger struct {
	free     int64 // of the device, when the context had been made
	before   int64 // in use then
	reserved int64 // the most so far
	at       string
	seen     [ir.NumSections]bool
}

// begin looks at the device before the session has taken anything.
func (l *ledger) begin() error {
	free, total, err := cu.MemInfo()
	l.free, l.before = free, total-free
	return told("ask for the memory in use", err)
}

// look compares the device's memory with what the session allocated.
func (l *ledger) look(allocated int64, at string) error {
	free, _, err := cu.MemInfo()
	if err != nil {
		return told("ask for the memory in use", err)
	}
	if n := l.free - free - allocated; n > l.reserved {
		l.reserved, l.at = n, at
	}
	return nil
}

// firstRun looks after the first run of a section: the driver takes memory for a
// graph, and for what kernels keep outside registers, when they are first used.
func (s *session) firstRun(sec ir.Section) error {
	if s.memory.seen[sec] {
		return nil
	}
	s.memory.seen[sec] = true
	return s.memory.look(s.gpu.device, "first run of "+sec.String())
}

// Accounts is the memory of the session beside the plan's arenas.
func (s *session) Accounts() exec.Accounts {
	return exec.Accounts{Reserved: s.memory.reserved, At: s.memory.at, Before: s.memory.before, Pinned: int64(len(s.gpu.bounce)), Queued: s.queuedSections()}
}
