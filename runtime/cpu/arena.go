package cpu

import (
	"errors"
	"unsafe"
)

// arena is memory outside the Go heap where the system allows it, which the
// collector neither counts nor scans.
type arena struct {
	mem []byte // as many bytes as were asked for, from an aligned base
	raw []byte // what the system gave
}

// pageBytes is the step in which memory is touched: no system has smaller pages.
// hugeBytes is the large page that bases are aligned to where there is one.
const (
	pageBytes = 4 << 10
	hugeBytes = 2 << 20
)

// release gives arenas back; no slice over them may be used again.
func release(arenas ...arena) error {
	var errs []error
	for i := range arenas {
		errs = append(errs, unmap(arenas[i].raw))
		arenas[i] = arena{}
	}
	return errors.Join(errs...)
}

// touch makes the system provide the pages of zeroed memory now, on all workers,
// instead of one by one in the first step.
func (p *pool) touch(mem []byte) {
	p.For((len(mem)+hugeBytes-1)/hugeBytes, 1, func(lo, hi, _ int) {
		for i := lo * hugeBytes; i < min(hi*hugeBytes, len(mem)); i += pageBytes {
			mem[i] = 0
		}
	})
}

// elements is memory as elements of T; its base must be aligned for T.
func elements[T float32 | float64 | int32 | uint16](mem []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/int(unsafe.Sizeof(zero)))
}

// base is the address that memory starts at.
func base(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }
