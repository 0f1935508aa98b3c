//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
)

// wanted is a product of the plan with the first launch that makes it, at
// addresses of [madeUp].
type wanted struct {
	*product
	launch Launch
}

// choose settles what makes each product before the arenas are there: as the run
// was begun, or by measuring, which needs memory of its own for a moment. What
// has been chosen is the run's, so that no measurement changes its bits later.
func (s *session) choose(e Engine, o exec.Options) error {
	list, err := s.wanted()
	if err != nil || len(list) == 0 {
		return err
	}
	old, err := s.frozen(o)
	if err != nil {
		return err
	}
	if err := s.openFor(list, old, e); err != nil {
		return err
	}
	device, err := s.gpu.dev.Name()
	if err != nil {
		return told("ask for the name of the device", err)
	}
	if old != nil && old.ofLibrary() > 0 && s.library != nil && (old.Library != s.library.version || old.Device != device) {
		return gone(old, fmt.Errorf("here is %s on %s", s.library, device))
	}
	s.choices = &Choices{Version: choicesVersion, Device: device}
	if old != nil && old.Version != 0 {
		*s.choices = *old
		s.choices.List = slices.Clone(old.List)
	}
	s.algorithms = map[Product]algorithm{}
	for i := range list {
		if err := s.settle(&list[i], old); err != nil {
			return err
		}
	}
	return s.settled()
}

// frozen is what the run chose before: nothing at all, of version 0, for a run that
// has made updates without having chosen. Its kernels were our own.
func (s *session) frozen(o exec.Options) (*Choices, error) {
	if o.Choices == nil {
		if o.Continues {
			return &Choices{}, nil
		}
		return nil, nil
	}
	c, err := decodeChoices(o.Choices)
	if err != nil {
		return nil, &exec.ChoiceError{Text: fmt.Sprintf("the choice of kernels (kernels.json) cannot be read: %v", err), Damaged: true}
	}
	return &c, nil
}

// openFor opens the library where a product may need it.
func (s *session) openFor(list []wanted, old *Choices, e Engine) (err error) {
	needs := func(w wanted) bool {
		if old == nil {
			return true
		}
		c, ok := old.find(w.Product)
		return !ok && old.ofLibrary() > 0 || c.Kernel == libraryKernel
	}
	if !slices.ContainsFunc(list, needs) {
		return nil
	}
	s.library, err = openLibrary(e.CublasLt, e.Folders)
	if err == nil && s.library != nil {
		return nil
	}
	s.missing = e.CublasLt == LibraryAny
	if old != nil && old.ofLibrary() > 0 {
		if err == nil {
			err = errors.New("it is not here")
		}
		return gone(old, err)
	}
	return err
}

// gone is the error of a run whose kernels are not here.
func gone(c *Choices, why error) error {
	return &exec.ChoiceError{Text: fmt.Sprintf("%d products of this run are made by cuBLASLt %s on %s (state/kernels.json), and other kernels have other bits: %v",
		c.ofLibrary(), c.Library, c.Device, why)}
}

// settle finds what makes one product, and tries an algorithm of the library once.
// A run that was begun without the library has not opened it, so products that are
// new to it get kernels of our own.
func (s *session) settle(w *wanted, old *Choices) error {
	if c, ok := s.choices.find(w.Product); ok {
		if c.Kernel != libraryKernel {
			return nil
		}
		a, err := s.tried(w, c)
		if err != nil {
			return gone(old, fmt.Errorf("%s: %w", w.Product, err))
		}
		s.algorithms[w.Product] = a
		return nil
	}
	c := Choice{Product: w.Product, Kernel: ownKernel}
	if s.library != nil {
		a, micros, err := s.measured(w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Product, err)
		}
		if c.Micros = micros; a != nil {
			c.Kernel, c.Algorithm = libraryKernel, a.String()
			s.algorithms[w.Product] = *a
		}
	}
	s.choices.add(c)
	return nil
}

// wanted lists the products of the plan that a library may make, by product.
func (s *session) wanted() (list []wanted, err error) {
	seen := map[Product]bool{}
	for i := range s.p.Sections {
		for j := range s.p.Sections[i].Commands {
			c := &s.p.Sections[i].Commands[j]
			if c.Kind != plan.Launch || c.Stream != plan.Compute {
				continue
			}
			o, err := newOperands(s.p, c, madeUp)
			if err != nil {
				return nil, err
			}
			if s.table[o.op] == nil {
				continue // its binding says so
			}
			for _, l := range s.table[o.op](o) {
				if l.product != nil && !seen[l.product.Product] {
					seen[l.product.Product] = true
					list = append(list, wanted{l.product, l})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b wanted) int { return a.compare(b.Product) })
	return list, nil
}
