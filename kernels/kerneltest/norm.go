package kerneltest

import (
	"fmt"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

const eps = 1e-5

func normCases() []Case {
	var cases []Case
	for _, s := range [][2]int{{1, 1}, {1, 16}, {5, 7}, {33, 50}, {70, 96}, {3, 769}} {
		R, C := s[0], s[1]
		x, w, b, dy := random(R*C, 1, 2), random(C, 2, 1), random(C, 3, 1), random(R*C, 4, 1)
		if C == 1 { // a row of one element has variance 0 and a gradient that is all rounding
			dy = make(f32, R*C)
		}
		dw, db := random(C, 5, 1), random(C, 6, 1)
		for _, bias := range []f32{nil, b} {
			for _, acc := range []bool{false, true} {
				name := fmt.Sprintf("/%dx%d/bias=%t/acc=%t", R, C, bias != nil, acc)
				cases = append(cases, layerNormCase("LayerNorm"+name, x, w, bias, dy, dw, db, R, C, acc))
			}
		}
		for _, acc := range []bool{false, true} {
			cases = append(cases, rmsNormCase(fmt.Sprintf("RMSNorm/%dx%d/acc=%t", R, C, acc), x, w, dy, dw, R, C, acc))
		}
	}
	return cases
}

func layerNormCase(name string, x, w, b, dy, dw, db f32, R, C int, acc bool) Case {
	return Case{
		Name: name,
		run: func(k Kernels, p cpu.Par) []f32 {
			y, mean, rstd, again := unwritten(R*C), unwritten(R), unwritten(R), unwritten(R*C)
			k.LayerNorm(p, y, mean, rstd, x, w, b, R, C, eps)
			k.LayerNormApply(p, again, x, mean, rstd, w, b, R, C)
			dx, gw, gb := unwritten(R*C), target(dw, acc), f32(nil)
			if b != nil {
				gb = target(db, acc)
			}
			k.LayerNormGrad(p, dx, gw, gb, dy, x, w, mean, rstd, R, C, acc)
			return []f32{y, again, mean, rstd, dx, gw, gb}
		},
		want: func() []f64 {
			y, mean, rstd := make(f64, R*C), make(f64, R), make(f64, R)
			ref.LayerNorm(y, mean, rstd, wide(x), wide(w), wide(b), R, C, eps)
			dx, gw, gb := make(f64, R*C), start(dw, acc), f64(nil)
			if b != nil {
				gb = start(db, acc)
			}
			ref.LayerNormGrad(dx, gw, gb, wide(dy), wide(x), wide(w), mean, rstd, R, C, acc)
			return []f64{y, y, mean, rstd, dx, gw, gb}
		},
	}
}

func rmsNormCase(name string, x, w, dy, dw f32, R, C int, acc bool) Case {
	return Case{
		Name: name,
		run: func(k Kernels, p cpu.Par) []f32 {
			y, rstd, again := unwritten(R*C), unwritten(R), unwritten(R*C)
			k.RMSNorm(p, y, rstd, x, w, R, C, eps)
			k.RMSNormApply(p, again, x, rstd, w, R, C)
			dx, gw := unwritten(R*C), target(dw, acc)
			k.RMSNormGrad(p, dx, gw, dy, x, w, rstd, R, C, acc)
			return []f32{y, again, rstd, dx, gw}
		},
		want: func() []f64 {
			y, rstd := make(f64, R*C), make(f64, R)
			ref.RMSNorm(y, rstd, wide(x), wide(w), R, C, eps)
			dx, gw := make(f64, R*C), start(dw, acc)
			ref.RMSNormGrad(dx, gw, wide(dy), wide(x), wide(w), rstd, R, C, acc)
			return []f64{y, y, rstd, dx, gw}
		},
	}
}
