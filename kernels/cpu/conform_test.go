package cpu_test

import (
	"testing"

	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/kernels/kerneltest"
)

// TestConform runs the suite on every tier of this machine.
func TestConform(t *testing.T) {
	for _, u := range kerneltest.Tiers() {
		t.Run(u.String(), func(t *testing.T) { kerneltest.Conform(t, kerneltest.On(kerneltest.CPU(), u)) })
	}
}

// TestVectorTiersEqual: AVX2 and AVX-512 give the same bits.
func TestVectorTiersEqual(t *testing.T) {
	if cpu.Detect() < cpu.AVX512 {
		t.Logf("this machine has %s only: nothing to compare", cpu.Detect())
		return
	}
	kerneltest.Equal(t, kerneltest.On(kerneltest.CPU(), cpu.AVX2), kerneltest.On(kerneltest.CPU(), cpu.AVX512))
}
