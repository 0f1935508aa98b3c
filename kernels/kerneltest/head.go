package kerneltest

import (
	"fmt"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

// weights returns R weights: none, all, or a third of them zero.
func weights(kind string, R int) f32 {
	w := make(f32, R)
	for r := range w {
		switch {
		case kind == "all", kind == "padded" && r%3 != 1:
			w[r] = 1 + float32(r%4)/4
		}
	}
	return w
}

func headCases() []Case {
	var cases []Case
	for _, s := range [][3]int{{1, 1, 1}, {9, 7, 5}, {130, 33, 257}, {300, 24, 50}} {
		R, C, V := s[0], s[1], s[2]
		x, w, dw, targets := random(R*C, 1, 1), random(V*C, 2, 1), random(V*C, 3, 1), randomIDs(R, V, 4)
		for _, kind := range []string{"none", "all", "padded"} {
			weight := weights(kind, R)
			for _, acc := range []bool{false, true} {
				cases = append(cases, Case{
					Name:  fmt.Sprintf("HeadLoss/%dx%dx%d/%s/acc=%t", R, C, V, kind, acc),
					exact: []int{0, 1, 2},
					run: func(k Kernels, p cpu.Par) []f32 {
						loss, again, dx, g := unwritten(R), unwritten(R), unwritten(R*C), target(dw, acc)
						k.HeadLoss(p, workspace(k.HeadWorkspace(R, C, V, p.Workers())), loss, x, w, targets, weight, R, C, V)
						k.HeadLossGrad(p, workspace(k.HeadWorkspace(R, C, V, p.Workers())), again, dx, g, x, w, targets, weight, 0.25, R, C, V, acc)
						return []f32{loss, again, dx, g}
					},
					want: func() []f64 {
						loss, dx, g := make(f64, R), make(f64, R*C), start(dw, acc)
						ref.HeadLossGrad(loss, dx, g, wide(x), wide(w), targets, wide(weight), 0.25, R, C, V, acc)
						return []f64{loss, loss, dx, g}
					},
				})
			}
		}
	}
	B, T, C, V := 3, 5, 18, 70
	x, w, last := random(B*T*C, 1, 1), random(V*C, 2, 1), ids{4, 0, 2}
	return append(cases, Case{
		Name: "HeadLogits",
		run: func(k Kernels, p cpu.Par) []f32 {
			logits := unwritten(B * V)
			k.HeadLogits(p, logits, x, w, last, B, T, C, V)
			return []f32{logits}
		},
		want: func() []f64 {
			logits := make(f64, B*V)
			ref.HeadLogits(logits, wide(x), wide(w), last, B, T, C, V)
			return []f64{logits}
		},
	})
}
