//go:build cuda

package cuda

import (
	"testing"

	kernels "github.com/gradcue/gradcue/kernels/cuda"
)

// mustModules are the embedded kernels.
func mustModules() []kernels.Module {
	m, err := kernels.Modules()
	if err != nil {
		panic(err)
	}
	return m
}

func TestParamCount(t *testing.T) {
	const ptx = ".visible .entry add_f32(\n\t.param .u64 a,\n\t.param .f64 b\n)\n.visible .entry none()\n"
	for name, want := range map[string]int{"add_f32": 2, "none": 0, "add": -1} {
		if got := paramCount(ptx, name); got != want {
			t.Errorf("paramCount(%q) = %d, want %d", name, got, want)
		}
	}
}

// TestEveryKernelLoads: every entry of every module is in the driver, with the
// parameters that the PTX declares.
func TestEveryKernelLoads(t *testing.T) {
	err := onRig(driver(), func(r *rig) error {
		f := newFunctions(mustModules())
		for _, m := range f.modules {
			for _, name := range m.Entries {
				l := Launch{Kernel: name, Params: make([]uint64, paramCount(m.PTX, name))}
				if _, err := f.find(&l); err != nil {
					return err
				}
			}
		}
		return f.unload()
	})
	if err != nil {
		t.Error(err)
	}
}
