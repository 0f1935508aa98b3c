package ref

import (
	"math"
	"testing"
)

// TestAdamWFirstUpdate: without decay the first update of AdamW moves every weight by LR against the sign of its gradient.
func TestAdamWFirstUpdate(t *testing.T) {
	w, g, m, v := []float64{1, 2, 3}, []float64{0.5, -4, 1e3}, make([]float64, 3), make([]float64, 3)
	AdamW(w, g, m, v, AdamWArgs{LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-12, BC1: 0.1, BC2: 0.001, GScale: 1})
	for i, want := range []float64{0.99, 2.01, 2.99} {
		if math.Abs(w[i]-want) > 1e-9 {
			t.Errorf("w[%d] = %.12g, want %g", i, w[i], want)
		}
	}
}

// TestAdamWDecay: with gradient 0 only the decay acts.
func TestAdamWDecay(t *testing.T) {
	w := []float64{2}
	AdamW(w, []float64{0}, []float64{0}, []float64{0}, AdamWArgs{LR: 0.1, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Decay: 0.5, BC1: 1, BC2: 1, GScale: 1})
	if math.Abs(w[0]-1.9) > 1e-12 {
		t.Errorf("w = %g, want 1.9", w[0])
	}
}

// TestSGDTwoUpdates by hand: momentum starts as the gradient, Nesterov looks one step ahead.
func TestSGDTwoUpdates(t *testing.T) {
	for _, c := range []struct {
		name string
		args SGDArgs
		want float64
	}{
		{"plain", SGDArgs{LR: 0.1, GScale: 1}, 1 - 0.1*2 - 0.1*2},
		{"scaled", SGDArgs{LR: 0.1, GScale: 0.5}, 1 - 0.1 - 0.1},
		{"momentum", SGDArgs{LR: 0.1, Momentum: 0.5, GScale: 1}, 1 - 0.1*2 - 0.1*3},
		{"nesterov", SGDArgs{LR: 0.1, Momentum: 0.5, GScale: 1, Nesterov: true}, 1 - 0.1*3 - 0.1*3.5},
		{"decay", SGDArgs{LR: 0.1, Decay: 1, GScale: 0}, 0.81},
	} {
		w, mom := []float64{1}, []float64{math.NaN()}
		for u := range 2 {
			c.args.First = u == 0
			SGD(w, []float64{2}, mom, c.args)
		}
		if math.Abs(w[0]-c.want) > 1e-12 {
			t.Errorf("%s: w = %g, want %g", c.name, w[0], c.want)
		}
	}
}
