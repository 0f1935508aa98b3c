package cpu

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// allocate maps n zeroed bytes outside the Go heap, where the collector neither
// counts nor scans them. Pages come into being when they are first touched.
func allocate(n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if n > math.MaxInt {
		return nil, errors.New("more than the address space")
	}
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // fewer page faults where the kernel has it; nothing depends on it
	return mem, nil
}

// release gives memory of allocate back; no slice over it may be used again.
func release(mem []byte) error {
	if mem == nil {
		return nil
	}
	return unix.Munmap(mem)
}
