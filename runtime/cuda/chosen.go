//go:build cuda

package cuda

/*
#include "cublaslt.h"
*/
import "C"

import (
	"fmt"

	"gorgonia.org/cu"

	"github.com/gradcue/gradcue/compiler/plan"
)

// chosen is what makes the products of a session.
type chosen struct {
	choices    *Choices // nil when the plan has no product on the tensor cores
	missing    bool     // the library was looked for and not found
	library    *library // nil when no choice needs it
	algorithms map[Product]algorithm
	workspace  uint64 // of the library, outside of the plan
	bytes      int64
	matmuls    []*C.gradcue_matmul // C memory
}

// settled gets the workspace, which is as large as what was chosen needs, or lets
// the library go. The workspace stands outside of the plan: a plan must not
// depend on which libraries there are.
func (s *session) settled() (err error) {
	if s.choices.ofLibrary() > 0 && s.library != nil {
		s.choices.Library = s.library.version
	}
	if len(s.algorithms) == 0 {
		err = s.library.close()
		s.library = nil
		return err
	}
	for _, a := range s.algorithms { // the greatest, in any order
		s.bytes = max(s.bytes, a.workspace)
	}
	if s.bytes == 0 {
		return nil
	}
	p, err := cu.MemAlloc(s.bytes)
	if err != nil {
		return told(fmt.Sprintf("allocate %d bytes of workspace for cuBLASLt", s.bytes), err)
	}
	s.gpu.memory = append(s.gpu.memory, p)
	s.workspace = uint64(p)
	return nil
}

// bindProduct makes the steps of a launch whose product the library makes; false
// when our own kernel does.
func (s *session) bindProduct(st plan.Stream, l *Launch) (list []step, ok bool, err error) {
	if l.product == nil || st != plan.Compute {
		return nil, false, nil
	}
	a, ok := s.algorithms[l.product.Product]
	if !ok {
		return nil, false, nil
	}
	m, err := s.library.make(l.product)
	if err != nil {
		return nil, true, err
	}
	s.matmuls = append(s.matmuls, m)
	m.algo, m.workspace, m.workspace_bytes = a.algo, C.CUdeviceptr(s.workspace), C.size_t(s.bytes)
	list, err = s.around(l.product, s.gpu.matmulStep(st, m))
	return list, true, err
}

// around is a step of the library with the launches before and after it.
func (s *session) around(p *product, m step) (list []step, err error) {
	launches := p.then
	if p.ctl != 0 {
		launches = append([]Launch{p.clear()}, launches...)
	} else {
		list = append(list, m)
	}
	for i := range launches {
		f, err := s.functions.find(&launches[i])
		if err != nil {
			return nil, err
		}
		list = append(list, s.gpu.launchStep(plan.Compute, f, &launches[i]))
		if i == 0 && p.ctl != 0 {
			list = append(list, m)
		}
	}
	return list, nil
}

// release gives back what the library holds.
func (c *chosen) release() error {
	for _, m := range c.matmuls {
		freeMatmul(m)
	}
	c.matmuls = nil
	return c.library.close()
}

// Choices is what the run has to keep, nil when nothing was chosen (exec.Chooser).
func (s *session) Choices() ([]byte, error) {
	if s.choices == nil {
		return nil, nil
	}
	return s.choices.encode()
}

// Chosen says in words what makes the products (exec.Chooser).
func (s *session) Chosen() string {
	switch {
	case s.choices == nil:
		return ""
	case s.library == nil && s.missing:
		return fmt.Sprintf("our own for %d products: no cuBLASLt was found", len(s.choices.List))
	case s.library == nil:
		return fmt.Sprintf("our own for %d products", len(s.choices.List))
	}
	return fmt.Sprintf("%s, for %d of %d products", s.library, s.choices.ofLibrary(), len(s.choices.List))
}
