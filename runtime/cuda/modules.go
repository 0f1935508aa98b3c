//go:build cuda

package cuda

/*
#include <stdlib.h>
#include "cuda.h"

// load loads a module; what the compiler of the driver has against it is in log.
static CUresult load(CUmodule *m, const char *ptx, char *log, size_t n)
{
	CUjit_option option[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *value[2] = {log, (void *)n};
	return cuModuleLoadDataEx(m, ptx, 2, option, value);
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"

	kernels "github.com/gradcue/gradcue/kernels/cuda"
)

// staticShared is the dynamic shared memory that every function may have, in
// bytes; more must be asked for.
const staticShared = 48 << 10

// logBytes is as much as is kept of what the driver's compiler says.
const logBytes = 4 << 10

// functions finds kernels by name and loads their modules when they are first asked for.
type functions struct {
	modules []kernels.Module
	loaded  []cu.Module // as modules; the zero value is not loaded
	found   map[string]function
}

type function struct {
	f      cu.Function
	params int
	shared uint32 // dynamic shared memory that it may have
}

func newFunctions(modules []kernels.Module) *functions {
	return &functions{modules: modules, loaded: make([]cu.Module, len(modules)), found: map[string]function{}}
}

// find is the function of a launch, with as many parameters as the launch has
// and with leave to use its shared memory.
func (s *functions) find(l *Launch) (cu.Function, error) {
	f, ok := s.found[l.Kernel]
	if !ok {
		var err error
		if f, err = s.load(l.Kernel); err != nil {
			return cu.Function{}, err
		}
	}
	if len(l.Params) != f.params {
		return cu.Function{}, fmt.Errorf("kernel %s has %d parameters, the launch %d", l.Kernel, f.params, len(l.Params))
	}
	if l.Shared > f.shared {
		h := *(*C.CUfunction)(unsafe.Pointer(&f.f))
		r := C.cuFuncSetAttribute(h, C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(l.Shared))
		if err := failed("cuFuncSetAttribute", r); err != nil {
			return cu.Function{}, fmt.Errorf("kernel %s needs %d bytes of shared memory: %w", l.Kernel, l.Shared, err)
		}
		f.shared = l.Shared
	}
	s.found[l.Kernel] = f
	return f.f, nil
}

// load looks a kernel up in the modules.
func (s *functions) load(name string) (f function, err error) {
	for i := range s.modules {
		m := &s.modules[i]
		n := paramCount(m.PTX, name)
		if n < 0 {
			continue
		}
		if s.loaded[i] == (cu.Module{}) {
			if s.loaded[i], err = loadModule(m); err != nil {
				return f, err
			}
		}
		f = function{params: n, shared: staticShared}
		if f.f, err = s.loaded[i].Function(name); err != nil {
			return f, told("find kernel "+name, err)
		}
		// A driver that loads kernels when they are first used loads it now, and not
		// while a stream captures.
		var local C.int
		r := C.cuFuncGetAttribute(&local, C.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, *(*C.CUfunction)(unsafe.Pointer(&f.f)))
		return f, failed("cuFuncGetAttribute", r)
	}
	return f, fmt.Errorf("there is no kernel %s", name)
}

// loadModule gives a module to the driver, which compiles it.
func loadModule(m *kernels.Module) (loaded cu.Module, err error) {
	text := C.CString(m.PTX)
	defer C.free(unsafe.Pointer(text))
	log := (*C.char)(C.calloc(1, logBytes))
	defer C.free(unsafe.Pointer(log))
	err = failed("cuModuleLoadDataEx", C.load((*C.CUmodule)(unsafe.Pointer(&loaded)), text, log, logBytes-1))
	switch code(err) {
	case C.CUDA_SUCCESS:
		return loaded, nil
	case C.CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
		ptx, driver := after(m.PTX, ".version "), cu.Version()
		return cu.Module{}, &advised{fmt.Sprintf("the driver supports CUDA %d.%d, the kernels of %s need %s (PTX %s): CUDA error %d", driver/1000, driver%1000/10, m.Name, firstCUDA(ptx), ptx, code(err)),
			"install a newer driver; no toolkit is needed"}
	case C.CUDA_ERROR_OUT_OF_MEMORY:
		return cu.Module{}, &advised{fmt.Sprintf("no device memory is left for the kernels of %s beside the plan's arena: %v", m.Name, err), (&MemoryError{}).Advice()}
	case C.CUDA_ERROR_NO_BINARY_FOR_GPU, C.CUDA_ERROR_INVALID_PTX:
		return cu.Module{}, fmt.Errorf("the device does not take the kernels of %s, which are for %s: %w", m.Name, after(m.PTX, ".target "), explained(err, C.GoString(log)))
	}
	return cu.Module{}, fmt.Errorf("load the kernels of %s: %w", m.Name, err)
}

// explained adds the lines of the compiler's log to an error, in one line.
func explained(err error, log string) error {
	lines := strings.FieldsFunc(log, func(c rune) bool { return c == '\n' })
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}

// after is the word that follows in the text of a module.
func after(text, before string) string {
	_, rest, _ := strings.Cut(text, before)
	word, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(word)
}

// paramCount counts the parameters of an entry point in PTX, -1 when it is not there.
func paramCount(ptx, name string) int {
	_, rest, ok := strings.Cut(ptx, ".entry "+name+"(")
	if !ok {
		return -1
	}
	list, _, _ := strings.Cut(rest, ")")
	return strings.Count(list, ".param ")
}

// unload gives the modules back.
func (s *functions) unload() (err error) {
	for _, m := range s.loaded {
		if m == (cu.Module{}) {
			continue
		}
		if e := told("unload kernels", m.Unload()); err == nil {
			err = e
		}
	}
	return err
}
