package kerneltest

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

func updateCases() []Case {
	w, g, m := random(9001, 1, 1), random(9001, 2, 0.1), random(9001, 3, 0.1)
	v := random(9001, 4, 0.1)
	for i := range v {
		v[i] *= v[i]
	}
	adam := cpu.AdamWArgs{LR: 0.01, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, Decay: 0.1, BC1: 1 - math.Pow(0.9, 7), BC2: 1 - math.Pow(0.95, 7), GScale: 0.5}
	cases := []Case{{
		Name: "AdamW",
		run: func(k Kernels, p cpu.Par) []f32 {
			a, b, c := clone(w), clone(m), clone(v)
			k.AdamW(p, a, g, b, c, adam)
			return []f32{a, b, c}
		},
		want: func() []f64 {
			a, b, c := wide(w), wide(m), wide(v)
			ref.AdamW(a, wide(g), b, c, ref.AdamWArgs(adam))
			return []f64{a, b, c}
		},
	}}
	for _, s := range []cpu.SGDArgs{
		{LR: 0.1, GScale: 1},
		{LR: 0.1, Momentum: 0.9, Decay: 0.1, GScale: 0.5, First: true},
		{LR: 0.1, Momentum: 0.9, Decay: 0.1, GScale: 0.5},
		{LR: 0.1, Momentum: 0.9, Decay: 0.1, GScale: 0.5, Nesterov: true},
	} {
		cases = append(cases, Case{
			Name: fmt.Sprintf("SGD/momentum=%g/first=%t/nesterov=%t", s.Momentum, s.First, s.Nesterov),
			run: func(k Kernels, p cpu.Par) []f32 {
				a, b := clone(w), clone(m)
				k.SGD(p, a, g, b, s)
				return []f32{a, b}
			},
			want: func() []f64 {
				a, b := wide(w), wide(m)
				ref.SGD(a, wide(g), b, ref.SGDArgs(s))
				return []f64{a, b}
			},
		})
	}
	for _, n := range []int{0, 1, 17, 65536, 3*65536 + 5} {
		x := random(n, 5, 1)
		cases = append(cases, Case{
			Name: fmt.Sprintf("Norm2/%d", n),
			run: func(k Kernels, p cpu.Par) []f32 {
				return []f32{halves(k.Norm2(x)), halves(k.Norm2Par(p, x))}
			},
			want: func() []f64 {
				n := ref.Norm2(wide(x))
				hi := float64(float32(n))
				return []f64{{hi, n - hi}, {hi, n - hi}}
			},
		})
	}
	return cases
}

// halves splits a float64 into float32 parts, so that all its bits are compared.
func halves(x float64) f32 {
	hi := float32(x)
	mid := float32(x - float64(hi))
	return f32{hi, mid}
}
