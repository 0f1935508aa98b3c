package cpu

import (
	"runtime"
	"testing"

	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

// TestAllocate: exactly the bytes asked for, zeroed, aligned and writable.
func TestAllocate(t *testing.T) {
	to := uintptr(align)
	if runtime.GOOS == "linux" {
		to = hugeBytes
	}
	p, err := newPool(3, kernel.Go)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for _, n := range []int64{0, 1, 256, 4096, 1<<20 + 256, 5<<20 + 1} {
		a, err := allocate(n)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(a.mem)) != n {
			t.Errorf("%d bytes asked for, %d allocated", n, len(a.mem))
		}
		if n > 0 && base(a.mem)%to != 0 {
			t.Errorf("the base of %d bytes is not aligned to %d", n, to)
		}
		p.touch(a.mem)
		for i, b := range a.mem {
			if b != 0 {
				t.Fatalf("byte %d of %d is %d", i, n, b)
			}
			a.mem[i] = 1
		}
		if err := release(a); err != nil {
			t.Error(err)
		}
	}
	if _, err := allocate(1 << 62); err == nil {
		t.Error("4 EiB are allocated")
	}
}
