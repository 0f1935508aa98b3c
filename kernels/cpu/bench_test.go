package cpu_test

import (
	"fmt"
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/kerneltest"
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
		x[i] = float32(cpu.Normal(1, 2, uint64(i%65536)))
	}
	return x
}

// each runs f as a benchmark for every tier of this machine, on one worker and on two.
func each(b *testing.B, f func(b *testing.B, p *team)) {
	for _, u := range kerneltest.Tiers() {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/%d", u, workers), func(b *testing.B) { f(b, newTeam(u, workers)) })
		}
	}
}

// rate runs f as a benchmark and reports its rate, n units a run.
func rate(b *testing.B, name, unit string, n int, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
	})
}

// BenchmarkPeak is the rate that multiply-adds in registers reach: products are fractions of it.
func BenchmarkPeak(b *testing.B) {
	each(b, func(b *testing.B, p *team) {
		lanes := int(cpu.Peak(cpu.SerialISA(p.isa), 1))
		rate(b, "registers", "GFLOP/s", 100000*lanes*p.Workers(), func() { cpu.Peak(p, 100000) })
	})
}

func BenchmarkLinear(b *testing.B) {
	each(b, func(b *testing.B, p *team) {
		for _, s := range [][3]int{{256, 768, 768}, {256, 768, 2304}, {256, 768, 3072}, {256, 3072, 768}, {2048, 96, 384}, {2048, 384, 96}, {128, 768, 50257}, {1, 768, 50257}} {
			R, K, N := s[0], s[1], s[2]
			x, w, y, bias := ones(R*K), ones(N*K), ones(R*N), ones(N)
			name := fmt.Sprintf("%dx%dx%d", R, K, N)
			rate(b, "NT/"+name, "GFLOP/s", 2*R*K*N, func() { cpu.Linear(p, y, x, w, bias, R, K, N) })
			rate(b, "NN/"+name, "GFLOP/s", 2*R*K*N, func() { cpu.LinearDX(p, x, y, w, R, K, N) })
			rate(b, "TN/"+name, "GFLOP/s", 2*R*K*N, func() { cpu.LinearDW(p, w, y, x, R, K, N, false) })
		}
	})
}

// BenchmarkStored holds products of 16-bit matrices, widened while they are packed, against those of float32.
func BenchmarkStored(b *testing.B) {
	stored := func(p cpu.Par, x []float32) cpu.Matrix {
		y := make([]uint16, len(x))
		cpu.Narrow(p, y, x, cpu.BF16)
		return cpu.Stored(y, cpu.BF16)
	}
	each(b, func(b *testing.B, p *team) {
		for _, s := range [][3]int{{1024, 768, 768}, {1024, 768, 3072}, {1024, 3072, 768}} {
			R, K, N := s[0], s[1], s[2]
			ws, dw, bias := ones(R*max(N, K)), ones(N*K), ones(N)
			x, w, y := normals(R*K), normals(N*K), normals(R*N)
			for _, t := range []struct {
				name    string
				x, w, y cpu.Matrix
			}{{"f32", cpu.F32(x), cpu.F32(w), cpu.F32(y)}, {"bf16", stored(p, x), stored(p, w), stored(p, y)}} {
				name := fmt.Sprintf("%s/%dx%dx%d", t.name, R, K, N)
				rate(b, "NT/"+name, "GFLOP/s", 2*R*K*N, func() { cpu.LinearOf(p, ws, t.y, t.x, t.w, bias, R, K, N) })
				rate(b, "NN/"+name, "GFLOP/s", 2*R*K*N, func() { cpu.LinearDXOf(p, ws, t.x, t.y, t.w, R, K, N) })
				rate(b, "TN/"+name, "GFLOP/s", 2*R*K*N, func() { cpu.LinearDWOf(p, dw, t.y, t.x, R, K, N, false) })
			}
		}
	})
}

func BenchmarkLinearGELU(b *testing.B) {
	const R, K, N = 256, 768, 3072
	x, w, y, act, bias := normals(R*K), normals(N*K), ones(R*N), ones(R*N), ones(N)
	each(b, func(b *testing.B, p *team) {
		rate(b, "tanh", "GFLOP/s", 2*R*K*N, func() { cpu.LinearGELU(p, y, act, x, w, bias, R, K, N, true) })
	})
}

func BenchmarkHead(b *testing.B) {
	for _, s := range [][3]int{{2048, 96, 256}, {256, 768, 50257}} {
		R, C, V := s[0], s[1], s[2]
		x, w, dx, dw, loss, weight := normals(R*C), normals(V*C), ones(R*C), ones(V*C), ones(R), ones(R)
		targets := make([]int32, R)
		ws := make([]float32, cpu.HeadWorkspace(R, C, V, 2))
		each(b, func(b *testing.B, p *team) {
			name := fmt.Sprintf("%dx%dx%d", R, C, V)
			rate(b, "loss/"+name, "GFLOP/s", 2*R*C*V, func() { cpu.HeadLoss(p, ws, loss, x, w, targets, weight, R, C, V) })
			rate(b, "grad/"+name, "GFLOP/s", 6*R*C*V, func() {
				cpu.HeadLossGrad(p, ws, loss, dx, dw, x, w, targets, weight, 1, R, C, V, true)
			})
		})
	}
}

// BenchmarkAttention counts the products over the visible half: two forward, five backward.
func BenchmarkAttention(b *testing.B) {
	for _, s := range [][4]int{{32, 64, 4, 24}, {4, 64, 12, 64}, {4, 256, 12, 64}, {1, 1024, 12, 64}} {
		B, T, H, D := s[0], s[1], s[2], s[3]
		qkv, dqkv := normals(B*T*3*H*D), ones(B*T*3*H*D)
		out, dout, lse := ones(B*T*H*D), normals(B*T*H*D), ones(B*T*H)
		ws := make([]float32, max(cpu.AttentionWorkspace(B, T, H, H, D, 2), cpu.AttentionGradWorkspace(B, T, H, H, D, 2)))
		flops := 2 * B * H * D * T * (T + 1)
		each(b, func(b *testing.B, p *team) {
			name := fmt.Sprintf("%dx%dx%dx%d", B, T, H, D)
			rate(b, "forward/"+name, "GFLOP/s", flops, func() { cpu.Attention(p, ws, out, lse, qkv, nil, B, T, H, H, D, 0.125) })
			rate(b, "backward/"+name, "GFLOP/s", flops*5/2, func() {
				cpu.AttentionGrad(p, ws, dqkv, dout, qkv, out, lse, nil, B, T, H, H, D, 0.125)
			})
		})
	}
}

func BenchmarkRows(b *testing.B) {
	const R, C = 1024, 768
	const n = R * C
	x, y, dy := normals(n), ones(n), normals(n)
	m, v, stat, wt := ones(n), ones(n), ones(R), ones(C)
	dw, db := ones(C), ones(C)
	each(b, func(b *testing.B, p *team) {
		run := func(name string, f func()) { rate(b, name, "Gelem/s", n, f) }
		run("GELU/erf", func() { cpu.GELU(p, y, x, false) })
		run("GELU/tanh", func() { cpu.GELU(p, y, x, true) })
		run("GELUGrad/erf", func() { cpu.GELUGrad(p, y, x, dy, false) })
		run("GELUGrad/tanh", func() { cpu.GELUGrad(p, y, x, dy, true) })
		run("SwiGLU", func() { cpu.SwiGLU(p, y, x, R, C/2) })
		run("SwiGLUGrad", func() { cpu.SwiGLUGrad(p, y, x, dy, R, C/2) })
		run("Add", func() { cpu.Add(p, y, x, dy) })
		run("LayerNorm", func() { cpu.LayerNorm(p, y, stat, stat, x, wt, wt, R, C, 1e-5) })
		run("LayerNormGrad", func() { cpu.LayerNormGrad(p, y, dw, db, dy, x, wt, stat, stat, R, C, false) })
		run("RMSNorm", func() { cpu.RMSNorm(p, y, stat, x, wt, R, C, 1e-5) })
		run("RMSNormGrad", func() { cpu.RMSNormGrad(p, y, dw, dy, x, wt, stat, R, C, false) })
		run("LinearDB", func() { cpu.LinearDB(p, db, dy, R, C, false) })
		run("RoPE", func() { cpu.RoPE(p, y, x, nil, R, 256, 4, 4, C/12, 1e4, false) })
		run("Dropout", func() { cpu.Dropout(p, y, x, 0.1, 1, 1, 0, 0, R/256, 256, C) })
		run("Norm2", func() { cpu.Norm2Par(p, x) })
		run("AdamW", func() {
			cpu.AdamW(p, y, dy, m, v, cpu.AdamWArgs{LR: 1e-9, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, BC1: 1, BC2: 1, GScale: 1})
		})
		run("SGD", func() { cpu.SGD(p, y, dy, m, cpu.SGDArgs{LR: 1e-9, Momentum: 0.9, GScale: 1}) })
	})
}

func BenchmarkEmbed(b *testing.B) {
	const R, C, V, T = 1024, 768, 50257, 256
	table, pos, x := ones(V*C), ones(T*C), ones(R*C)
	ids := make([]int32, R)
	for i := range ids {
		ids[i] = int32(i * 7919 % V)
	}
	each(b, func(b *testing.B, p *team) {
		rate(b, "forward", "Gelem/s", R*C, func() { cpu.Embed(p, x, table, pos, ids, nil, R, T, C) })
		rate(b, "rows", "Gelem/s", R*C, func() { cpu.EmbedRows(p, table, x, ids, R, C, V, true) })
		rate(b, "add", "Gelem/s", R*C, func() { cpu.EmbedAdd(p, table, x, ids, R, C) })
		rate(b, "positions", "Gelem/s", R*C, func() { cpu.PosGrad(p, pos, x, nil, R, T, C, T, false) })
	})
}

// BenchmarkAdamW is larger than every cache: 28 bytes of memory traffic an element.
func BenchmarkAdamW(b *testing.B) {
	const n = 16 << 20
	w, g, m, v := ones(n), normals(n), ones(n), ones(n)
	a := cpu.AdamWArgs{LR: 1e-9, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, BC1: 1, BC2: 1, GScale: 1}
	each(b, func(b *testing.B, p *team) {
		rate(b, "16Mi", "GB/s", 28*n, func() { cpu.AdamW(p, w, g, m, v, a) })
	})
}
