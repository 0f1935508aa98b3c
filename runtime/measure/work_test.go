package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

func TestWorkOf(t *testing.T) {
	buffer := func(dtype string, shape ...int) plan.Buffer {
		n := int64(4)
		for _, d := range shape {
			n *= int64(d)
		}
		return plan.Buffer{DType: dtype, Shape: shape, Bytes: n}
	}
	p := &plan.Plan{Buffers: []plan.Buffer{
		0: buffer("f32", 6, 10),   // x
		1: buffer("f32", 20, 10),  // w
		2: buffer("f32", 6, 20),   // y
		3: buffer("f32", 500, 10), // table
		4: buffer("i32", 6),       // ids
		5: buffer("f32", 6, 10),   // host
	}}
	for _, c := range []struct {
		name string
		c    plan.Command
		want Work
	}{
		{"product", plan.Command{Kind: plan.Launch, Op: "linear", Args: []int{0, 1, -1}, Results: []int{2}}, Work{2 * 6 * 10 * 20, 4 * (60 + 200 + 120)}},
		{"rows of a table", plan.Command{Kind: plan.Launch, Op: "embed", Args: []int{3, -1, 4, -1}, Results: []int{0}, Attr: &ir.Attr{SeqLen: 6}}, Work{60, 4 * (60 + 6 + 60)}},
		{"copy", plan.Command{Kind: plan.Copy, Op: "copy.out", Args: []int{0, 5}, Results: []int{5}, Stream: plan.Out}, Work{0, 4 * 120}},
		{"event", plan.Command{Kind: plan.Record, Event: 1}, Work{}},
	} {
		if d := cmp.Diff(c.want, WorkOf(p, &c.c)); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, d)
		}
	}
}
