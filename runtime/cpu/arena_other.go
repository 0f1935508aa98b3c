//go:build !linux

package cpu

import (
	"errors"
	"math"
)

// allocate makes n zeroed bytes whose base is aligned.
func allocate(n int64) (arena, error) {
	if n == 0 {
		return arena{}, nil
	}
	if n > math.MaxInt-align {
		return arena{}, errors.New("more than the address space")
	}
	raw := make([]byte, n+align-1)
	skip := -base(raw) % align
	return arena{raw[skip:][:n:n], raw}, nil
}

// unmap leaves the memory to the collector.
func unmap([]byte) error { return nil }
