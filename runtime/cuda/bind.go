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
	"fmt"
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

// failed is the error of a driver call: the call, and what the driver says of
// its result; nil when it succeeded.
func failed(call string, r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	var name, text *C.char
	if C.cuGetErrorName(r, &name) != C.CUDA_SUCCESS || name == nil {
		return fmt.Errorf("%s: CUDA error %d", call, int(r))
	}
	if C.cuGetErrorString(r, &text) != C.CUDA_SUCCESS || text == nil {
		return fmt.Errorf("%s: %s (CUDA error %d)", call, C.GoString(name), int(r))
	}
	return fmt.Errorf("%s: %s: %s (CUDA error %d)", call, C.GoString(name), C.GoString(text), int(r))
}
