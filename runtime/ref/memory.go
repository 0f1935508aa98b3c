package ref

import (
	"github.com/gradcue/gradcue/compiler/plan"
)

// memory holds the elements of each buffer that a command can name.
type memory struct {
	floats [][]float64
	ints   [][]int32
}

func newMemory(p *plan.Plan) *memory {
	m := &memory{make([][]float64, len(p.Buffers)), make([][]int32, len(p.Buffers))}
	for _, b := range used(p) {
		n := 1
		for _, d := range p.Buffers[b].Shape {
			n *= d
		}
		if p.Buffers[b].DType == "i32" {
			m.ints[b] = make([]int32, n)
		} else {
			m.floats[b] = make([]float64, n)
		}
	}
	return m
}

// used lists the buffers that are not only the space others lie in and not only
// scratch space, in the order of the plan.
func used(p *plan.Plan) (list []int) {
	skip := make([]bool, len(p.Buffers))
	for i := range p.Buffers {
		if in := p.Buffers[i].In; in > 0 {
			skip[in-1] = true
		}
	}
	for _, s := range p.Sections {
		for _, c := range s.Commands {
			if c.Work > 0 {
				skip[c.Work-1] = true
			}
		}
	}
	for i := range p.Buffers {
		if !skip[i] {
			list = append(list, i)
		}
	}
	return list
}

func (m *memory) copy(to, from int) {
	copy(m.floats[to], m.floats[from])
	copy(m.ints[to], m.ints[from])
}

// Float is an f32 buffer of the plan, in float64.
func (m *memory) Float(b int) []float64 { return m.floats[b] }

// Int is an i32 buffer.
func (m *memory) Int(b int) []int32 { return m.ints[b] }

// Control is an f64 buffer.
func (m *memory) Control(b int) []float64 { return m.floats[b] }
