package cpu

import (
	"math"
	"runtime"
	"testing"
)

// random16 are bf16 of all exponents but those of infinities: sums overflow, vanish and become subnormal.
func random16(n int, name uint64) Matrix {
	x := make([]uint16, n)
	for i := range x {
		w := Philox4x32([4]uint32{uint32(i), uint32(name)}, [2]uint32{7, 9})
		x[i] = uint16(w[0])
		if x[i]>>7&0xff > 160 {
			x[i] &^= 0x4000
		}
		if w[1]%4 == 0 { // near the smallest normal numbers once multiplied
			x[i] = x[i]&0x807f | uint16(60+w[1]>>8%10)<<7
		}
	}
	return Stored(x, BF16)
}

// TestPairsEqual: pairs of steps have the bits of single steps while subnormal numbers are flushed, whatever the operands; of an
// odd number of steps too, with sums that are -0.
func TestPairsEqual(t *testing.T) {
	if Detect() < AVX512BF16 {
		t.Logf("this machine has %s only: nothing to compare", Detect())
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer FlushDenormals()()
	for _, s := range [][3]int{{1, 1, 1}, {8, 2, 48}, {9, 3, 49}, {16, 17, 96}, {33, 1100, 57}, {5, 1025, 400}, {70, 64, 7}} {
		R, K, N := s[0], s[1], s[2]
		x, w, dy := random16(R*K, 1), random16(N*K, 2), random16(R*N, 3)
		results := func(u ISA) [3][]float32 {
			p := SerialISA(u)
			y, dx, dw := make([]float32, R*N), make([]float32, R*K), make([]float32, N*K)
			for i := range dw {
				dw[i] = float32(math.Copysign(0, -1))
			}
			LinearOf(p, nil, F32(y), x, w, nil, R, K, N)
			LinearDXOf(p, nil, F32(dx), dy, w, R, K, N)
			LinearDWOf(p, dw, dy, x, R, K, N, true)
			return [3][]float32{y, dx, dw}
		}
		want, got := results(AVX512), results(AVX512BF16)
		for i, name := range []string{"y", "dx", "dw"} {
			for j, v := range want[i] {
				if g := got[i][j]; math.Float32bits(g) != math.Float32bits(v) && !(g != g && v != v) {
					t.Fatalf("%v %s: element %d is %x, want %x", s, name, j, g, v)
				}
			}
		}
	}
}

// TestPairsFlush: the instruction flushes subnormal numbers in any mode, which also shows that it is in use.
func TestPairsFlush(t *testing.T) {
	if Detect() < AVX512BF16 {
		t.Logf("this machine has %s only: nothing to compare", Detect())
		return
	}
	tiny, one := Stored([]uint16{0x0001, 0x0001}, BF16), Stored([]uint16{0x3f80, 0x3f80}, BF16)
	for u, zero := range map[ISA]bool{AVX512: false, AVX512BF16: true} {
		y := []float32{1}
		LinearOf(SerialISA(u), nil, F32(y), tiny, one, nil, 1, 2, 1)
		if (y[0] == 0) != zero {
			t.Errorf("%s: 2 · 2^-133 = %g", u, y[0])
		}
	}
}

// TestBriefHead: with brief the logit gradients are rounded to bf16 before both products, and nothing else changes; with rows that
// follow each other and with gaps.
func TestBriefHead(t *testing.T) {
	const R, C, V = 150, 20, 37
	for _, u := range everyTier() {
		for _, every := range []int{1, 3} {
			p := SerialISA(u)
			x, xw := halved(R*C, 1, BF16)
			w, ww := halved(V*C, 2, BF16)
			targets, weight := make([]int32, R), make([]float32, R)
			for r := range R {
				targets[r] = int32(r * 7 % V)
				if r%every == 0 {
					weight[r] = float32(r%4) + 1
				}
			}
			ws := make([]float32, HeadWorkspace(R, C, V, 1))
			wantDX, wantDW := make([]float32, R*C), make([]float32, V*C)
			h := newHeadChunk(ws, F32(ww), R, C, V)
			input := F32(xw)
			for r, acc := 0, false; r < R; acc = true {
				r = h.fill(p, &input, weight, r)
				for i, at := range h.row[:h.n] {
					h.logitGrad(u, i, targets[at], weight[at]*0.5)
				}
				Round(p, h.logits[:h.n*V], BF16)
				dx, in := make([]float32, h.n*C), make([]float32, h.n*C)
				LinearDX(p, dx, h.logits, ww, h.n, C, V)
				for i, at := range h.row[:h.n] {
					copy(wantDX[int(at)*C:], dx[i*C:][:C])
					copy(in[i*C:][:C], xw[int(at)*C:])
				}
				LinearDW(p, wantDW, h.logits, in, h.n, C, V, acc)
			}
			loss, dx, dw, plain := make([]float32, R), make([]float32, R*C), make([]float32, V*C), make([]float32, R)
			HeadLossGradOf(p, ws, loss, F32(dx), dw, x, w, targets, weight, 0.5, R, C, V, false, true)
			wantBits(t, u.String()+" dx", F32(dx), wantDX)
			wantBits(t, u.String()+" dw", F32(dw), wantDW)
			HeadLossOf(p, ws, plain, x, w, targets, weight, R, C, V)
			wantBits(t, u.String()+" loss", F32(loss), plain)
		}
	}
}
