package kerneltest

import (
	"fmt"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

func elementwiseCases() []Case {
	var cases []Case
	x, dy := random(10007, 1, 3), random(10007, 2, 1)
	copy(x, f32{0, 1e-30, -1e-30, 5, -5, 12, -12, 30, -30, 300, -300, -100, 100})
	for _, tanh := range []bool{false, true} {
		cases = append(cases, Case{
			Name: fmt.Sprintf("GELU/tanh=%t", tanh),
			run: func(k Kernels, p cpu.Par) []f32 {
				y, dx := unwritten(len(x)), unwritten(len(x))
				k.GELU(p, y, x, tanh)
				k.GELUGrad(p, dx, x, dy, tanh)
				return []f32{y, dx}
			},
			want: func() []f64 {
				y, dx := make(f64, len(x)), make(f64, len(x))
				ref.GELU(y, wide(x), tanh)
				ref.GELUGrad(dx, wide(x), wide(dy), tanh)
				return []f64{y, dx}
			},
		})
	}
	cases = append(cases, Case{
		Name: "Add",
		run: func(k Kernels, p cpu.Par) []f32 {
			y := unwritten(len(x))
			k.Add(p, y, x, dy)
			return []f32{y}
		},
		want: func() []f64 {
			y := make(f64, len(x))
			ref.Add(y, wide(x), wide(dy))
			return []f64{y}
		},
	})
	for _, s := range [][2]int{{1, 1}, {7, 33}, {40, 128}} {
		R, F := s[0], s[1]
		gu, dh := random(2*R*F, 3, 3), random(R*F, 4, 1)
		cases = append(cases, Case{
			Name: fmt.Sprintf("SwiGLU/%dx%d", R, F),
			run: func(k Kernels, p cpu.Par) []f32 {
				h, dgu := unwritten(R*F), unwritten(2*R*F)
				k.SwiGLU(p, h, gu, R, F)
				k.SwiGLUGrad(p, dgu, gu, dh, R, F)
				return []f32{h, dgu}
			},
			want: func() []f64 {
				h, dgu := make(f64, R*F), make(f64, 2*R*F)
				ref.SwiGLU(h, wide(gu), R, F)
				ref.SwiGLUGrad(dgu, wide(gu), wide(dh), R, F)
				return []f64{h, dgu}
			},
		})
	}
	return cases
}
