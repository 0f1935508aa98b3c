//go:build linux

package cpu

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n floats that end where a page begins that cannot be touched.
func guarded(t *testing.T, n int) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	if err := syscall.Mprotect(mem[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&mem[size-4*n])), n)
}

// at copies numbers to guarded memory.
func at(t *testing.T, x []float32) []float32 {
	t.Helper()
	g := guarded(t, len(x))
	copy(g, x)
	return g
}

// TestProductGuard: the packed products touch nothing behind their operands.
func TestProductGuard(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {6, 8, 16}, {7, 9, 17}, {13, 20, 49}, {14, 385, 6}, {54, 7, 54}, {56, 16, 400}} {
		M, K, N := s[0], s[1], s[2]
		for _, u := range tiers() {
			p := SerialISA(u)
			x, w, b, y := at(t, stream(M*K, 1)), at(t, stream(N*K, 2)), at(t, stream(N, 3)), at(t, stream(M*N, 4))
			act := guarded(t, M*N)
			LinearGELU(p, y, act, x, w, b, M, K, N, true)
			LinearDW(p, w, y, x, M, K, N, true)
			LinearDX(p, x, y, w, M, K, N)
			LinearDB(p, b, y, M, N, true)
		}
	}
}

// guardedHalf returns n 16-bit elements that end where a page begins that cannot be touched.
func guardedHalf(t *testing.T, n int, h Half) Matrix {
	t.Helper()
	g := guarded(t, (n+1)/2)
	x := unsafe.Slice((*uint16)(unsafe.Pointer(&g[0])), 2*len(g))[n%2:]
	Narrow(Serial{}, x, stream(n, 1), h)
	return Stored(x, h)
}

// TestStoredGuard: nor do those of 16-bit operands.
func TestStoredGuard(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {6, 8, 16}, {7, 9, 17}, {13, 20, 49}, {14, 385, 6}, {54, 7, 54}, {56, 16, 400}} {
		M, K, N := s[0], s[1], s[2]
		for _, u := range tiers() {
			for _, h := range []Half{BF16, F16} {
				p := SerialISA(u)
				x, w, y, act := guardedHalf(t, M*K, h), guardedHalf(t, N*K, h), guardedHalf(t, M*N, h), guardedHalf(t, M*N, h)
				b, ws, dw := at(t, stream(N, 3)), guarded(t, M*max(N, K)), guarded(t, N*K)
				LinearGELUOf(p, ws, y, act, x, w, b, M, K, N, true)
				LinearDWOf(p, dw, y, x, M, K, N, true)
				LinearDXOf(p, ws, x, y, w, M, K, N)
				LinearDBOf(p, b, y, M, N, true)
				AddOf(p, y, y, act, M*N)
			}
		}
	}
}

// TestRowGuard: the row kernels touch nothing behind their slices.
func TestRowGuard(t *testing.T) {
	for _, u := range tiers() {
		for n := 0; n <= 37; n++ {
			for _, k := range rowKernels {
				in := make([][]float32, k.slices)
				for i := range in {
					in[i] = at(t, stream(n, uint64(i)))
				}
				k.run(u, in)
			}
		}
	}
}

// TestAttentionGuard: neither does attention.
func TestAttentionGuard(t *testing.T) {
	for _, s := range [][4]int{{1, 1, 1, 1}, {5, 2, 1, 3}, {70, 2, 2, 20}, {131, 1, 1, 64}} {
		T, H, G, D := s[0], s[1], s[2], s[3]
		width := (H + 2*G) * D
		for _, u := range tiers() {
			p := SerialISA(u)
			qkv, dqkv := at(t, stream(T*width, 1)), guarded(t, T*width)
			out, dout, lse := guarded(t, T*H*D), at(t, stream(T*H*D, 2)), guarded(t, T*H)
			Attention(p, guarded(t, int(AttentionWorkspace(1, T, H, G, D, 1))), out, lse, qkv, nil, 1, T, H, G, D, 0.5)
			AttentionGrad(p, guarded(t, int(AttentionGradWorkspace(1, T, H, G, D, 1))), dqkv, dout, qkv, out, lse, nil, 1, T, H, G, D, 0.5)
		}
	}
}
