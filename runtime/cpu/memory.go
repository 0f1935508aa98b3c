package cpu

import (
	"github.com/gradcue/gradcue/compiler/ir"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
)

// align is the alignment of an arena's base in bytes: a cache line, and the
// widest vector.
const align = 64

// bytes is the memory of a buffer. Offsets and lengths were checked by
// plan.Validate; slicing checks them again.
func (s *session) bytes(b int) []byte {
	u := &s.p.Buffers[b]
	t := ir.Device
	if u.Tier == ir.Host.String() {
		t = ir.Host
	}
	return s.arenas[t].mem[u.Offset : u.Offset+u.Bytes : u.Offset+u.Bytes]
}

// Float is an f32 buffer. It is aligned, as all are: offsets are multiples of
// plan.Align, bases of align.
func (s *session) Float(b int) []float32 { return elements[float32](s.bytes(b)) }

// Floats is the memory of an f32 buffer (exec.Viewer).
func (s *session) Floats(b int) []float32 {
	if s.closed || b < 0 || b >= len(s.p.Buffers) || s.p.Buffers[b].DType != "f32" {
		return nil
	}
	return s.Float(b)
}

// Int is an i32 buffer.
func (s *session) Int(b int) []int32 { return elements[int32](s.bytes(b)) }

// Control is an f64 buffer.
func (s *session) Control(b int) []float64 { return elements[float64](s.bytes(b)) }

// Write stores data in a buffer (exec.Session).
func (s *session) Write(b int, data any) error {
	if err := s.check(b, data); err != nil {
		return err
	}
	switch d := data.(type) {
	case []float32:
		if h, ok := half(s.p.Buffers[b].DType); ok {
			kernel.Narrow(kernel.Serial{}, elements[uint16](s.bytes(b)), d, h)
			break
		}
		copy(s.Float(b), d)
	case []int32:
		copy(s.Int(b), d)
	case []float64:
		copy(s.Control(b), d)
	}
	return nil
}

// Read copies a buffer into data (exec.Session).
func (s *session) Read(b int, data any) error {
	if err := s.check(b, data); err != nil {
		return err
	}
	switch d := data.(type) {
	case []float32:
		if h, ok := half(s.p.Buffers[b].DType); ok {
			kernel.Widen(kernel.Serial{}, d, elements[uint16](s.bytes(b)), h)
			break
		}
		copy(d, s.Float(b))
	case []int32:
		copy(d, s.Int(b))
	case []float64:
		copy(d, s.Control(b))
	}
	return nil
}

func (s *session) check(b int, data any) error {
	if s.closed {
		return exec.ErrClosed
	}
	return exec.Check(s.p, b, data, false)
}
