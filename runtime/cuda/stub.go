//go:build !cuda

package cuda

import (
	"errors"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// ErrNotBuilt is the error of everything in a binary without CUDA.
var ErrNotBuilt = errors.New("this gradcue was built without CUDA: build it with `make cuda`, which needs Go, make and a C compiler")

// Built reports whether this binary can load a driver.
const Built = false

// Probe loads the driver library, "" for the system's, and lists its devices.
func Probe(library string) (Info, error) { return Info{}, ErrNotBuilt }

// Open answers ErrNotBuilt.
func (e Engine) Open(*plan.Plan, exec.Options) (exec.Session, error) { return nil, ErrNotBuilt }
