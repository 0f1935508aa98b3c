package kerneltest

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/ref"
)

func ropeCases() []Case {
	var cases []Case
	for _, s := range [][5]int{{2, 5, 1, 1, 2}, {3, 7, 4, 2, 6}, {2, 33, 3, 3, 32}, {1, 4, 2, 1, 160}} {
		B, T, H, G, D := s[0], s[1], s[2], s[3], s[4]
		R, width := B*T, (H+2*G)*D
		x := random(R*width, 1, 1)
		for _, pos := range []ids{nil, randomIDs(R, 4096, 2)} {
			for _, inverse := range []bool{false, true} {
				cases = append(cases, Case{
					Name: fmt.Sprintf("RoPE/%dx%dx%d,%dx%d/pos=%t/inverse=%t", B, T, H, G, D, pos != nil, inverse),
					run: func(k Kernels, p cpu.Par) []f32 {
						y, place := unwritten(R*width), clone(x)
						k.RoPE(p, y, x, pos, R, T, H, G, D, 10000, inverse)
						k.RoPE(p, place, place, pos, R, T, H, G, D, 10000, inverse)
						return []f32{y, place}
					},
					want: func() []f64 {
						y := make(f64, R*width)
						ref.RoPE(y, wide(x), pos, R, T, H, G, D, 10000, inverse)
						return []f64{y, y}
					},
				})
			}
		}
	}
	return cases
}

// window returns the first visible keys of B sequences of T queries by kind: the last five keys, documents of 37, or
// rows of which some see nothing.
func window(kind string, B, T int) ids {
	if kind == "causal" {
		return nil
	}
	lo := make(ids, B*T)
	for r := range lo {
		i := r % T
		switch kind {
		case "window":
			lo[r] = int32(max(0, i-4))
		case "documents":
			lo[r] = int32(i / 37 * 37)
		case "empty":
			lo[r] = int32(i - i%3)
			if i%5 == 0 || i > T-T/3 || r < T/4 {
				lo[r] = int32(i + 1)
			}
		case "nothing":
			lo[r] = int32(T)
		}
	}
	return lo
}

func attentionCases() []Case {
	var cases []Case
	for _, s := range [][5]int{{1, 1, 1, 1, 1}, {2, 5, 2, 1, 3}, {2, 64, 4, 2, 16}, {1, 67, 3, 3, 8}, {1, 130, 2, 1, 32}, {1, 300, 2, 2, 7}, {1, 3, 1, 1, 300}} {
		for _, kind := range []string{"causal", "window", "documents", "empty", "nothing"} {
			cases = append(cases, attentionCase(kind, s[0], s[1], s[2], s[3], s[4]))
		}
	}
	return append(cases, longAttention())
}

func attentionCase(kind string, B, T, H, G, D int) Case {
	R, width := B*T, (H+2*G)*D
	qkv, dout := random(R*width, 1, 1.5), random(R*H*D, 2, 1)
	lo, scale := window(kind, B, T), 1/math.Sqrt(float64(D))
	return Case{
		Name:  fmt.Sprintf("Attention/%dx%dx%d,%dx%d/%s", B, T, H, G, D, kind),
		exact: []int{0},
		run: func(k Kernels, p cpu.Par) []f32 {
			out, lse, dqkv := unwritten(R*H*D), unwritten(R*H), unwritten(R*width)
			k.Attention(p, workspace(k.AttentionWorkspace(B, T, H, G, D, p.Workers())), out, lse, qkv, lo, B, T, H, G, D, float32(scale))
			k.AttentionGrad(p, workspace(k.AttentionGradWorkspace(B, T, H, G, D, p.Workers())),
				dqkv, dout, qkv, out, lse, lo, B, T, H, G, D, float32(scale))
			return []f32{out, lse, dqkv}
		},
		want: func() []f64 {
			out, lse, dqkv := make(f64, R*H*D), make(f64, R*H), make(f64, R*width)
			ref.Attention(out, lse, wide(qkv), lo, B, T, H, G, D, scale)
			ref.AttentionGrad(dqkv, wide(dout), wide(qkv), out, lse, lo, B, T, H, G, D, scale)
			return []f64{out, lse, dqkv}
		},
	}
}

// longAttention has more keys than a softmax takes at once; its window keeps the reference affordable.
func longAttention() Case {
	const T, D, reach = 8200, 4, 2100
	qkv := random(T*3*D, 1, 1.5)
	lo := make(ids, T)
	for i := range lo {
		lo[i] = int32(max(0, i-reach, i+1-max(1, i%7*i)))
	}
	return Case{
		Name: "Attention/rescaled",
		run: func(k Kernels, p cpu.Par) []f32 {
			out, lse := unwritten(T*D), unwritten(T)
			k.Attention(p, workspace(k.AttentionWorkspace(1, T, 1, 1, D, p.Workers())), out, lse, qkv, lo, 1, T, 1, 1, D, 0.5)
			return []f32{out, lse}
		},
		want: func() []f64 {
			out, lse := make(f64, T*D), make(f64, T)
			ref.Attention(out, lse, wide(qkv), lo, 1, T, 1, 1, D, 0.5)
			return []f64{out, lse}
		},
	}
}
