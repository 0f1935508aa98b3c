package cpu_test

import (
	"fmt"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// ones returns n small positive numbers.
func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%7+1) / 16
	}
	return x
}

// normals returns n normal numbers: signs no branch predictor knows.
func normals(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(cpu.Normal(1, 2, uint64(i)))
	}
	return x
}

// rate reports the rate of b.N runs of flops each, in GFLOP/s, on one core.
func rate(b *testing.B, flops int) {
	b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkLinear(b *testing.B) {
	for _, s := range [][3]int{{256, 768, 768}, {2048, 96, 96}, {2048, 96, 288}, {2048, 96, 384}, {2048, 384, 96}, {2048, 96, 256}} {
		R, K, N := s[0], s[1], s[2]
		x, w, y, bias := ones(R*K), ones(N*K), ones(R*N), ones(N)
		name := fmt.Sprintf("%dx%dx%d", R, K, N)
		b.Run("NT/"+name, func(b *testing.B) {
			for b.Loop() {
				cpu.Linear(cpu.Serial{}, y, x, w, bias, R, K, N)
			}
			rate(b, 2*R*K*N)
		})
		b.Run("NN/"+name, func(b *testing.B) {
			for b.Loop() {
				cpu.LinearDX(cpu.Serial{}, x, y, w, R, K, N)
			}
			rate(b, 2*R*K*N)
		})
		b.Run("TN/"+name, func(b *testing.B) {
			for b.Loop() {
				cpu.LinearDW(cpu.Serial{}, w, y, x, R, K, N, false)
			}
			rate(b, 2*R*K*N)
		})
	}
}

func BenchmarkHeadLossGrad(b *testing.B) {
	const R, C, V = 2048, 96, 256
	x, w, dx, dw, loss, weight := ones(R*C), ones(V*C), ones(R*C), ones(V*C), ones(R), ones(R)
	targets := make([]int32, R)
	ws := make([]float32, cpu.HeadWorkspace(R, C, V, 1))
	for b.Loop() {
		cpu.HeadLossGrad(cpu.Serial{}, ws, loss, dx, dw, x, w, targets, weight, 1, R, C, V, true)
	}
	rate(b, 6*R*C*V)
}

func BenchmarkAttention(b *testing.B) {
	for _, s := range [][4]int{{32, 64, 4, 24}, {8, 256, 6, 64}, {1, 1024, 4, 64}} {
		B, T, H, D := s[0], s[1], s[2], s[3]
		qkv, dqkv := ones(B*T*3*H*D), ones(B*T*3*H*D)
		out, dout, lse := ones(B*T*H*D), ones(B*T*H*D), ones(B*T*H)
		ws := make([]float32, max(cpu.AttentionWorkspace(B, T, H, H, D, 1), cpu.AttentionGradWorkspace(B, T, H, H, D, 1)))
		flops := 2 * B * H * D * T * (T + 1) // two products over the visible half
		name := fmt.Sprintf("%dx%dx%dx%d", B, T, H, D)
		b.Run("forward/"+name, func(b *testing.B) {
			for b.Loop() {
				cpu.Attention(cpu.Serial{}, ws, out, lse, qkv, nil, B, T, H, H, D, 0.125)
			}
			rate(b, flops)
		})
		b.Run("backward/"+name, func(b *testing.B) {
			for b.Loop() {
				cpu.AttentionGrad(cpu.Serial{}, ws, dqkv, dout, qkv, out, lse, nil, B, T, H, H, D, 0.125)
			}
			rate(b, flops*5/2)
		})
	}
}

func BenchmarkElementwise(b *testing.B) {
	const n, C = 1 << 18, 256
	x, y, dy := normals(n), ones(n), normals(n)
	m, v, stat, wt := ones(n), ones(n), ones(n/C), ones(C)
	dw, db := ones(C), ones(C)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/elem")
		})
	}
	run("GELU/erf", func() { cpu.GELU(cpu.Serial{}, y, x, false) })
	run("GELU/tanh", func() { cpu.GELU(cpu.Serial{}, y, x, true) })
	run("GELUGrad/erf", func() { cpu.GELUGrad(cpu.Serial{}, y, x, dy, false) })
	run("GELUGrad/tanh", func() { cpu.GELUGrad(cpu.Serial{}, y, x, dy, true) })
	run("SwiGLU", func() { cpu.SwiGLU(cpu.Serial{}, y, x, n/C/2, C) })
	run("Add", func() { cpu.Add(cpu.Serial{}, y, x, dy) })
	run("LayerNorm", func() { cpu.LayerNorm(cpu.Serial{}, y, stat, stat, x, wt, wt, n/C, C, 1e-5) })
	run("LayerNormGrad", func() { cpu.LayerNormGrad(cpu.Serial{}, y, dw, db, dy, x, wt, stat, stat, n/C, C, false) })
	run("Dropout", func() { cpu.Dropout(cpu.Serial{}, y, x, 0.1, 1, 1, 0, 0, n/C/16, 16, C) })
	run("Norm2", func() { cpu.Norm2(x) })
	run("RoPE", func() { cpu.RoPE(cpu.Serial{}, y, x, nil, n/C, 64, 2, 1, C/4, 1e4, false) })
	run("AdamW", func() {
		cpu.AdamW(cpu.Serial{}, y, dy, m, v, cpu.AdamWArgs{LR: 1e-9, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, BC1: 1, BC2: 1, GScale: 1})
	})
}
