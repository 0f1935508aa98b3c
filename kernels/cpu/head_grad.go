package cpu

import "unsafe"

// HeadLossGrad computes [HeadLoss] with the same bits and its gradient for the objective
// Σ_r c weight[r] loss[r], in one pass over the chunks:
//
//	dlogit = (softmax - 1[target]) (weight c)    dx = dlogit w    dw = Σ_r dlogitᵀ x_r
//
// dx [R,C] is 0 where weight is 0. dw [V,C] is a chain over the trained rows in token order; with acc it goes on
// from what is stored. c is the scale of the window, s/N.
func HeadLossGrad(p Par, ws, loss, dx, dw, x, w []float32, targets []int32, weight []float32, c float32, R, C, V int, acc bool) {
	HeadLossGradOf(p, ws, loss, F32(dx), dw, F32(x), F32(w), targets, weight, c, R, C, V, acc, false)
}

// HeadLossGradOf is [HeadLossGrad] of operands as they are stored; dx is rounded to its type as it is written. With brief dlogit
// is rounded to bf16 before the two products.
func HeadLossGradOf(p Par, ws, loss []float32, dx Matrix, dw []float32, x, w Matrix, targets []int32, weight []float32, c float32, R, C, V int, acc, brief bool) {
	type args struct {
		headChunk
		u            ISA
		loss, weight []float32
		targets      []int32
		c            float32
		brief        bool
	}
	clear(loss[:R])
	dx.zero(R * C)
	u, h := isa(p), newHeadChunk(ws, w, R, C, V)
	for r := 0; r < R; {
		r = h.fill(p, &x, weight, r)
		if h.n == 0 {
			break
		}
		each(p, h.n, rowGrain(V), args{h, u, loss, weight, targets, c, brief}, func(t *args, lo, hi, _ int) {
			for i := lo; i < hi; i++ {
				at := t.row[i]
				t.loss[at] = t.logitGrad(t.u, i, t.targets[at], t.weight[at]*t.c)
				if t.brief {
					t.u.narrowAll(t.briefRow(i), t.logits[i*t.V:][:t.V], BF16) // in place: elements move to the front
				}
			}
		})
		d := h.gradient(brief)
		product(p, h.dx[:h.n*C], d, operand{w, C, true}, nil, h.n, C, V, false, epilogue{})
		for i, at := range h.row[:h.n] {
			dx.store(u, int(at)*C, h.dx[i*C:][:C])
		}
		d.across = true
		product(p, dw, d, operand{h.input, C, true}, nil, V, C, h.n, acc, epilogue{})
		acc = true
	}
	if !acc {
		clear(dw[:V*C])
	}
}

// logitGrad replaces the logits of row i of the chunk by their gradient and returns the loss.
func (h *headChunk) logitGrad(u ISA, i int, target int32, scale float32) float32 {
	row := h.logits[i*h.V:][:h.V]
	loss, inv := u.tokenLoss(row, target)
	own := row[target]
	u.scaleTwice(row, inv, scale)
	row[target] = (float32(own*inv) - 1) * scale
	return loss
}

// briefRow is row i of the chunk's logit gradients as bf16: the first half of the row of logits.
func (h *headChunk) briefRow(i int) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(&h.logits[i*h.V])), h.V)
}

// gradient is the chunk's logit gradients as the left operand of a product.
func (h *headChunk) gradient(brief bool) operand {
	if !brief {
		return operand{F32(h.logits), h.V, false}
	}
	all := unsafe.Slice((*uint16)(unsafe.Pointer(&h.logits[0])), 2*len(h.logits))
	return operand{Stored(all, BF16), 2 * h.V, false}
}
