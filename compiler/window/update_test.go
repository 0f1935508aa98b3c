package window_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/autodiff"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/window"
)

// updated is a one-block model with its update.
func updated(t *testing.T, tied bool, o window.Optimizer) (*ir.Graph, *window.Result, *autodiff.Result, *model.Leaves) {
	t.Helper()
	return updatedIn(t, ir.F32, tied, o)
}

// updatedIn is updated with another storage type.
func updatedIn(t *testing.T, dtype ir.DType, tied bool, o window.Optimizer) (*ir.Graph, *window.Result, *autodiff.Result, *model.Leaves) {
	t.Helper()
	c := model.Config{Family: "gpt2", Layers: 1, Heads: 2, KVHeads: 2, HeadDim: 4, Width: 8, FFN: 32, Vocab: 17, Context: 6, Eps: 1e-5, Bias: true, QKVBias: true, Tied: tied, Storage: dtype}
	b := model.Batch{B: 2, T: 3}
	g := &ir.Graph{}
	l := model.NewLeaves(g, &c, b, false)
	f := model.Builder{G: g, C: &c, B: b, L: l, Section: ir.Micro, Train: true}
	f.Loss(f.Hidden())
	back, err := autodiff.Backward(g, autodiff.Options{Control: l.Control, Params: l.Params, CompactRows: 6})
	if err != nil {
		t.Fatal(err)
	}
	before := ir.Print(back.Graph)
	r := window.Append(back, l.Params, l.Control, &o)
	if err := ir.Check(r.Graph); err != nil {
		t.Fatal(err)
	}
	if ir.Print(back.Graph) != before {
		t.Error("Append changed its argument")
	}
	return r.Graph, r, back, l
}

var adamW = window.Optimizer{Kind: "adamw", Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, Decay: 0.1, MaxNorm: 1}

// TestOrderOfUpdate: add the compact gradient, square-sum every gradient once in
// canonical order, clip once, then the optimizer, which reads the clip's control.
func TestOrderOfUpdate(t *testing.T) {
	for _, tied := range []bool{true, false} {
		g, r, back, l := updated(t, tied, adamW)
		var ops []string
		var squared []ir.ID
		clip := ir.None
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Section != ir.Update {
				continue
			}
			ops = append(ops, n.Op.String())
			switch n.Op {
			case ir.OpNorm2:
				if n.Attr.Index != len(squared) {
					t.Errorf("the sum of squares of %s goes to place %d, want %d", g.Values[n.Args[0]].Name, n.Attr.Index, len(squared))
				}
				squared = append(squared, g.Storage(n.Args[0]))
			case ir.OpClip:
				clip = n.Results[0]
				if n.Attr.MaxNorm != 1 {
					t.Errorf("clips at %g, want 1", n.Attr.MaxNorm)
				}
			case ir.OpAdamW:
				if n.Args[n.Op.Arg("ctl")] != clip {
					t.Errorf("the update of %s does not read the apply flag that clip writes", g.Values[n.Args[0]].Name)
				}
			}
		}
		var want []string
		if tied {
			want = append(want, "embed.add")
		}
		for range l.Params {
			want = append(want, "norm2")
		}
		want = append(want, "clip")
		for range l.Params {
			want = append(want, "adamw")
		}
		if d := cmp.Diff(want, ops); d != "" {
			t.Errorf("tied %v (-want +got):\n%s", tied, d)
		}
		if d := cmp.Diff(back.GradLeaf, squared); d != "" {
			t.Errorf("tied %v: storages summed (-want +got):\n%s", tied, d)
		}
		if (r.RowIDs != ir.None) != tied {
			t.Errorf("tied %v: row ids are v%d", tied, r.RowIDs)
		}
	}
}

// TestCompactIsAddedFirst: norm and update of a shared table read the sum.
func TestCompactIsAddedFirst(t *testing.T) {
	g, _, back, l := updated(t, true, adamW)
	var sum ir.ID
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == ir.OpEmbedAdd {
			sum = n.Results[0]
			if g.Storage(n.Args[n.Op.Arg("compact")]) != back.Compact {
				t.Error("something else than the compact gradient is added")
			}
		}
		if (n.Op == ir.OpNorm2 || n.Op == ir.OpAdamW) && g.Storage(n.Args[max(n.Op.Arg("g"), 0)]) == back.GradLeaf[0] && n.Args[n.Op.Arg("g")] != sum {
			t.Errorf("%v of %s reads its gradient without the embedding's share", n.Op, g.Values[l.Params[0]].Name)
		}
	}
}

// TestOptimizers: each kind has its op, its moments and its constants.
func TestOptimizers(t *testing.T) {
	for _, c := range []struct {
		name    string
		o       window.Optimizer
		op      ir.Op
		moments []string
		attr    ir.Attr // of a matrix
	}{
		{"adamw", adamW, ir.OpAdamW, []string{"m", "v"}, ir.Attr{Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, Decay: 0.1, LRScale: 1}},
		{"sgd", window.Optimizer{Kind: "sgd", Decay: 0.01}, ir.OpSGD, nil, ir.Attr{Decay: 0.01, LRScale: 1}},
		{"sgd with momentum", window.Optimizer{Kind: "sgd", Momentum: 0.9, Nesterov: true}, ir.OpSGDMomentum, []string{"momentum"},
			ir.Attr{Momentum: 0.9, Nesterov: true, LRScale: 1}},
	} {
		g, r, _, l := updated(t, true, c.o)
		for i, p := range l.Params {
			var names []string
			for _, s := range r.State[i] {
				v := &g.Values[s]
				names = append(names, v.Name)
				if v.Class != ir.Optimizer || !v.Type.Equal(g.Values[p].Type) {
					t.Errorf("%s: %s is %v %v", c.name, v.Name, v.Class, v.Type)
				}
			}
			var want []string
			for _, m := range c.moments {
				want = append(want, g.Values[p].Name+"."+m)
			}
			if d := cmp.Diff(want, names); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, d)
			}
		}
		steps := 0
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Op.Arg("w") != 0 || n.Section != ir.Update {
				continue
			}
			steps++
			want := c.attr
			if len(g.Values[n.Args[0]].Type.Shape) < 2 {
				want.Decay = 0
			}
			if n.Op != c.op || n.Attr != want {
				t.Errorf("%s: %s is updated by %v %v, want %v %v", c.name, g.Values[n.Args[0]].Name, n.Op, n.Attr, c.op, want)
			}
		}
		if steps != len(l.Params) {
			t.Errorf("%s: %d of %d parameters are updated", c.name, steps, len(l.Params))
		}
	}
}

// TestMasters: a parameter that is stored in 16 bits is updated on its f32 copy
// and rounded from it at once; gradients and moments are f32.
func TestMasters(t *testing.T) {
	for _, dtype := range []ir.DType{ir.F32, ir.BF16, ir.F16} {
		g, r, _, l := updatedIn(t, dtype, true, adamW)
		casts := map[ir.ID]bool{}
		for i := range g.Nodes {
			n := &g.Nodes[i]
			switch n.Op {
			case ir.OpCast:
				casts[n.Args[1]] = true
				if step := &g.Nodes[i-1]; step.Op != ir.OpAdamW || n.Args[0] != step.Results[0] {
					t.Errorf("%v: %s is rounded from what %v made", dtype, g.Values[n.Args[1]].Name, step.Op)
				}
			case ir.OpAdamW:
				for _, id := range n.Args[:4] {
					if v := &g.Values[id]; v.Type.DType != ir.F32 {
						t.Errorf("%v: the update reads %s in %v", dtype, v.Name, v.Type.DType)
					}
				}
			}
		}
		for i, p := range l.Params {
			half := dtype != ir.F32
			if (r.Master[i] != ir.None) != half || casts[p] != half {
				t.Errorf("%v: %s has master v%d, rounded %v", dtype, g.Values[p].Name, r.Master[i], casts[p])
			}
			if half {
				if v := &g.Values[r.Master[i]]; v.Class != ir.Master || !v.Type.Equal(ir.Of(ir.F32, g.Values[p].Type.Shape...)) {
					t.Errorf("%v: %s is %v %v", dtype, v.Name, v.Class, v.Type)
				}
			}
		}
	}
}

// TestGroups: the first group that matches counts; decay without a group is for
// tensors with two or more dimensions.
func TestGroups(t *testing.T) {
	zero, half := 0.0, 0.5
	o := window.Optimizer{Kind: "adamw", Decay: 0.1, Groups: []window.Group{
		{Params: []string{"embed.*", "pos.weight"}, Decay: &zero, Scale: 2},
		{Params: []string{"blocks.?.ln1.*"}, Decay: &half, Scale: 1},
		{Params: []string{"*"}, Scale: 0.1},
	}}
	for _, c := range []struct {
		name         string
		dims         int
		decay, scale float64
	}{
		{"embed.weight", 2, 0, 2}, {"pos.weight", 2, 0, 2},
		{"blocks.0.ln1.weight", 1, 0.5, 1},
		{"blocks.0.mlp.fc.weight", 2, 0.1, 0.1}, {"blocks.0.mlp.fc.bias", 1, 0, 0.1},
	} {
		if d, s := o.For(c.name, c.dims); d != c.decay || s != c.scale {
			t.Errorf("%s: decay %g and rate %g, want %g and %g", c.name, d, s, c.decay, c.scale)
		}
	}
	o.Groups = nil
	if d, s := o.For("blocks.0.mlp.fc.weight", 2); d != 0.1 || s != 1 {
		t.Errorf("without groups: decay %g and rate %g", d, s)
	}
}
