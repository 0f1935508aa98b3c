//go:build cuda

package cuda

/*
#cgo CFLAGS: -I${SRCDIR}
#cgo LDFLAGS: -L${SRCDIR} -ldl
#include <stdlib.h>
#include "cuda.h"
#include "driver.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Built reports whether this binary can load a driver.
const Built = true

// DefaultLibrary is the driver that is loaded when no other is named.
const DefaultLibrary = "libcuda.so.1"

// bind loads the driver library, "" for the system's, and initialises it. The
// first library that loads is that of the process; later calls keep it.
func bind(library string) error {
	if library == "" {
		library = DefaultLibrary
	}
	path := C.CString(library)
	defer C.free(unsafe.Pointer(path))
	if why := C.gradcue_bind(path); why != nil {
		return fmt.Errorf("no CUDA driver: %s", C.GoString(why))
	}
	return failed("cuInit", C.cuInit(0))
}

// driverError is a call of the driver that failed.
type driverError struct {
	code C.CUresult
	text string
}

func (e *driverError) Error() string { return e.text }

// code is the result of the failed call in an error, CUDA_SUCCESS when none did.
func code(err error) C.CUresult {
	var d *driverError
	if errors.As(err, &d) {
		return d.code
	}
	return C.CUDA_SUCCESS
}

// failed is the error of a driver call: the call, and what the driver says of
// its result; nil when it succeeded.
func failed(call string, r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return &driverError{r, call + ": " + described(r)}
}

// told is an error of gorgonia.org/cu in the driver's own words, which also know
// the results that are newer than that package.
func told(call string, err error) error {
	if v := reflect.ValueOf(err); err != nil && v.Kind() == reflect.Int {
		return failed(call, C.CUresult(v.Int()))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	return nil
}

// described is what the driver says of a result.
func described(r C.CUresult) string {
	var name, text *C.char
	if C.cuGetErrorName(r, &name) != C.CUDA_SUCCESS || name == nil {
		return fmt.Sprintf("CUDA error %d", int(r))
	}
	if C.cuGetErrorString(r, &text) != C.CUDA_SUCCESS || text == nil {
		return fmt.Sprintf("%s (CUDA error %d)", C.GoString(name), int(r))
	}
	return fmt.Sprintf("%s: %s (CUDA error %d)", C.GoString(name), C.GoString(text), int(r))
}
