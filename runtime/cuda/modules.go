//go:build cuda

package cuda

/*
#include "cuda.h"
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
			if s.loaded[i], err = cu.LoadData(m.PTX); err != nil {
				return f, fmt.Errorf("load the kernels of %s: %w", m.Name, err)
			}
		}
		f = function{params: n, shared: staticShared}
		f.f, err = s.loaded[i].Function(name)
		return f, err
	}
	return f, fmt.Errorf("there is no kernel %s", name)
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
		if e := m.Unload(); err == nil {
			err = e
		}
	}
	return err
}
