//go:build cuda

package cuda

import (
	"testing"

	kernels "github.com/gradcue/gradcue/kernels/cuda"
)

// BenchmarkLoad is what the driver takes to compile a module. It keeps what it has
// compiled, unless CUDA_CACHE_DISABLE=1 is set.
//
//	go test -tags cuda -run '^$' -bench Load -benchtime 1x ./runtime/cuda
func BenchmarkLoad(b *testing.B) {
	modules, err := kernels.Modules()
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range modules {
		b.Run(m.Name, func(b *testing.B) {
			err := onRig(driver(), func(*rig) error {
				for b.Loop() {
					loaded, err := loadModule(&m)
					if err != nil {
						return err
					}
					if err := loaded.Unload(); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
