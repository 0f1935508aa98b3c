//go:build !linux

package cpu

import (
	"errors"
	"math"
	"unsafe"
)

// allocate makes n zeroed bytes whose base is aligned.
func allocate(n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if n > math.MaxInt-align {
		return nil, errors.New("more than the address space")
	}
	mem := make([]byte, n+align-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(mem))) % align
	return mem[skip:][:n:n], nil
}

// release leaves the memory to the collector.
func release([]byte) error { return nil }
