package ref

import (
	"math"

	"github.com/gradcue/gradcue/compiler/plan"
)

// rounder rounds float64 values in place to those of a 16-bit storage type.
type rounder func(x []float64)

// rounderOf is nil for a type that is not rounded: f32 tensors keep all digits,
// since the engine is the oracle of what f32 arithmetic approximates.
func rounderOf(dtype string) rounder {
	switch dtype {
	case "bf16":
		return func(x []float64) { roundTo(x, 8, -133, math.MaxFloat32) }
	case "f16":
		return func(x []float64) { roundTo(x, 11, -24, 65504) }
	}
	return nil
}

// roundTo rounds to nearest, ties to even, with the given bits of significand
// and the exponent of the smallest subnormal; what rounds beyond limit is ±Inf.
func roundTo(x []float64, bits, least int, limit float64) {
	for i, v := range x {
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		_, e := math.Frexp(v) // |v| in [2^(e−1), 2^e)
		unit := math.Ldexp(1, max(e-bits, least))
		r := math.RoundToEven(v/unit) * unit
		if math.Abs(r) > limit {
			r = math.Inf(int(math.Copysign(1, v)))
		}
		x[i] = r
	}
}

// rounded runs a kernel and then rounds the results that are stored in 16 bits:
// a named tensor is its value in its storage type.
func (s *session) rounded(c *plan.Command, run func()) func() {
	var results [][]float64
	var round []rounder
	for _, b := range c.Results {
		if r := rounderOf(s.p.Buffers[b].DType); r != nil {
			results, round = append(results, s.mem.Float(b)), append(round, r)
		}
	}
	if len(round) == 0 {
		return run
	}
	return func() {
		run()
		for i := range results {
			round[i](results[i])
		}
	}
}

func cast(o *operands) func() {
	x, w := o.F("x"), o.F("w")
	return func() { copy(w, x) }
}
