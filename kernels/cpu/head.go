package cpu

import (
	"math"

	"github.com/gradcue/gradcue/kernels/scratch"
)

// headRows is the number of trained positions whose logits are held at a time.
const headRows = scratch.HeadRows

// HeadWorkspace is the workspace of [HeadLoss] and [HeadLossGrad] in float32: logits, inputs and input
// gradients of one chunk of trained positions. It does not depend on the number of workers.
func HeadWorkspace(R, C, V, workers int) int64 { return scratch.Head(R, C, V) }

// headChunk is one chunk of trained positions: their rows, and its three parts of the workspace.
type headChunk struct {
	n          int
	row        [headRows]int32
	logits     []float32 // [n,V]
	x, dx      []float32 // [n,C]; x is for rows that do not follow each other
	input      Matrix    // [n,C], the rows: in place, or in x
	R, C, V    int
	classifier Matrix // [V,C]
}

// newHeadChunk lays the chunk over the workspace.
func newHeadChunk(ws []float32, w Matrix, R, C, V int) headChunk {
	m := min(R, headRows)
	return headChunk{R: R, C: C, V: V, classifier: w,
		logits: ws[:m*V], x: ws[m*V:][:m*C], dx: ws[m*(V+C):][:m*C]}
}

// fill finds the next trained positions from row r on, computes their logits, and returns the row after
// the last one looked at.
func (h *headChunk) fill(p Par, x *Matrix, weight []float32, r int) (next int) {
	h.n = 0
	for ; r < h.R && h.n < headRows; r++ {
		if weight[r] != 0 {
			h.row[h.n] = int32(r)
			h.n++
		}
	}
	if h.n == 0 {
		return r
	}
	if first := int(h.row[0]); int(h.row[h.n-1])-first == h.n-1 {
		h.input = x.from(first * h.C)
	} else {
		u := isa(p)
		for i, at := range h.row[:h.n] {
			x.load(u, h.x[i*h.C:][:h.C], int(at)*h.C)
		}
		h.input = F32(h.x)
	}
	LinearOf(p, nil, F32(h.logits), h.input, h.classifier, nil, h.n, h.C, h.V)
	return r
}

// HeadLoss is the token loss of a classifier w [V,C] on x [R,C], unweighted:
//
//	loss[r] = log Σ_v e^(x_r·w_v) - x_r·w_target
//
// and exactly 0 where weight[r] is 0. Logits exist for 256 trained positions at a time.
func HeadLoss(p Par, ws, loss, x, w []float32, targets []int32, weight []float32, R, C, V int) {
	HeadLossOf(p, ws, loss, F32(x), F32(w), targets, weight, R, C, V)
}

// HeadLossOf is [HeadLoss] of operands as they are stored.
func HeadLossOf(p Par, ws, loss []float32, x, w Matrix, targets []int32, weight []float32, R, C, V int) {
	type args struct {
		headChunk
		u       ISA
		loss    []float32
		targets []int32
	}
	clear(loss[:R])
	u, h := isa(p), newHeadChunk(ws, w, R, C, V)
	for r := 0; r < R; {
		r = h.fill(p, &x, weight, r)
		if h.n == 0 {
			break
		}
		each(p, h.n, rowGrain(V), args{h, u, loss, targets}, func(t *args, lo, hi, _ int) {
			for i := lo; i < hi; i++ {
				at := t.row[i]
				t.loss[at], _ = t.u.tokenLoss(t.logits[i*t.V:][:t.V], t.targets[at])
			}
		})
	}
}

// tokenLoss replaces the logits by e^(logit - max) and returns the loss and 1/Σ.
func (u ISA) tokenLoss(logits []float32, target int32) (loss, inv float32) {
	top := u.maxScaled(logits, 1, float32(math.Inf(-1)))
	own := logits[target]
	sum := u.expSum(logits, 1, top)
	return float32(math.Log(float64(sum)) + (float64(top) - float64(own))), 1 / sum
}
