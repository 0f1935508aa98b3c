package scratch

import "testing"

func TestGradStride(t *testing.T) {
	if got := Stride(GradKeys); got != GradStride {
		t.Errorf("Stride(GradKeys) = %d, want GradStride %d", got, GradStride)
	}
}
