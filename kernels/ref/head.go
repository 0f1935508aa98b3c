package ref

import "math"

// CrossEntropy is the unfused token loss: loss[r] = log Σ_v e^logits[r,v] - logits[r,target], and
// dlogits = (softmax - 1[target]) weight c. Rows of weight 0 have loss and gradient exactly 0. dlogits may be nil.
func CrossEntropy(loss, dlogits, logits []float64, targets []int32, weight []float64, c float64, R, V int) {
	for r := range R {
		row := logits[r*V : (r+1)*V]
		if weight[r] == 0 {
			loss[r] = 0
			if dlogits != nil {
				clear(dlogits[r*V : (r+1)*V])
			}
			continue
		}
		top, sum := math.Inf(-1), 0.0
		for _, v := range row {
			top = max(top, v)
		}
		for _, v := range row {
			sum += math.Exp(v - top)
		}
		lse := top + math.Log(sum)
		loss[r] = lse - row[targets[r]]
		if dlogits == nil {
			continue
		}
		for v := range V {
			p := math.Exp(row[v] - lse)
			if v == int(targets[r]) {
				p--
			}
			dlogits[r*V+v] = p * weight[r] * c
		}
	}
}

// HeadLoss is [Linear] by the classifier w [V,C] and the loss of [CrossEntropy].
func HeadLoss(loss, x, w []float64, targets []int32, weight []float64, R, C, V int) {
	logits := make([]float64, R*V)
	Linear(logits, x, w, nil, R, C, V)
	CrossEntropy(loss, nil, logits, targets, weight, 1, R, V)
}

// HeadLossGrad is [HeadLoss] and the gradient of Σ_r c weight[r] loss[r] with respect to x and w.
func HeadLossGrad(loss, dx, dw, x, w []float64, targets []int32, weight []float64, c float64, R, C, V int, acc bool) {
	logits, dlogits := make([]float64, R*V), make([]float64, R*V)
	Linear(logits, x, w, nil, R, C, V)
	CrossEntropy(loss, dlogits, logits, targets, weight, c, R, V)
	LinearDX(dx, dlogits, w, R, C, V)
	LinearDW(dw, dlogits, x, R, C, V, acc)
}

// HeadLogits are the logits of row b*T+last[b] of each sequence.
func HeadLogits(logits, x, w []float64, last []int32, B, T, C, V int) {
	for b := range B {
		r := b*T + int(last[b])
		Linear(logits[b*V:(b+1)*V], x[r*C:(r+1)*C], w, nil, 1, C, V)
	}
}
