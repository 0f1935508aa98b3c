//go:build cuda

package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

// TestSplitOfRows: with products f32 a sum over rows has the same bits when the
// rows come in two parts, the second of which continues the first, in every
// storage type and with tiles of both sizes.
func TestSplitOfRows(t *testing.T) {
	engine := Engine{Library: driver()}
	const rows, first = 75, 33 // neither is a multiple of what a kernel reads at once
	for _, to := range []ir.DType{ir.F32, ir.BF16, ir.F16} {
		for _, c := range []struct {
			op           ir.Op
			width, other int
		}{{ir.OpLinearDW, 24, 40}, {ir.OpLinearDW, 1500, 1410}, {ir.OpLinearDB, 1, 40}, {ir.OpHeadLossGrad, 24, 61}} {
			all := map[string]any{}
			r := rand.New(rand.NewPCG(4, uint64(c.op)))
			for _, name := range []string{"dy", "x", "w"} {
				n := rows * c.other
				if name == "x" {
					n = rows * c.width
				} else if name == "w" {
					n = c.width * c.other
				}
				all[name] = values(r, n, 0)
			}
			all["weight"] = values(r, rows, 1)
			targets := make([]int32, rows)
			for k := range targets {
				targets[k] = int32(r.IntN(c.other))
			}
			all["targets"] = targets
			sum := func(from, until int, acc float64, before []float32) []float32 {
				return sumOfRows(t, engine, c.op, to, all, c.width, c.other, from, until, acc, before)
			}
			once := sum(0, rows, 0, nil)
			twice := sum(first, rows, 1, sum(0, first, 0, nil))
			if !slices.Equal(bitsOf(once), bitsOf(twice)) {
				t.Errorf("%s in %s, %d×%d: the bits depend on the split", c.op, to, c.width, c.other)
			}
		}
	}
}

// TestLargeTiles: gradients that are large enough for tiles of 128 are on the
// tensor cores what they are on the f32 cores, within the rounding of the products.
func TestLargeTiles(t *testing.T) {
	engine := Engine{Library: driver()}
	for _, l := range arithmetics {
		if l.products == "f32" {
			continue
		}
		of := func(shape ...int) ir.Type { return ir.Of(l.to, shape...) }
		for _, c := range []plantest.Case{
			{Op: ir.OpLinearDX, Args: []ir.Type{of(1410, 40), of(40, 1496)}},
			{Op: ir.OpLinearDW, Args: []ir.Type{of(40, 1416), of(40, 1496), ir.Of(ir.F64, ir.ControlLen), ir.Of(ir.F32, 1416, 1496)}},
		} {
			made := func(products string) []float32 {
				p, args, results := plantest.Single(c, 1)
				r := rand.New(rand.NewPCG(2, 3))
				return applyTo(t, engine, with(p, products), c, args, results, func(k int) any { return wide.operand(r, c, k, 1) })[0]
			}
			if a := relative(made(l.products), made("f32")); !(a <= l.limit) {
				t.Errorf("%s in %s: products %s differ from f32 by %.3g", c.Op, l.to, l.products, a)
			}
		}
	}
}

// sumOfRows applies an op to the rows from … until-1 and is its result that is a
// sum over rows; before is what it continues.
func sumOfRows(t *testing.T, e Engine, op ir.Op, to ir.DType, all map[string]any, width, other, from, until int, acc float64, before []float32) []float32 {
	t.Helper()
	n := until - from
	f := func(d ir.DType, shape ...int) ir.Type { return ir.Of(d, shape...) }
	types := map[string]ir.Type{"dy": f(to, n, other), "x": f(to, n, width), "w": f(to, other, width), "ctl": f(ir.F64, ir.ControlLen),
		"targets": f(ir.I32, n), "weight": f(ir.F32, n), "gw": f(ir.F32, other, width), "gb": f(ir.F32, other)}
	lengths := map[string]int{"dy": other, "x": width, "targets": 1, "weight": 1}
	c := plantest.Case{Op: op}
	for _, a := range op.Info().Args {
		c.Args = append(c.Args, types[a.Name])
	}
	p, args, results := plantest.Single(c, 1)
	out := applyTo(t, e, with(p, "f32"), c, args, results, func(k int) any {
		name := op.Info().Args[k].Name
		switch x := all[name].(type) {
		case []float32:
			if name == "w" {
				return x
			}
			return x[from*lengths[name] : until*lengths[name]]
		case []int32:
			return x[from:until]
		}
		if name == "ctl" {
			return (sizes{}).operand(nil, c, k, acc)
		}
		if before != nil {
			return before
		}
		return make([]float32, c.Args[k].Elems())
	})
	for k, r := range op.Info().Results {
		if r.Name == "g'" {
			return out[k]
		}
	}
	t.Fatalf("%s has no sum over rows", op)
	return nil
}
