package cpu

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// allocate maps n zeroed bytes whose base is aligned to a large page. Pages come
// into being when they are first touched, large ones where the kernel has them.
func allocate(n int64) (arena, error) {
	if n == 0 {
		return arena{}, nil
	}
	if n > math.MaxInt-hugeBytes {
		return arena{}, errors.New("more than the address space")
	}
	raw, err := unix.Mmap(-1, 0, int(n)+hugeBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return arena{}, err
	}
	skip := -base(raw) % hugeBytes
	mem := raw[skip:][:n:n]
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // fewer page faults and misses where the kernel has it; nothing depends on it
	return arena{mem, raw}, nil
}

func unmap(raw []byte) error {
	if raw == nil {
		return nil
	}
	return unix.Munmap(raw)
}
