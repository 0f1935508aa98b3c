package train

import (
	"fmt"

	"github.com/gradcue/gradcue/runtime/exec"
)

// tokenLosses reads the buffer of token losses in the engine's width.
type tokenLosses struct {
	buffer int
	f32    []float32
	f64    []float64
}

func newTokenLosses(buffer, n int, wide bool) *tokenLosses {
	t := &tokenLosses{buffer: buffer}
	if wide {
		t.f64 = make([]float64, n)
	} else {
		t.f32 = make([]float32, n)
	}
	return t
}

func (t *tokenLosses) read(s exec.Session) (err error) {
	if t.f64 != nil {
		err = s.Read(t.buffer, t.f64)
	} else {
		err = s.Read(t.buffer, t.f32)
	}
	if err != nil {
		return fmt.Errorf("read token losses: %w", err)
	}
	return nil
}

// add continues a sum with weight·ℓ of the positions that have a weight, in
// token order. Other positions may hold anything.
func (t *tokenLosses) add(sum float64, weight []float32) float64 {
	for i, w := range weight {
		if w == 0 {
			continue
		}
		if t.f64 != nil {
			sum += t.f64[i] * float64(w)
		} else {
			sum += float64(t.f32[i]) * float64(w)
		}
	}
	return sum
}
