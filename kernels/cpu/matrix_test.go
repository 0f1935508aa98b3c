package cpu

import (
	"fmt"
	"math"
	"testing"
)

// everyTier is plain Go and the vector tiers of this machine.
func everyTier() []ISA { return append([]ISA{Go}, tiers()...) }

// halved returns numbers in 16 bits, and the same numbers in float32.
func halved(n int, name uint64, h Half) (Matrix, []float32) {
	narrow, wide := make([]uint16, n), make([]float32, n)
	Narrow(Serial{}, narrow, stream(n, name), h)
	Widen(Serial{}, wide, narrow, h)
	return Stored(narrow, h), wide
}

// empty is a 16-bit matrix to be written.
func empty(n int, h Half) Matrix {
	x := make([]uint16, n)
	for i := range x {
		x[i] = 0xffff // NaN in both types
	}
	return Stored(x, h)
}

// wantBits fails where got differs from want rounded to the type of got.
func wantBits(t *testing.T, what string, got Matrix, want []float32) {
	t.Helper()
	w := want
	if got.half() {
		w = append([]float32(nil), want...)
		Round(Serial{}, w, got.kind)
	}
	g := got.row(Go, make([]float32, len(w)), 0, len(w))
	for i := range w {
		if math.Float32bits(g[i]) != math.Float32bits(w[i]) {
			t.Fatalf("%s: element %d is %x, want %x", what, i, g[i], w[i])
		}
	}
}

// everyHalf runs a test on each tier for each 16-bit type.
func everyHalf(t *testing.T, name string, f func(t *testing.T, p SerialISA, h Half)) {
	for _, u := range everyTier() {
		for i, h := range []Half{BF16, F16} {
			t.Run(fmt.Sprintf("%s/%s/%s", name, u, []string{"bf16", "f16"}[i]), func(t *testing.T) { f(t, SerialISA(u), h) })
		}
	}
}

// TestStoredProducts: a product of 16-bit operands has the bits of the product of the widened ones, whichever of the two
// have 16 bits, and a result in 16 bits is that rounded once.
func TestStoredProducts(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {3, 600, 4}, {2, 257, 7}, {65, 129, 5}, {70, 3, 70}, {50, 9, 400}, {49, 385, 49}, {8, 8, 48}, {7, 7, 47}, {14, 300, 17}, {130, 16, 24}, {1100, 3, 5}} {
		R, K, N := s[0], s[1], s[2]
		everyHalf(t, fmt.Sprintf("%dx%dx%d", R, K, N), func(t *testing.T, p SerialISA, h Half) {
			x, xw := halved(R*K, 1, h)
			w, ww := halved(N*K, 2, h)
			dy, dyw := halved(R*N, 3, h)
			b := stream(N, 4)
			want, act, ws := make([]float32, R*N), make([]float32, R*N), make([]float32, min(R, 1024)*max(N, K))
			Linear(p, want, xw, ww, b, R, K, N)
			for _, c := range []struct{ x, w Matrix }{{x, w}, {F32(xw), w}, {x, F32(ww)}} {
				y := make([]float32, R*N)
				LinearOf(p, nil, F32(y), c.x, c.w, b, R, K, N)
				wantBits(t, "y", F32(y), want)
			}
			y, a := empty(R*N, h), empty(R*N, h)
			LinearOf(p, ws, y, x, w, b, R, K, N)
			wantBits(t, "rounded y", y, want)

			LinearGELUOf(p, ws, y, a, x, w, b, R, K, N, true)
			wantBits(t, "fc", y, want)
			Round(p, want, h)
			GELU(p, act, want, true)
			wantBits(t, "act", a, act)

			r, rw := halved(R*N, 6, h)
			LinearAddOf(p, ws, y, r, x, w, b, R, K, N)
			Add(p, want, rw, want)
			wantBits(t, "sum", y, want)

			want = make([]float32, R*K)
			LinearDX(p, want, dyw, ww, R, K, N)
			dx := empty(R*K, h)
			LinearDXOf(p, ws, dx, dy, w, R, K, N)
			wantBits(t, "dx", dx, want)

			for _, acc := range []bool{false, true} {
				want, got := stream(N*K, 5), stream(N*K, 5)
				LinearDW(p, want, dyw, xw, R, K, N, acc)
				LinearDWOf(p, got, dy, x, R, K, N, acc)
				wantBits(t, "dw", F32(got), want)
				LinearDB(p, want[:N], dyw, R, N, acc)
				LinearDBOf(p, got[:N], dy, R, N, acc)
				wantBits(t, "db", F32(got[:N]), want[:N])
			}
		})
	}
}

// TestStoredHead: neither do the kernels of both ends of a model differ.
func TestStoredHead(t *testing.T) {
	const B, T, C, V = 3, 50, 20, 37
	const R = B * T
	everyHalf(t, "head", func(t *testing.T, p SerialISA, h Half) {
		x, xw := halved(R*C, 1, h)
		w, ww := halved(V*C, 2, h)
		pos, posw := halved(T*C, 3, h)
		targets, weight, last := make([]int32, R), make([]float32, R), []int32{49, 0, 7}
		for r := range R {
			targets[r], weight[r] = int32(r*7%V), float32(r%3)
		}
		ws := make([]float32, HeadWorkspace(R, C, V, 1))
		loss, dx, dw := make([]float32, R), make([]float32, R*C), make([]float32, V*C)
		HeadLossGrad(p, ws, loss, dx, dw, xw, ww, targets, weight, 0.5, R, C, V, false)
		l, d, g := make([]float32, R), empty(R*C, h), make([]float32, V*C)
		HeadLossGradOf(p, ws, l, d, g, x, w, targets, weight, 0.5, R, C, V, false, false)
		wantBits(t, "loss", F32(l), loss)
		wantBits(t, "dx", d, dx)
		wantBits(t, "dw", F32(g), dw)
		HeadLossOf(p, ws, l, x, w, targets, weight, R, C, V)
		wantBits(t, "loss alone", F32(l), loss)

		logits, got := make([]float32, B*V), make([]float32, B*V)
		HeadLogits(p, logits, xw, ww, last, B, T, C, V)
		HeadLogitsOf(p, got, x, w, last, B, T, C, V)
		wantBits(t, "logits", F32(got), logits)

		for _, positions := range []bool{false, true} {
			q, qw := Matrix{}, []float32(nil)
			if positions {
				q, qw = pos, posw
			}
			e := empty(R*C, h)
			Embed(p, dx, ww, qw, targets, nil, R, T, C)
			EmbedOf(p, e, w, q, targets, nil, R, T, C)
			wantBits(t, "embedding", e, dx)
		}
	})
}

// TestStoredPointwise: nor do elementwise kernels, of more and of fewer elements than a span.
func TestStoredPointwise(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {3, 37}, {2, span + 5}} {
		R, F := s[0], s[1]
		n := R * F
		everyHalf(t, fmt.Sprintf("%dx%d", R, F), func(t *testing.T, p SerialISA, h Half) {
			x, xw := halved(2*n, 1, h)
			d, dw := halved(n, 2, h)
			want := make([]float32, 2*n)
			for _, tanh := range []bool{false, true} {
				y := empty(n, h)
				GELU(p, want[:n], xw[:n], tanh)
				GELUOf(p, y, x, n, tanh)
				wantBits(t, "gelu", y, want[:n])
				GELUGrad(p, want[:n], xw[:n], dw, tanh)
				GELUGradOf(p, y, x, d, n, tanh)
				wantBits(t, "gelu.grad", y, want[:n])
			}
			y := empty(2*n, h)
			Add(p, want[:n], xw[:n], dw)
			AddOf(p, y, x, d, n)
			wantBits(t, "add", y, want[:n])
			SwiGLU(p, want[:n], xw, R, F)
			SwiGLUOf(p, y, x, R, F)
			wantBits(t, "swiglu", y, want[:n])
			SwiGLUGrad(p, want, xw, dw, R, F)
			SwiGLUGradOf(p, y, x, d, R, F)
			wantBits(t, "swiglu.grad", y, want)
		})
	}
}
