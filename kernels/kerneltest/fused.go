package kerneltest

import (
	"math"

	"github.com/gradcue/gradcue/kernels/cpu"
)

// fusedEqualities say that a fused kernel has the bits of the kernels it fuses, a kernel that recomputes those of the kernel
// that computed, and that rows and sequences do not depend on the batch they are in.
func fusedEqualities() []Same {
	return []Same{geluEquality(false), geluEquality(true), residualEquality(), layerNormEquality(), rmsNormEquality(), lossEquality(), norm2Equality(),
		rowEquality(), sequenceEquality(), emptyQueryEquality(), dropoutEquality()}
}

func geluEquality(tanh bool) Same {
	const R, K, N = 70, 33, 50
	x, w, b := random(R*K, 1, 1), random(N*K, 2, 1), random(N, 3, 1)
	name := "Fused/LinearGELU=Linear,GELU"
	if tanh {
		name += "/tanh"
	}
	return Same{name,
		func(k Kernels) []f32 {
			fc, act := unwritten(R*N), unwritten(R*N)
			k.LinearGELU(Pool(2), fc, act, x, w, b, R, K, N, tanh)
			return []f32{fc, act}
		},
		func(k Kernels) []f32 {
			fc, act := unwritten(R*N), unwritten(R*N)
			k.Linear(cpu.Serial{}, fc, x, w, b, R, K, N)
			k.GELU(cpu.Serial{}, act, fc, tanh)
			return []f32{fc, act}
		}}
}

func residualEquality() Same {
	const R, K, N = 70, 33, 50
	r, x, w, b := random(R*N, 4, 1), random(R*K, 1, 1), random(N*K, 2, 1), random(N, 3, 1)
	return Same{"Fused/LinearAdd=Linear,Add",
		func(k Kernels) []f32 {
			y := unwritten(R * N)
			k.LinearAdd(Pool(2), y, r, x, w, b, R, K, N)
			return []f32{y}
		},
		func(k Kernels) []f32 {
			y := unwritten(R * N)
			k.Linear(cpu.Serial{}, y, x, w, b, R, K, N)
			k.Add(cpu.Serial{}, y, r, y)
			return []f32{y}
		}}
}

func layerNormEquality() Same {
	const R, C = 9, 77
	x, w, b := random(R*C, 1, 1), random(C, 2, 1), random(C, 3, 1)
	forward := func(k Kernels) (y, mean, rstd f32) {
		y, mean, rstd = unwritten(R*C), unwritten(R), unwritten(R)
		k.LayerNorm(cpu.Serial{}, y, mean, rstd, x, w, b, R, C, eps)
		return y, mean, rstd
	}
	return Same{"Fused/LayerNormApply=LayerNorm",
		func(k Kernels) []f32 {
			_, mean, rstd := forward(k)
			y := unwritten(R * C)
			k.LayerNormApply(Pool(2), y, x, mean, rstd, w, b, R, C)
			return []f32{y}
		},
		func(k Kernels) []f32 {
			y, _, _ := forward(k)
			return []f32{y}
		}}
}

func rmsNormEquality() Same {
	const R, C = 9, 77
	x, w := random(R*C, 1, 1), random(C, 2, 1)
	return Same{"Fused/RMSNormApply=RMSNorm",
		func(k Kernels) []f32 {
			y, rstd, again := unwritten(R*C), unwritten(R), unwritten(R*C)
			k.RMSNorm(cpu.Serial{}, y, rstd, x, w, R, C, eps)
			k.RMSNormApply(Pool(2), again, x, rstd, w, R, C)
			return []f32{again}
		},
		func(k Kernels) []f32 {
			y, rstd := unwritten(R*C), unwritten(R)
			k.RMSNorm(cpu.Serial{}, y, rstd, x, w, R, C, eps)
			return []f32{y}
		}}
}

func lossEquality() Same {
	const R, C, V = 150, 20, 37
	x, w, targets, weight := random(R*C, 1, 1), random(V*C, 2, 1), randomIDs(R, V, 3), weights("padded", R)
	return Same{"Fused/HeadLossGrad=HeadLoss",
		func(k Kernels) []f32 {
			loss, dx, dw := unwritten(R), unwritten(R*C), unwritten(V*C)
			k.HeadLossGrad(Pool(2), workspace(k.HeadWorkspace(R, C, V, 2)), loss, dx, dw, x, w, targets, weight, 0.5, R, C, V, false)
			return []f32{loss}
		},
		func(k Kernels) []f32 {
			loss := unwritten(R)
			k.HeadLoss(cpu.Serial{}, workspace(k.HeadWorkspace(R, C, V, 1)), loss, x, w, targets, weight, R, C, V)
			return []f32{loss}
		}}
}

// norm2Equality compares all 64 bits, as two words.
func norm2Equality() Same {
	x := random(5*65536+77, 1, 1)
	words := func(v float64) []f32 {
		b := math.Float64bits(v)
		return []f32{{math.Float32frombits(uint32(b)), math.Float32frombits(uint32(b >> 32))}}
	}
	return Same{"Fused/Norm2Par=Norm2",
		func(k Kernels) []f32 { return words(k.Norm2Par(Pool(3), x)) },
		func(k Kernels) []f32 { return words(k.Norm2(x)) }}
}

// rowEquality: rows computed a few at a time are the rows computed together.
func rowEquality() Same {
	const R, K, N = 67, 40, 50
	x, w, b, dy := random(R*K, 1, 1), random(N*K, 2, 1), random(N, 3, 1), random(R*N, 4, 1)
	run := func(k Kernels, cuts ...int) []f32 {
		y, dx := unwritten(R*N), unwritten(R*K)
		for i := range len(cuts) - 1 {
			lo, n := cuts[i], cuts[i+1]-cuts[i]
			k.Linear(cpu.Serial{}, y[lo*N:], x[lo*K:], w, b, n, K, N)
			k.LinearDX(cpu.Serial{}, dx[lo*K:], dy[lo*N:], w, n, K, N)
		}
		return []f32{y, dx}
	}
	return Same{"Rows/Linear,LinearDX/split",
		func(k Kernels) []f32 { return run(k, 0, 1, 4, 6, 39, R) },
		func(k Kernels) []f32 { return run(k, 0, R) }}
}

// sequenceEquality: sequences one at a time are the sequences of a batch.
func sequenceEquality() Same {
	const B, T, H, G, D = 3, 70, 4, 2, 8
	const width = (H + 2*G) * D
	qkv, dout, lo := random(B*T*width, 1, 1), random(B*T*H*D, 2, 1), window("empty", B, T)
	run := func(k Kernels, n int) []f32 {
		out, lse, dqkv := unwritten(B*T*H*D), unwritten(B*T*H), unwritten(B*T*width)
		for b := 0; b < B; b += n {
			r := b * T
			o, l := out[r*H*D:(r+n*T)*H*D], lse[r*H:(r+n*T)*H]
			x, first := qkv[r*width:(r+n*T)*width], lo[r:r+n*T]
			k.Attention(cpu.Serial{}, workspace(k.AttentionWorkspace(n, T, H, G, D, 1)), o, l, x, first, n, T, H, G, D, 0.3)
			k.AttentionGrad(cpu.Serial{}, workspace(k.AttentionGradWorkspace(n, T, H, G, D, 1)),
				dqkv[r*width:(r+n*T)*width], dout[r*H*D:(r+n*T)*H*D], x, o, l, first, n, T, H, G, D, 0.3)
		}
		return []f32{out, lse, dqkv}
	}
	return Same{"Rows/Attention/split",
		func(k Kernels) []f32 { return run(k, 1) },
		func(k Kernels) []f32 { return run(k, B) }}
}

// emptyQueryEquality: a query that sees no key has gradient exactly +0, next to queries that see some.
func emptyQueryEquality() Same {
	const T, H, D = 70, 2, 8
	const width = 3 * H * D
	qkv, dout, lo := random(T*width, 1, 1), random(T*H*D, 2, 1), window("empty", 1, T)
	return Same{"Zero/AttentionGrad/empty queries",
		func(k Kernels) []f32 {
			out, lse, dqkv := unwritten(T*H*D), unwritten(T*H), unwritten(T*width)
			k.Attention(cpu.Serial{}, workspace(k.AttentionWorkspace(1, T, H, H, D, 1)), out, lse, qkv, lo, 1, T, H, H, D, 0.3)
			k.AttentionGrad(cpu.Serial{}, workspace(k.AttentionGradWorkspace(1, T, H, H, D, 1)), dqkv, dout, qkv, out, lse, lo, 1, T, H, H, D, 0.3)
			var dq f32
			for i := range T {
				if int(lo[i]) > i {
					dq = append(dq, dqkv[i*width:i*width+H*D]...)
				}
			}
			return []f32{dq}
		},
		func(Kernels) []f32 {
			empty := 0
			for i := range T {
				if int(lo[i]) > i {
					empty++
				}
			}
			return []f32{make(f32, empty*H*D)}
		}}
}

// dropoutEquality: the mask belongs to the sequence's place in the window.
func dropoutEquality() Same {
	const B, T, C = 4, 5, 7
	x := random(B*T*C, 1, 1)
	run := func(k Kernels, n int) []f32 {
		y := unwritten(B * T * C)
		for b := 0; b < B; b += n {
			k.Dropout(cpu.Serial{}, y[b*T*C:], x[b*T*C:], 0.5, 9, 3, 2, 10+b, n, T, C)
		}
		return []f32{y}
	}
	return Same{"Rows/Dropout/split",
		func(k Kernels) []f32 { return run(k, 2) },
		func(k Kernels) []f32 { return run(k, B) }}
}
