package cpu_test

import (
	"math"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/kerneltest"
)

// TestGrid: products large enough to be cut finer than the workers have equal bits for every number of them, and on both vector
// tiers.
func TestGrid(t *testing.T) {
	const R, K, N = 290, 400, 500
	x, w, b, dy := normals(R*K), normals(N*K), normals(N), normals(R*N)
	run := func(p cpu.Par) [][]float32 {
		y, dx, dw := make([]float32, R*N), make([]float32, R*K), make([]float32, N*K)
		cpu.Linear(p, y, x, w, b, R, K, N)
		cpu.LinearDX(p, dx, dy, w, R, K, N)
		cpu.LinearDW(p, dw, dy, x, R, K, N, false)
		return [][]float32{y, dx, dw}
	}
	for i, u := range kerneltest.Tiers() {
		var want [][]float32
		for _, workers := range []int{1, 2, 3, 5} {
			got := run(newTeam(u, workers))
			if workers == 1 && i < 2 { // AVX-512 is held against AVX2
				want = got
			}
			if workers == 1 && i == 2 {
				want = run(newTeam(cpu.AVX2, 1))
			}
			for o := range want {
				for j, v := range want[o] {
					if math.Float32bits(got[o][j]) != math.Float32bits(v) {
						t.Fatalf("%s, %d workers: output %d, element %d is %g, want %g", u, workers, o, j, got[o][j], v)
					}
				}
			}
		}
	}
}
