//go:build cuda

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestKernelScripts runs testdata/kernels on the simulated driver and the simulated
// cuBLASLt beside it.
func TestKernelScripts(t *testing.T) {
	library := simulator(t)
	p := scripts("testdata/kernels", "libcuda="+library)
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("CUBLASLT", filepath.Join(filepath.Dir(library), "libcublasLt-sim.so"))
		return setup(e)
	}
	testscript.Run(t, p)
}
