package exec

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/plan"
)

// Check wants data to be a slice of the buffer's type and length: []float32 for
// f32 and the 16-bit types, []int32 for i32, []float64 for f64. With wide,
// []float64 may stand for []float32 too. Every Write and Read begins with it.
func Check(p *plan.Plan, buffer int, data any, wide bool) error {
	if buffer < 0 || buffer >= len(p.Buffers) {
		return fmt.Errorf("buffer %d does not exist, the plan has %d", buffer, len(p.Buffers))
	}
	b := &p.Buffers[buffer]
	var dtype string
	var n int
	holds := b.DType
	if holds == "bf16" || holds == "f16" {
		holds = "f32" // Write rounds, Read widens
	}
	switch d := data.(type) {
	case []float32:
		dtype, n = "f32", len(d)
	case []int32:
		dtype, n = "i32", len(d)
	case []float64:
		dtype, n = "f64", len(d)
		if wide && holds == "f32" {
			dtype = "f32"
		}
	default:
		return fmt.Errorf("buffer %d %q: %T cannot be stored, use []float32, []int32 or []float64", buffer, b.Name, data)
	}
	want := 1
	for _, m := range b.Shape {
		want *= m
	}
	if dtype != holds || n != want {
		return fmt.Errorf("buffer %d %q holds %d of %s, not %d of %s", buffer, b.Name, want, b.DType, n, dtype)
	}
	return nil
}
