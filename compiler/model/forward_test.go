package model

import (
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
)

// build is the training forward pass of a config.
func build(t *testing.T, c Config, b Batch, sec ir.Section) (*ir.Graph, *Leaves, ir.ID) {
	t.Helper()
	g := &ir.Graph{}
	l := NewLeaves(g, &c, b, sec == ir.Logits)
	f := Builder{G: g, C: &c, B: b, L: l, Section: sec, Train: sec == ir.Micro}
	out := f.Hidden()
	if sec == ir.Logits {
		out = f.Logits(out)
	} else {
		out = f.Loss(out)
	}
	if err := ir.Check(g); err != nil {
		t.Fatal(err)
	}
	return g, l, out
}

// TestNames wants every decidable name exactly once in every block.
func TestNames(t *testing.T) {
	for _, c := range []Config{gpt(), llama()} {
		c.Layers, c.Dropout = 3, 0.1
		g, _, _ := build(t, c, Batch{B: 2, T: 6}, ir.Micro)
		for layer := range c.Layers {
			var order []string
			for _, v := range g.Values {
				if v.Layer == layer && v.Class == ir.Activation && slices.Contains(c.Names(), v.Name) {
					order = append(order, v.Name)
				}
			}
			// att and lse are results of one op; the rest is in forward order.
			if !slices.Equal(order, c.Names()) {
				t.Errorf("%s block %d has %v, want %v", c.Family, layer, order, c.Names())
			}
		}
	}
}

// TestBlockInputIsDropped: with dropout the block's input is what the next ops
// read, after dropout, and not the sum before it.
func TestBlockInputIsDropped(t *testing.T) {
	c := gpt()
	c.Layers, c.Dropout = 2, 0.1
	g, _, _ := build(t, c, Batch{B: 2, T: 6, Seed: 7}, ir.Micro)
	sites := map[int]bool{}
	for _, n := range g.Nodes {
		if n.Op == ir.OpLayerNorm && n.Layer == 0 && g.Values[n.Results[0]].Name == "ln1" {
			if op := g.Nodes[g.Values[n.Args[0]].Node].Op; op != ir.OpDropout {
				t.Errorf("the first norm reads the result of %v, want dropout", op)
			}
		}
		if n.Op != ir.OpDropout {
			continue
		}
		if sites[n.Attr.Site] {
			t.Errorf("two dropouts draw at site %d", n.Attr.Site)
		}
		sites[n.Attr.Site] = true
		if n.Attr.Seed != 7 || n.Attr.Rate != 0.1 || n.Attr.SeqLen != 6 {
			t.Errorf("dropout with %v", n.Attr)
		}
	}
	if want := 1 + 2*c.Layers; len(sites) != want {
		t.Errorf("%d dropouts, want %d: the embedding and two in each block", len(sites), want)
	}
	for _, sec := range []ir.Section{ir.Eval, ir.Logits} {
		g, _, _ := build(t, c, Batch{B: 2, T: 6}, sec)
		for _, n := range g.Nodes {
			if n.Op == ir.OpDropout {
				t.Errorf("dropout in section %v", sec)
			}
		}
	}
}

// TestInputs: a batch has the inputs it needs and no others.
func TestInputs(t *testing.T) {
	for _, b := range []Batch{{B: 2, T: 6}, {B: 2, T: 6, Lo: true}, {B: 2, T: 6, Positions: true}, {B: 2, T: 6, Lo: true, Positions: true}} {
		for _, c := range []Config{gpt(), llama()} {
			g, l, _ := build(t, c, b, ir.Micro)
			if (l.Lo != ir.None) != b.Lo || (l.Positions != ir.None) != b.Positions || l.Last != ir.None {
				t.Errorf("%+v has inputs lo %d, positions %d, last %d", b, l.Lo, l.Positions, l.Last)
			}
			uses := map[ir.ID]int{}
			for _, n := range g.Nodes {
				for _, a := range n.Args {
					uses[a]++
				}
			}
			for _, id := range []ir.ID{l.IDs, l.Targets, l.Weight, l.Lo, l.Positions} {
				if id != ir.None && uses[id] == 0 {
					t.Errorf("%s %+v: nothing reads input %s", c.Family, b, g.Values[id].Name)
				}
			}
		}
	}
}

// TestHeadIsTheTable: tied means one storage, untied two.
func TestHeadIsTheTable(t *testing.T) {
	for _, tied := range []bool{true, false} {
		c := gpt()
		c.Tied = tied
		g, l, _ := build(t, c, Batch{B: 1, T: 6}, ir.Micro)
		last := g.Nodes[len(g.Nodes)-1]
		w := last.Args[last.Op.Arg("w")]
		if (w == l.Param("embed.weight")) != tied {
			t.Errorf("tied %v: the head's weight is %s", tied, g.Values[w].Name)
		}
	}
}

// TestLogits reads one position of each sequence.
func TestLogits(t *testing.T) {
	c := llama()
	g, l, out := build(t, c, Batch{B: 3, T: 6}, ir.Logits)
	if got, want := g.Values[out].Type, ir.Of(ir.F32, 3, c.Vocab); !got.Equal(want) {
		t.Errorf("logits are %v, want %v", got, want)
	}
	if l.Last == ir.None || l.Targets != ir.None || l.Weight != ir.None {
		t.Errorf("inputs last %d, targets %d, weight %d", l.Last, l.Targets, l.Weight)
	}
}
