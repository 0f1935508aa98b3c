//go:build cuda

package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	kernels "github.com/gradcue/gradcue/kernels/cuda"
)

// launchesOf is what a case is bound to, with made-up addresses.
func launchesOf(t *testing.T, c plantest.Case, products string) []Launch {
	t.Helper()
	p, _, _ := plantest.Single(c, 1)
	p.Run.Precision.Products = products
	for i := range p.Sections[ir.Micro].Commands {
		if command := &p.Sections[ir.Micro].Commands[i]; command.Kind == plan.Launch {
			o, err := newOperands(p, command, func(b int) uint64 { return uint64(b+1) << 40 })
			if err != nil {
				t.Fatal(err)
			}
			return table[o.op](o)
		}
	}
	t.Fatal("the plan launches nothing")
	return nil
}

// TestKernels: every launch that the sizes of the cases lead to names an entry
// point that exists, with parameters, threads and a grid that a device accepts.
// Only tensor cores need a module that devices of compute capability 7 cannot load.
func TestKernels(t *testing.T) {
	modules, err := kernels.Modules()
	if err != nil {
		t.Fatal(err)
	}
	for _, z := range []sizes{odd, wide, {4, 1024, 768, 3072, 50257, 12, 12, 64, 1024, 4096}, {1, 4096, 4096, 14336, 128256, 32, 8, 128, 4096, 4096}} {
		for _, a := range arithmetics {
			for _, c := range z.cases() {
				c, ok := stored(c, a.to)
				if !ok {
					continue
				}
				for _, l := range launchesOf(t, c, a.products) {
					params, base := -1, false
					for _, m := range modules {
						if slices.Contains(m.Entries, l.Kernel) {
							params, base = paramCount(m.PTX, l.Kernel), strings.Contains(m.PTX, ".target sm_70\n")
						}
					}
					if params != len(l.Params) {
						t.Errorf("%s in %s: %s has %d parameters, the launch %d", c.Op, a.to, l.Kernel, params, len(l.Params))
					}
					if !base && a.products == "f32" {
						t.Errorf("%s in %s: %s is not for sm_70", c.Op, a.to, l.Kernel)
					}
					if l.Grid[1] > 65535 || l.Grid[2] > 65535 || l.Block[0] == 0 || l.Block[0] > 1024 || l.Grid[0] == 0 || l.Shared > 99<<10 {
						t.Errorf("%s in %s: %s has grid %v, block %v and %d bytes of shared memory", c.Op, a.to, l.Kernel, l.Grid, l.Block, l.Shared)
					}
				}
			}
		}
	}
}

// TestChoice: arithmetic, storage and shape alone choose the kernel.
func TestChoice(t *testing.T) {
	linear := func(d ir.DType, rows, width, hidden int) plantest.Case {
		return plantest.Case{Op: ir.OpLinear, Args: []ir.Type{ir.Of(d, rows, width), ir.Of(d, hidden, width), {}}}
	}
	attention := func(d ir.DType, headDim int) plantest.Case {
		return plantest.Case{Op: ir.OpAttention, Attr: ir.Attr{Heads: 2, KVHeads: 1, HeadDim: headDim, Scale: 1, SeqLen: 8},
			Args: []ir.Type{ir.Of(d, 8, 4*headDim), {}}}
	}
	for _, c := range []struct {
		of       plantest.Case
		products string
		want     string
	}{
		{linear(ir.F32, 64, 64, 64), "f32", "linear_64_f32"},
		{linear(ir.F32, 4096, 768, 3072), "f32", "linear_128_f32"},
		{linear(ir.BF16, 3, 24, 16), "f32", "linear_64_bf16"},
		{linear(ir.F16, 4096, 768, 3072), "f32", "linear_128_f16"},
		{linear(ir.BF16, 3, 24, 16), "bf16dot", "linear_mma_64_bf16"},
		{linear(ir.BF16, 4096, 768, 3072), "bf16dot", "linear_mma_128_bf16"},
		{linear(ir.F16, 3, 24, 16), "f16dot", "linear_mma_64_f16"},
		{linear(ir.F32, 3, 20, 16), "tf32", "linear_mma_64_f32"},
		{linear(ir.F32, 3, 22, 16), "tf32", "linear_64_f32"},
		{linear(ir.BF16, 3, 20, 16), "bf16dot", "linear_64_bf16"},
		{linear(ir.F16, 3, 24, 16), "bf16dot", "linear_64_f16"},
		{attention(ir.F32, 64), "f32", "attention_64_f32"},
		{attention(ir.F32, 64), "tf32", "attention_64_f32"},
		{attention(ir.BF16, 64), "f32", "attention_64_bf16"},
		{attention(ir.BF16, 64), "bf16dot", "attention_mma_64_bf16"},
		{attention(ir.BF16, 72), "bf16dot", "attention_mma_128_bf16"},
		{attention(ir.F16, 60), "f16dot", "attention_64_f16"},
		{attention(ir.BF16, 136), "bf16dot", "attention_256_bf16"},
	} {
		if got := launchesOf(t, c.of, c.products)[0].Kernel; got != c.want {
			t.Errorf("%s of %v, products %s: %s, want %s", c.of.Op, c.of.Args[0], c.products, got, c.want)
		}
	}
}
