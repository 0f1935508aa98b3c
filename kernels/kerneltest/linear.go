package kerneltest

import (
	"fmt"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

// linearShapes are R, K, N: ones, odd sizes, and sizes around the cache blocks.
func linearShapes() [][3]int {
	return [][3]int{{1, 1, 1}, {2, 3, 3}, {5, 7, 11}, {3, 257, 4}, {130, 33, 65}, {257, 70, 31}, {64, 300, 129}, {259, 5, 96}, {4, 1, 200}, {97, 390, 50}, {50, 40, 401}}
}

func linearCases() []Case {
	var cases []Case
	for _, s := range linearShapes() {
		R, K, N := s[0], s[1], s[2]
		x, w, b, dy := random(R*K, 1, 1), random(N*K, 2, 0.3), random(N, 3, 1), random(R*N, 4, 1)
		dw, db := random(N*K, 5, 1), random(N, 6, 1)
		name := fmt.Sprintf("/%dx%dx%d", R, K, N)
		for _, bias := range []f32{nil, b} {
			cases = append(cases, Case{
				Name: fmt.Sprintf("Linear%s/bias=%t", name, bias != nil),
				run: func(k Kernels, p cpu.Par) []f32 {
					y := unwritten(R * N)
					k.Linear(p, y, x, w, bias, R, K, N)
					return []f32{y}
				},
				want: func() []f64 {
					y := make(f64, R*N)
					ref.Linear(y, wide(x), wide(w), wide(bias), R, K, N)
					return []f64{y}
				},
			})
		}
		for _, tanh := range []bool{false, true} {
			cases = append(cases, Case{
				Name: fmt.Sprintf("LinearGELU%s/tanh=%t", name, tanh),
				run: func(k Kernels, p cpu.Par) []f32 {
					fc, act := unwritten(R*N), unwritten(R*N)
					k.LinearGELU(p, fc, act, x, w, b, R, K, N, tanh)
					return []f32{fc, act}
				},
				want: func() []f64 {
					fc, act := make(f64, R*N), make(f64, R*N)
					ref.LinearGELU(fc, act, wide(x), wide(w), wide(b), R, K, N, tanh)
					return []f64{fc, act}
				},
			})
		}
		cases = append(cases, Case{
			Name: "LinearAdd" + name,
			run: func(k Kernels, p cpu.Par) []f32 {
				y := unwritten(R * N)
				k.LinearAdd(p, y, dy, x, w, b, R, K, N)
				return []f32{y}
			},
			want: func() []f64 {
				y := make(f64, R*N)
				ref.LinearAdd(y, wide(dy), wide(x), wide(w), wide(b), R, K, N)
				return []f64{y}
			},
		}, Case{
			Name: "LinearDX" + name,
			run: func(k Kernels, p cpu.Par) []f32 {
				dx := unwritten(R * K)
				k.LinearDX(p, dx, dy, w, R, K, N)
				return []f32{dx}
			},
			want: func() []f64 {
				dx := make(f64, R*K)
				ref.LinearDX(dx, wide(dy), wide(w), R, K, N)
				return []f64{dx}
			},
		})
		for _, acc := range []bool{false, true} {
			cases = append(cases, Case{
				Name: fmt.Sprintf("LinearDW,DB%s/acc=%t", name, acc),
				run: func(k Kernels, p cpu.Par) []f32 {
					gw, gb := target(dw, acc), target(db, acc)
					k.LinearDW(p, gw, dy, x, R, K, N, acc)
					k.LinearDB(p, gb, dy, R, N, acc)
					return []f32{gw, gb}
				},
				want: func() []f64 {
					gw, gb := start(dw, acc), start(db, acc)
					ref.LinearDW(gw, wide(dy), wide(x), R, K, N, acc)
					ref.LinearDB(gb, wide(dy), R, N, acc)
					return []f64{gw, gb}
				},
			})
		}
	}
	return cases
}
