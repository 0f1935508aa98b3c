package cpu

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
)

// TestOpTablePredictsWorkspace: what the op table reserves is what the kernels
// take, for any number of workers.
func TestOpTablePredictsWorkspace(t *testing.T) {
	f, i := func(shape ...int) ir.Type { return ir.Of(ir.F32, shape...) }, func(n int) ir.Type { return ir.Of(ir.I32, n) }
	for _, workers := range []int{1, 2, 8} {
		for _, size := range []struct{ b, t, h, g, d, v int }{{1, 1, 1, 1, 2, 2}, {2, 7, 4, 2, 6, 31}, {1, 100, 2, 2, 8, 300}, {1, 9000, 2, 1, 2, 5}} {
			r, c := size.b*size.t, size.h*size.d
			attn := ir.Attr{Heads: size.h, KVHeads: size.g, HeadDim: size.d, SeqLen: size.t, Scale: 1}
			qkv, att, lse := f(r, c+2*size.g*size.d), f(r, c), f(r, size.h)
			x, w, ctl := f(r, c), f(size.v, c), ir.Of(ir.F64, ir.ControlLen)
			half := func(shape ...int) ir.Type { return ir.Of(ir.BF16, shape...) }
			for _, a := range []struct {
				op   ir.Op
				attr ir.Attr
				args []ir.Type
			}{
				{ir.OpAttention, attn, []ir.Type{qkv, {}}},
				{ir.OpAttentionGrad, attn, []ir.Type{att, qkv, att, lse, {}}},
				{ir.OpHeadLoss, ir.Attr{}, []ir.Type{x, w, i(r), f(r)}},
				{ir.OpHeadLossGrad, ir.Attr{}, []ir.Type{x, w, i(r), f(r), ctl, w}},
				{ir.OpLinear, ir.Attr{}, []ir.Type{half(r, c), half(size.v, c), {}}},
				{ir.OpLinearGELU, ir.Attr{}, []ir.Type{half(r, c), half(size.v, c), {}}},
				{ir.OpLinearAdd, ir.Attr{}, []ir.Type{half(r, c), half(size.v, c), {}, half(r, size.v)}},
				{ir.OpLinearDX, ir.Attr{}, []ir.Type{half(r, size.v), half(size.v, c)}},
			} {
				if _, err := a.op.Infer(a.attr, a.args); err != nil {
					t.Fatalf("%s: %v", a.op, err)
				}
				got, want := a.op.Workspace(a.attr, a.args, workers), workspace(a.op, a.attr, a.args, workers)
				if got != want || want == 0 {
					t.Errorf("%s %+v with %d workers: the op table says %d bytes, the kernel takes %d", a.op, size, workers, got, want)
				}
			}
		}
	}
}
