package cpu_test

import (
	"testing"

	"github.com/gradcue/gradcue/kernels/kerneltest"
)

func TestConform(t *testing.T) {
	kerneltest.Conform(t, kerneltest.CPU())
}
