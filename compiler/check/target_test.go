package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/spec/shape"
)

// TestProducts: each kind of products is for some targets and one type of
// operands; 16-bit storage without tensor cores on a GPU that has them is a warning.
func TestProducts(t *testing.T) {
	const (
		refused = "error target.precision experiment.precision.products: precision.products is "
		slow    = "warning target.products experiment.precision.products: precision.compute is "
	)
	for _, c := range []struct{ target, compute, products, want string }{
		{"", "f32", "f32", ""},
		{"cpu", "bf16", "f32", ""},
		{"cpu", "bf16", "bf16dot", ""},
		{"", "f32", "bf16dot", refused + "bf16dot, which multiplies bf16, but precision.compute is f32"},
		{"cpu", "f16", "f16dot", refused + "f16dot, which tensor cores make, but the plan is for cpu"},
		{"", "f32", "tf32", refused + "tf32, which tensor cores make, but the plan is for cpu"},
		{"cuda:sm_70", "f32", "tf32", refused + "tf32, which tensor cores make, but the plan is for cuda:sm_70"},
		{"cuda:sm_70", "bf16", "f32", ""},
		{"cuda:sm_75", "f16", "f16dot", refused + "f16dot, which tensor cores make, but the plan is for cuda:sm_75"},
		{"cuda:sm_80", "f32", "f32", ""},
		{"cuda:sm_80", "f32", "tf32", ""},
		{"cuda:sm_80", "bf16", "bf16dot", ""},
		{"cuda:sm_90a", "f16", "f16dot", ""},
		{"cuda:sm_80", "bf16", "f32", slow + "bf16 and precision.products is f32: tensor cores are not used"},
		{"cuda:sm_120", "f16", "f32", slow + "f16 and precision.products is f32: tensor cores are not used"},
		{"cuda:sm_80", "f32", "bf16dot", refused + "bf16dot, which multiplies bf16, but precision.compute is f32"},
		{"cuda:sm_80", "bf16", "f16dot", refused + "f16dot, which multiplies f16, but precision.compute is bf16"},
		{"cuda:sm_80", "f16", "tf32", refused + "tf32, which multiplies f32, but precision.compute is f16"},
	} {
		x := base(t)
		x.Precision.Compute, x.Precision.Params, x.Precision.Products = shape.DType(c.compute), shape.DType(c.compute), c.products
		in := input(x)
		in.Target = c.target
		if got := strings.Join(found(check.Spec(in)), "\n"); got != c.want {
			t.Errorf("%s, compute %s, products %s:\n%s\nwant\n%s", c.target, c.compute, c.products, got, c.want)
		}
	}
}

// TestGPUAttention: what the attention kernels cannot hold is refused at the
// field, for GPUs only.
func TestGPUAttention(t *testing.T) {
	const of = "error target.attention experiment."
	for _, c := range []struct {
		target string
		change func(*shape.Experiment)
		want   []string
	}{
		{"cuda:sm_80", func(x *shape.Experiment) { x.Model.HeadDim = 256 }, nil},
		{"cuda:sm_80", func(x *shape.Experiment) { x.Model.HeadDim = 264 },
			[]string{of + "model.headDim: model.headDim is 264; attention for cuda:sm_80 has at most 256"}},
		{"cuda:sm_70", func(x *shape.Experiment) { x.Model.HeadDim = 241 },
			[]string{of + "model.headDim: model.headDim is 241; attention for cuda:sm_70 has at most 240"}},
		{"cpu", func(x *shape.Experiment) { x.Model.HeadDim, x.Model.Heads, x.Window.MicroBatchSize = 512, 65536, 65536 }, nil},
		{"cuda:sm_80", func(x *shape.Experiment) { x.Model.Heads, x.Window.MicroBatchSize = 65536, 65536 }, []string{
			of + "model.heads: model.heads is 65536; attention for cuda:sm_80 has at most 65535",
			of + "window.microBatchSize: window.microBatchSize is 65536; attention for cuda:sm_80 has at most 65535"}},
	} {
		x := base(t)
		c.change(x)
		in := input(x)
		in.Target = c.target
		if d := cmp.Diff(c.want, found(check.Spec(in))); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.target, d)
		}
	}
}

// TestTargetOfCompile: rules are asked about the target that is compiled for, and
// a warning stops nothing.
func TestTargetOfCompile(t *testing.T) {
	x := base(t)
	x.Precision.Compute, x.Precision.Params, x.Precision.Products = "f16", "f16", "f16dot"
	src := compiler.Source{Experiment: x}
	if _, list, err := compiler.Compile(src, compiler.Options{}); err != nil || !list.HasErrors() {
		t.Errorf("for cpu: %v, %v", found(list), err)
	}
	r, list, err := compiler.Compile(src, compiler.Options{Target: "cuda:sm_80"})
	if err != nil || len(list) > 0 || r.Plan.Run.Precision.Products != "f16dot" {
		t.Errorf("for a GPU: %v, %v", found(list), err)
	}
	x.Precision.Products = "f32"
	r, list, err = compiler.Compile(src, compiler.Options{Target: "cuda:sm_80"})
	if err != nil || len(list) != 1 || list.HasErrors() || r == nil {
		t.Errorf("with a warning: %v, %v", found(list), err)
	}
}
