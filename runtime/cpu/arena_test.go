package cpu

import (
	"testing"
	"unsafe"
)

// TestAllocate: exactly the bytes asked for, zeroed, aligned and writable.
func TestAllocate(t *testing.T) {
	for _, n := range []int64{0, 1, 256, 4096, 1<<20 + 256} {
		mem, err := allocate(n)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(mem)) != n {
			t.Errorf("%d bytes asked for, %d allocated", n, len(mem))
		}
		if n > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%align != 0 {
			t.Errorf("the base of %d bytes is not aligned to %d", n, align)
		}
		for i, b := range mem {
			if b != 0 {
				t.Fatalf("byte %d of %d is %d", i, n, b)
			}
			mem[i] = 1
		}
		if err := release(mem); err != nil {
			t.Error(err)
		}
	}
	if _, err := allocate(1 << 62); err == nil {
		t.Error("4 EiB are allocated")
	}
}
