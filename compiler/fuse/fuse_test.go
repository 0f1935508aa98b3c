package fuse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
)

// parse reads a graph in the notation of ir.Print.
func parse(t *testing.T, text string) *ir.Graph {
	t.Helper()
	g, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Check(g); err != nil {
		t.Fatal(err)
	}
	return g
}

const leaves = `
n0 v0 x f32[4,8] input = leaf @window
n1 v1 w f32[16,8] parameter = leaf @model.ffn
n2 v2 b f32[16] parameter = leaf @model.ffn
`

func TestFuse(t *testing.T) {
	for _, c := range []struct{ name, in, want, gone string }{
		{"product and gelu become one, both results stay",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = gelu(v3) {tanh} micro forward L0 @model.activation`,
			`n3 v3 fc f32[4,16] activation, v4 act f32[4,16] activation = linear.gelu(v0, v1, v2) {tanh} micro forward L0 @model.ffn`, ""},
		{"an absent bias stays absent, the exact form stays exact",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, _) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = gelu(v3) micro forward L0 @model.activation`,
			`n3 v3 fc f32[4,16] activation, v4 act f32[4,16] activation = linear.gelu(v0, v1, _) micro forward L0 @model.ffn`, ""},
		{"other readers of the product find it",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = gelu(v3) micro forward L0 @model.activation
			 n5 v5 y f32[4,16] activation = add(v3, v4) micro forward L0 @model`,
			`n3 v3 fc f32[4,16] activation, v4 act f32[4,16] activation = linear.gelu(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v5 y f32[4,16] activation = add(v3, v4) micro forward L0 @model`, ""},
		{"evaluation is fused, too, on its own",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = gelu(v3) micro forward L0 @model.activation
			 n5 v5 fc f32[4,16] activation = linear(v0, v1, v2) eval forward L0 @model.ffn
			 n6 v6 act f32[4,16] activation = gelu(v5) eval forward L0 @model.activation`,
			`n3 v3 fc f32[4,16] activation, v4 act f32[4,16] activation = linear.gelu(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v5 fc f32[4,16] activation, v6 act f32[4,16] activation = linear.gelu(v0, v1, v2) eval forward L0 @model.ffn`, ""},
		{"a product that is read first by something else stays",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 y f32[4,16] activation = add(v3, v3) micro forward L0 @model
			 n5 v5 act f32[4,16] activation = gelu(v3) micro forward L0 @model.activation`,
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 y f32[4,16] activation = add(v3, v3) micro forward L0 @model
			 n5 v5 act f32[4,16] activation = gelu(v3) micro forward L0 @model.activation`, ""},
		{"another phase stays on its own",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = gelu(v3) micro recompute L0 @checkpointing`,
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = gelu(v3) micro recompute L0 @checkpointing`, ""},
		{"a residual is added by the product, at the place of the sum",
			`n3 v3 fc f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 act f32[4,16] activation = linear(v0, v1, _) micro forward L0 @model.ffn
			 n5 v5 act2 f32[4,16] activation = gelu(v4) micro forward L0 @model.activation
			 n6 v6 y f32[4,16] activation = add(v5, v3) micro forward L0 @model`,
			`n3 v3 act f32[4,16] activation, v4 act2 f32[4,16] activation = linear.gelu(v0, v1, _) micro forward L0 @model.ffn
			 n4 v5 y f32[4,16] activation = linear.add(v0, v1, v2, v4) micro forward L0 @model.ffn`, "fc"},
		{"of two products one adds the other",
			`n3 v3 p f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 q f32[4,16] activation = linear(v0, v1, _) micro forward L0 @model.ffn
			 n5 v5 y f32[4,16] activation = add(v3, v4) micro forward L0 @model`,
			`n3 v3 q f32[4,16] activation = linear(v0, v1, _) micro forward L0 @model.ffn
			 n4 v4 y f32[4,16] activation = linear.add(v0, v1, v2, v3) micro forward L0 @model.ffn`, "p"},
		{"a product that something else reads, too, is not left out",
			`n3 v3 p f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 q f32[4,16] activation = add(v3, v3) micro forward L0 @model
			 n5 v5 r f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n6 v6 y f32[4,16] activation = add(v4, v5) micro recompute L0 @model`,
			`n3 v3 p f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n4 v4 q f32[4,16] activation = add(v3, v3) micro forward L0 @model
			 n5 v5 r f32[4,16] activation = linear(v0, v1, v2) micro forward L0 @model.ffn
			 n6 v6 y f32[4,16] activation = add(v4, v5) micro recompute L0 @model`, ""},
		{"a gelu of something else stays",
			`n3 v3 y f32[4,8] activation = add(v0, v0) micro forward L0 @model
			 n4 v4 act f32[4,8] activation = gelu(v3) micro forward L0 @model.activation`,
			`n3 v3 y f32[4,8] activation = add(v0, v0) micro forward L0 @model
			 n4 v4 act f32[4,8] activation = gelu(v3) micro forward L0 @model.activation`, ""},
	} {
		g := parse(t, leaves+c.in)
		before := ir.Print(g)
		rw := Fuse(g)
		if err := ir.Check(rw.New); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(ir.Print(parse(t, leaves+c.want)), ir.Print(rw.New)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if ir.Print(g) != before {
			t.Errorf("%s: the argument was changed", c.name)
		}
		for old, id := range rw.IDs {
			if id == ir.None && c.gone == g.Values[old].Name {
				continue
			}
			if id == ir.None || rw.New.Values[id].Name != g.Values[old].Name {
				t.Errorf("%s: v%d %s went to v%d", c.name, old, g.Values[old].Name, id)
			}
		}
	}
}

// TestRulesFit: a fused op takes what the producer takes and gives both results,
// with the attributes of the consumer. One that leaves the inner result out takes
// what the consumer takes besides, and gives what it gives.
func TestRulesFit(t *testing.T) {
	for _, r := range Rules {
		p, c, f := r.Producer.Info(), r.Consumer.Info(), r.Fused.Info()
		args, results := len(p.Args), 2
		if r.Inner {
			args, results = len(p.Args)+1, 1
		}
		if d := cmp.Diff(p.Args, f.Args[:len(p.Args)], cmp.AllowUnexported(ir.Param{})); d != "" {
			t.Errorf("%v does not take the arguments of %v:\n%s", r.Fused, r.Producer, d)
		}
		if len(f.Args) != args || len(f.Results) != results || len(p.Results) != 1 || len(c.Results) != 1 || len(c.Args) != 1+args-len(p.Args) {
			t.Errorf("%v with %d arguments and %d results replaces %v and %v", r.Fused, len(f.Args), len(f.Results), r.Producer, r.Consumer)
		}
		if d := cmp.Diff(c.Attrs, f.Attrs); d != "" || len(p.Attrs) > 0 {
			t.Errorf("%v has the attributes %v, %v has %v and %v has %v", r.Fused, f.Attrs, r.Producer, p.Attrs, r.Consumer, c.Attrs)
		}
	}
}
