package cpu

// HeadLogits are the logits of one position a sequence: logits [B,V] = x[b*T+last[b]] wᵀ, with x [B*T,C] and
// w [V,C].
func HeadLogits(p Par, logits, x, w []float32, last []int32, B, T, C, V int) {
	HeadLogitsOf(p, logits, F32(x), F32(w), last, B, T, C, V)
}

// HeadLogitsOf is [HeadLogits] of operands as they are stored.
func HeadLogitsOf(p Par, logits []float32, x, w Matrix, last []int32, B, T, C, V int) {
	for b := range B {
		r := b*T + int(last[b])
		LinearOf(p, nil, F32(logits[b*V:][:V]), x.from(r*C), w, nil, 1, C, V)
	}
}
