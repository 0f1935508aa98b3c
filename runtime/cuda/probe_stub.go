//go:build !cuda

package cuda

import "errors"

// ErrNotBuilt is the error of Probe in a binary without CUDA.
var ErrNotBuilt = errors.New("this gradcue was built without CUDA: build it with `go build -tags cuda`, which needs cgo and cuda.h")

// Probe opens the driver and lists its devices.
func Probe() (Info, error) { return Info{}, ErrNotBuilt }
