package cpu

// HeadLogits are the logits of one position a sequence: logits [B,V] = x[b*T+last[b]] wᵀ, with x [B*T,C] and
// w [V,C].
func HeadLogits(p Par, logits, x, w []float32, last []int32, B, T, C, V int) {
	for b := range B {
		r := b*T + int(last[b])
		Linear(p, logits[b*V:][:V], x[r*C:][:C], w, nil, 1, C, V)
	}
}
