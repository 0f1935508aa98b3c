//go:build cuda

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// driver is the library of the tests: that of `make sim`, in GRADCUE_TEST_SIM where
// it is made in another folder. GRADCUE_TEST_LIBCUDA names another one, such as
// libcuda.so.1 on a machine with a GPU.
func driver(t *testing.T) string {
	t.Helper()
	l := os.Getenv("GRADCUE_TEST_LIBCUDA")
	switch {
	case l == "":
		return simulator(t)
	case !strings.ContainsRune(l, '/'):
		return l
	}
	path, err := filepath.Abs(l)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCUDAScripts runs testdata/cuda on a driver. The scripts under the condition
// sim set what only the simulated one has.
func TestCUDAScripts(t *testing.T) {
	library := driver(t)
	p := scripts("testdata/cuda", "libcuda="+library)
	plain := p.Condition
	p.Condition = func(name string) (bool, error) {
		if name == "sim" {
			return strings.Contains(library, "libcuda-sim"), nil
		}
		return plain(name)
	}
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("GRADCUE_SIM", os.Getenv("GRADCUE_SIM"))
		return setup(e)
	}
	testscript.Run(t, p)
}
