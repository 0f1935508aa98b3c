package autodiff

import (
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
)

// TestRules: every op has a rule or a reason, and what a rule saves exists.
func TestRules(t *testing.T) {
	for o := range ir.NumOps {
		r := &Rules[o]
		if (r.VJP != nil) == (r.None != "") {
			t.Errorf("%v has a rule and a reason for having none, or neither", o)
		}
		for _, s := range r.Saves {
			if o.Arg(s) < 0 && o.Result(s) < 0 {
				t.Errorf("%v saves %q, which is neither argument nor result", o, s)
			}
		}
		if r.VJP == nil && len(r.Saves) > 0 {
			t.Errorf("%v saves %v without a rule", o, r.Saves)
		}
	}
}

// TestSavesAreRead compares what the rules say they read with the operands of
// the backward nodes that they emit: neither more nor less.
func TestSavesAreRead(t *testing.T) {
	dropped := gpt()
	dropped.Tied, dropped.Dropout = false, 0.1
	said, done := map[string]bool{}, map[string]bool{}
	for _, c := range []struct {
		cfg model.Config
		b   model.Batch
	}{
		{gpt(), model.Batch{B: 2, T: 3, Lo: true, Positions: true}},
		{dropped, batch},
		{llama(), model.Batch{B: 2, T: 3, Lo: true, Positions: true}},
	} {
		g, r, _ := backward(t, c.cfg, c.b)
		for i := range g.Nodes[:len(g.Nodes)-1] {
			n := &g.Nodes[i]
			for _, s := range Rules[n.Op].Saves {
				said[n.Op.String()+"."+s] = true
			}
			for _, id := range operands(n) {
				if reads(r.Graph, i, id.value) {
					done[n.Op.String()+"."+id.name] = true
				}
			}
		}
	}
	for s := range said {
		// A tied table goes by row instead of by id; the untied case reads the ids.
		if !done[s] {
			t.Errorf("%s is said to be saved, and no backward node reads it", s)
		}
	}
	for s := range done {
		if !said[s] {
			t.Errorf("%s is read in backward and not said to be saved", s)
		}
	}
}

type operand struct {
	name  string
	value ir.ID
}

// operands are the arguments and results of a forward node, by name.
func operands(n *ir.Node) (os []operand) {
	for k, p := range n.Op.Info().Args {
		if n.Args[k] != ir.None && p.Name != "ctl" {
			os = append(os, operand{p.Name, n.Args[k]})
		}
	}
	for k, p := range n.Op.Info().Results {
		os = append(os, operand{p.Name, n.Results[k]})
	}
	return os
}

// reads reports whether a backward node that was emitted for forward node i
// reads a value. Values used by several forward nodes count for the one whose
// layer, origin and op the backward node stems from.
func reads(g *ir.Graph, i int, v ir.ID) bool {
	for k := range g.Nodes {
		n := &g.Nodes[k]
		if n.Phase != ir.Backward || n.Origin != g.Nodes[i].Origin || n.Layer != g.Nodes[i].Layer || !vjpOf(g.Nodes[i].Op, n.Op) {
			continue
		}
		for _, a := range n.Args {
			if a == v {
				return true
			}
		}
	}
	return false
}

// vjpOf reports whether a backward op is named after a forward op.
func vjpOf(forward, backward ir.Op) bool {
	if forward == ir.OpRoPE {
		return backward == ir.OpRoPE
	}
	return strings.HasPrefix(backward.String(), forward.String()+".") || forward == ir.OpEmbed && backward == ir.OpPosGrad
}

// TestBranches: where a value is used twice, its gradient is the sum of both
// terms, made inside the block and before anything reads it.
func TestBranches(t *testing.T) {
	for _, c := range []model.Config{gpt(), llama()} {
		c.Layers = 3
		_, r, _ := backward(t, c, batch)
		g := r.Graph
		sums := map[string]int{}
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Phase != ir.Backward || n.Op != ir.OpAdd {
				continue
			}
			v := &g.Values[n.Results[0]]
			sums[v.Name]++
			if v.Class != ir.Transient {
				t.Errorf("the sum %s is of class %v", v.Name, v.Class)
			}
			// One term came down the residual stream, the other out of the norm.
			norm := g.Nodes[g.Values[n.Args[1]].Node].Op
			if norm != ir.OpLayerNormGrad && norm != ir.OpRMSNormGrad {
				t.Errorf("the second term of %s comes from %v", v.Name, norm)
			}
			if n.Layer != v.Layer {
				t.Errorf("the sum %s of block %d is made in block %d", v.Name, v.Layer, n.Layer)
			}
		}
		// Every block joins twice: at its input and at the first residual.
		if sums["d.in"] != 3 || sums["d.resid1"] != 3 || len(sums) != 2 {
			t.Errorf("%s: branch sums %v, want three of d.in and of d.resid1", c.Family, sums)
		}
	}
}

// TestTable: a table that the head writes too gets the embedding's share
// through the compact buffer; a table of its own directly.
func TestTable(t *testing.T) {
	for _, tied := range []bool{true, false} {
		c := gpt()
		c.Tied = tied
		_, r, o := backward(t, c, batch)
		g, count := r.Graph, map[ir.Op]int{}
		for i := range g.Nodes {
			count[g.Nodes[i].Op]++
		}
		end := g.Nodes[g.Values[r.Grads[0]].Node].Op
		if !tied {
			if count[ir.OpEmbedRows] != 0 || count[ir.OpEmbedGrad] != 1 || end != ir.OpEmbedGrad || r.Compact != ir.None || r.Row != ir.None || r.Table != -1 {
				t.Errorf("untied: ops %v, the table's gradient ends in %v, compact %d, row %d, table %d", count, end, r.Compact, r.Row, r.Table)
			}
			continue
		}
		if count[ir.OpEmbedRows] != 1 || count[ir.OpEmbedGrad] != 0 || end != ir.OpHeadLossGrad || r.Table != 0 {
			t.Errorf("tied: ops %v, the table's gradient ends in %v, table %d", count, end, r.Table)
		}
		if got, want := g.Values[r.Compact].Type, ir.Of(ir.F32, o.CompactRows, c.Width); !got.Equal(want) {
			t.Errorf("the compact buffer is %v, want %v", got, want)
		}
		if got, want := g.Values[r.Row].Type, ir.Of(ir.I32, batch.R()); !got.Equal(want) {
			t.Errorf("the row map is %v, want %v", got, want)
		}
	}
}

// TestUnreached: nothing reaches a parameter that no op reads, and its gradient
// is its storage as it is.
func TestUnreached(t *testing.T) {
	g, o := forward(t, gpt(), batch)
	// The loss must stay last, so the extra leaf is put in by a rewrite.
	rw := ir.NewRewriter(g)
	lone := rw.New.Leaf("lone.weight", -1, ir.Parameter, ir.Device, ir.Of(ir.F32, 3), "")
	for i := range g.Nodes {
		rw.Copy(i)
	}
	for i := range o.Params {
		o.Params[i] = rw.Map(o.Params[i])
	}
	o.Control, o.Params = rw.Map(o.Control), append(o.Params, lone)
	r, err := Backward(rw.New, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range o.Params {
		alone := i == len(o.Params)-1
		if (r.Grads[i] == r.GradLeaf[i]) != alone {
			t.Errorf("%s: gradient v%d, storage v%d", r.Graph.Values[o.Params[i]].Name, r.Grads[i], r.GradLeaf[i])
		}
		if r.Graph.Storage(r.Grads[i]) != r.GradLeaf[i] {
			t.Errorf("%s: the gradient is stored in v%d, want v%d", r.Graph.Values[o.Params[i]].Name, r.Graph.Storage(r.Grads[i]), r.GradLeaf[i])
		}
		if got, want := r.Graph.Values[r.GradLeaf[i]].Type, r.Graph.Values[o.Params[i]].Type; !got.Equal(want) {
			t.Errorf("gradient %v of a parameter %v", got, want)
		}
	}
}

// TestForwardIsKept: the sweep adds to a graph and changes nothing of it but
// the loss.
func TestForwardIsKept(t *testing.T) {
	g, o := forward(t, llama(), batch)
	before := ir.Print(g)
	r, err := Backward(g, o)
	if err != nil {
		t.Fatal(err)
	}
	if ir.Print(g) != before {
		t.Error("Backward changed its argument")
	}
	lines := strings.Split(strings.TrimSpace(before), "\n")
	if got := ir.Print(r.Graph); !strings.HasPrefix(got, strings.Join(lines[:len(lines)-1], "\n")) {
		t.Error("the new graph does not begin with the forward pass")
	}
}

func TestRefusals(t *testing.T) {
	g, o := forward(t, gpt(), batch)
	cut := &ir.Graph{Nodes: g.Nodes[:len(g.Nodes)-1], Values: g.Values[:len(g.Values)-1]}
	if _, err := Backward(cut, o); err == nil || !strings.Contains(err.Error(), "loss") {
		t.Errorf("without a loss: %v", err)
	}
	if _, err := Backward(&ir.Graph{}, o); err == nil {
		t.Error("an empty graph has a backward pass")
	}
	// An op of the update has no gradient: the reason is given.
	rw := ir.NewRewriter(g)
	for i := range g.Nodes[:len(g.Nodes)-1] {
		rw.Copy(i)
	}
	last := &g.Nodes[len(g.Nodes)-1]
	staged := rw.New.Add(ir.Node{Op: ir.OpCopyStage, Args: rw.Args(last)[:1], Section: ir.Micro, Phase: ir.Transfer, Layer: -1}, ir.Result{Name: "y", Layer: -1, Class: ir.Activation})
	args := rw.Args(last)
	args[0] = staged[0]
	rw.CopyWith(len(g.Nodes)-1, args)
	if _, err := Backward(rw.New, o); err == nil || !strings.Contains(err.Error(), "copy.stage has no gradient: "+afterwards) {
		t.Errorf("a copy in the forward pass: %v", err)
	}
}

// TestForeignWeight: a weight that is none of the parameters is a bug of the
// caller, and must not add to another parameter's gradient.
func TestForeignWeight(t *testing.T) {
	g, o := forward(t, gpt(), batch)
	o.Params = o.Params[1:]
	defer func() {
		if x := recover(); x == nil || !strings.Contains(x.(string), "embed.weight, is not a parameter") {
			t.Errorf("recovered %v", x)
		}
	}()
	_, err := Backward(g, o)
	t.Errorf("no panic; error %v", err)
}
