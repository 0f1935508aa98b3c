package cpu

// HeadLossGrad computes [HeadLoss] with the same bits and its gradient for the objective
// Σ_r c weight[r] loss[r], in one pass over the chunks:
//
//	dlogit = (softmax - 1[target]) (weight c)    dx = dlogit w    dw = Σ_r dlogitᵀ x_r
//
// dx [R,C] is 0 where weight is 0. dw [V,C] is a chain over the trained rows in token order; with acc it goes on
// from what is stored. c is the scale of the window, s/N.
func HeadLossGrad(p Par, ws, loss, dx, dw, x, w []float32, targets []int32, weight []float32, c float32, R, C, V int, acc bool) {
	HeadLossGradOf(p, ws, loss, F32(dx), dw, F32(x), F32(w), targets, weight, c, R, C, V, acc)
}

// HeadLossGradOf is [HeadLossGrad] of operands as they are stored; dx is rounded to its type as it is written.
func HeadLossGradOf(p Par, ws, loss []float32, dx Matrix, dw []float32, x, w Matrix, targets []int32, weight []float32, c float32, R, C, V int, acc bool) {
	type args struct {
		headChunk
		u            ISA
		loss, weight []float32
		targets      []int32
		c            float32
	}
	clear(loss[:R])
	dx.zero(R * C)
	u, h := isa(p), newHeadChunk(ws, w, R, C, V)
	for r := 0; r < R; {
		r = h.fill(p, &x, weight, r)
		if h.n == 0 {
			break
		}
		each(p, h.n, rowGrain(V), args{h, u, loss, weight, targets, c}, func(t *args, lo, hi, _ int) {
			for i := lo; i < hi; i++ {
				at := t.row[i]
				t.loss[at] = t.logitGrad(t.u, i, t.targets[at], t.weight[at]*t.c)
			}
		})
		LinearDXOf(p, nil, F32(h.dx), F32(h.logits), w, h.n, C, V)
		for i, at := range h.row[:h.n] {
			dx.store(u, int(at)*C, h.dx[i*C:][:C])
		}
		LinearDW(p, dw, h.logits, h.x, h.n, C, V, acc)
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
