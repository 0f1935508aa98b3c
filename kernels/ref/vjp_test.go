package ref

import (
	"fmt"
	"math"
	"testing"
)

// vjp is one forward function with its gradient, on inputs the test perturbs in place. grad returns the gradient of every input
// for the upstream gradients dy of the outputs.
type vjp struct {
	name    string
	in      [][]float64
	forward func() [][]float64
	grad    func(dy [][]float64) [][]float64
}

// TestVJP holds every gradient against central differences of Σ dy·y: ‖a-n‖/max(‖a‖,‖n‖) <= 1e-6 by input.
func TestVJP(t *testing.T) {
	var all []vjp
	for _, group := range [][]vjp{productVJPs(), activationVJPs(), normVJPs(), ropeVJPs(), attentionVJPs(), embedVJPs(), headVJPs()} {
		all = append(all, group...)
	}
	for _, v := range all {
		t.Run(v.name, v.check)
	}
}

func (v vjp) check(t *testing.T) {
	out := v.forward()
	dy := make([][]float64, len(out))
	for i, y := range out {
		dy[i] = random(len(y), uint64(100+i))
	}
	grads := v.grad(dy)
	for i, x := range v.in {
		num := make([]float64, len(x))
		for j, old := range x {
			h := 1e-5 * max(1, math.Abs(old))
			x[j] = old + h
			up := objective(v.forward(), dy)
			x[j] = old - h
			num[j] = (up - objective(v.forward(), dy)) / (2 * h)
			x[j] = old
		}
		if e := relative(grads[i], num); !(e <= 1e-6) {
			t.Errorf("input %d: relative error %.3g, want at most 1e-6\n got %v\nwant %v", i, e, head(grads[i]), head(num))
		}
	}
}

// objective is Σ dy·y.
func objective(y, dy [][]float64) float64 {
	sum := 0.0
	for i := range y {
		sum += dot(y[i], dy[i])
	}
	return sum
}

// relative is ‖a-n‖ / max(‖a‖,‖n‖).
func relative(a, n []float64) float64 {
	diff := 0.0
	for i := range a {
		diff += (a[i] - n[i]) * (a[i] - n[i])
	}
	if diff == 0 {
		return 0
	}
	return math.Sqrt(diff / max(dot(a, a), dot(n, n)))
}

func head(x []float64) []float64 { return x[:min(6, len(x))] }

// random returns n normal numbers of one stream.
func random(n int, name uint64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = Normal(11, name, uint64(i))
	}
	return x
}

func productVJPs() []vjp {
	const R, K, N = 4, 5, 3
	x, w, b := random(R*K, 1), random(N*K, 2), random(N, 3)
	return []vjp{{"Linear", [][]float64{x, w, b},
		func() [][]float64 {
			y := make([]float64, R*N)
			Linear(y, x, w, b, R, K, N)
			return [][]float64{y}
		},
		func(dy [][]float64) [][]float64 {
			dx, dw, db := make([]float64, R*K), make([]float64, N*K), make([]float64, N)
			LinearDX(dx, dy[0], w, R, K, N)
			LinearDW(dw, dy[0], x, R, K, N, false)
			LinearDB(db, dy[0], R, N, false)
			return [][]float64{dx, dw, db}
		}}}
}

func activationVJPs() []vjp {
	var all []vjp
	for _, tanh := range []bool{false, true} {
		x := random(40, 4)
		all = append(all, vjp{fmt.Sprintf("GELU/tanh=%t", tanh), [][]float64{x},
			func() [][]float64 {
				y := make([]float64, len(x))
				GELU(y, x, tanh)
				return [][]float64{y}
			},
			func(dy [][]float64) [][]float64 {
				dx := make([]float64, len(x))
				GELUGrad(dx, x, dy[0], tanh)
				return [][]float64{dx}
			}})
	}
	const R, F = 3, 5
	gu := random(2*R*F, 5)
	return append(all, vjp{"SwiGLU", [][]float64{gu},
		func() [][]float64 {
			h := make([]float64, R*F)
			SwiGLU(h, gu, R, F)
			return [][]float64{h}
		},
		func(dy [][]float64) [][]float64 {
			dgu := make([]float64, 2*R*F)
			SwiGLUGrad(dgu, gu, dy[0], R, F)
			return [][]float64{dgu}
		}})
}

func normVJPs() []vjp {
	const R, C, eps = 3, 7, 1e-5
	x, w, b := random(R*C, 6), random(C, 7), random(C, 8)
	mean, rstd := make([]float64, R), make([]float64, R)
	layer := vjp{"LayerNorm", [][]float64{x, w, b},
		func() [][]float64 {
			y := make([]float64, R*C)
			LayerNorm(y, mean, rstd, x, w, b, R, C, eps)
			return [][]float64{y}
		},
		func(dy [][]float64) [][]float64 {
			dx, dw, db := make([]float64, R*C), make([]float64, C), make([]float64, C)
			LayerNormGrad(dx, dw, db, dy[0], x, w, mean, rstd, R, C, false)
			return [][]float64{dx, dw, db}
		}}
	rms := vjp{"RMSNorm", [][]float64{x, w},
		func() [][]float64 {
			y := make([]float64, R*C)
			RMSNorm(y, rstd, x, w, R, C, eps)
			return [][]float64{y}
		},
		func(dy [][]float64) [][]float64 {
			dx, dw := make([]float64, R*C), make([]float64, C)
			RMSNormGrad(dx, dw, dy[0], x, w, rstd, R, C, false)
			return [][]float64{dx, dw}
		}}
	return []vjp{layer, rms}
}

func ropeVJPs() []vjp {
	const B, T, H, G, D = 2, 3, 2, 1, 6
	x := random(B*T*(H+2*G)*D, 9)
	return []vjp{{"RoPE", [][]float64{x},
		func() [][]float64 {
			y := make([]float64, len(x))
			RoPE(y, x, nil, B*T, T, H, G, D, 100, false)
			return [][]float64{y}
		},
		func(dy [][]float64) [][]float64 {
			dx := make([]float64, len(x))
			RoPE(dx, dy[0], nil, B*T, T, H, G, D, 100, true)
			return [][]float64{dx}
		}}}
}

func attentionVJPs() []vjp {
	const B, T, D = 2, 5, 3
	var all []vjp
	for _, lo := range [][]int32{nil, {0, 0, 1, 4, 3, 0, 1, 3, 4, 1}} {
		for _, s := range [][2]int{{1, 1}, {4, 2}} {
			H, G := s[0], s[1]
			qkv := random(B*T*(H+2*G)*D, 10)
			out, lse := make([]float64, B*T*H*D), make([]float64, B*T*H)
			all = append(all, vjp{fmt.Sprintf("Attention/H=%d/G=%d/lo=%t", H, G, lo != nil), [][]float64{qkv},
				func() [][]float64 {
					Attention(out, lse, qkv, lo, B, T, H, G, D, 0.6)
					return [][]float64{out}
				},
				func(dy [][]float64) [][]float64 {
					Attention(out, lse, qkv, lo, B, T, H, G, D, 0.6)
					dqkv := make([]float64, len(qkv))
					AttentionGrad(dqkv, dy[0], qkv, out, lse, lo, B, T, H, G, D, 0.6)
					return [][]float64{dqkv}
				}})
		}
	}
	return all
}

func embedVJPs() []vjp {
	const T, R, C, V = 3, 6, 2, 4
	table, pos := random(V*C, 11), random(T*C, 12)
	ids := []int32{1, 3, 1, 0, 1, 3}
	x := random(R*C, 13)
	return []vjp{{"Embed", [][]float64{table, pos},
		func() [][]float64 {
			y := make([]float64, R*C)
			Embed(y, table, pos, ids, nil, R, T, C)
			return [][]float64{y}
		},
		func(dy [][]float64) [][]float64 {
			dt, dp := make([]float64, V*C), make([]float64, T*C)
			EmbedGrad(dt, dy[0], ids, R, V, C, false)
			PosGrad(dp, dy[0], nil, R, T, C, T, false)
			return [][]float64{dt, dp}
		}},
		{"Dropout", [][]float64{x},
			func() [][]float64 {
				y := make([]float64, R*C)
				Dropout(y, x, 0.4, 1, 2, 3, 0, R/T, T, C)
				return [][]float64{y}
			},
			func(dy [][]float64) [][]float64 {
				dx := make([]float64, R*C)
				Dropout(dx, dy[0], 0.4, 1, 2, 3, 0, R/T, T, C)
				return [][]float64{dx}
			}}}
}

// headVJPs: the upstream gradient of HeadLossGrad is c·weight, so the test passes it as weight.
func headVJPs() []vjp {
	const R, C, V, c = 4, 3, 5, 0.5
	x, w := random(R*C, 14), random(V*C, 15)
	targets, mask := []int32{0, 4, 2, 2}, []float64{1, 0, 1, 1}
	return []vjp{{"HeadLoss", [][]float64{x, w},
		func() [][]float64 {
			loss := make([]float64, R)
			HeadLoss(loss, x, w, targets, mask, R, C, V)
			return [][]float64{loss}
		},
		func(dy [][]float64) [][]float64 {
			weight := make([]float64, R)
			for r := range weight {
				weight[r] = dy[0][r] * mask[r] / c
			}
			loss, dx, dw := make([]float64, R), make([]float64, R*C), make([]float64, V*C)
			HeadLossGrad(loss, dx, dw, x, w, targets, weight, c, R, C, V, false)
			return [][]float64{dx, dw}
		}}}
}
