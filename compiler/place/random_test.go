package place_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/window"
)

// meanings numbers the values of a graph by what they compute: copies are what
// they copy, and an op that is the table's shortcut for another's result is that
// result. Two values with one number have the same bits.
func meanings(g *ir.Graph, memo map[string]int) []int {
	ids := make([]int, len(g.Values))
	number := func(s string) int {
		if _, ok := memo[s]; !ok {
			memo[s] = len(memo)
		}
		return memo[s]
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case ir.OpLeaf:
			v := &g.Values[n.Results[0]]
			ids[n.Results[0]] = number(fmt.Sprint("leaf ", v.Class, v.Name, v.Layer))
			continue
		case ir.OpCopyOut, ir.OpCopyIn, ir.OpCopyStage:
			ids[n.Results[0]] = ids[n.Args[0]]
			continue
		}
		args := make([]int, len(n.Args))
		for k, a := range n.Args {
			args[k] = -1
			if a != ir.None {
				args[k] = ids[a]
			}
		}
		call := fmt.Sprint(n.Op, args, n.Attr, n.Section)
		for k, r := range n.Results {
			ids[r] = number(fmt.Sprint(call, k))
		}
		learn(n, args, ids, memo)
	}
	return ids
}

// learn records what the op table's shortcuts would be called for a node's
// results, under the number of the result.
func learn(n *ir.Node, args, ids []int, memo map[string]int) {
	info := n.Op.Info()
	for _, s := range info.Again {
		short := make([]int, len(s.Args))
		for k, name := range s.Args {
			if r := n.Op.Result(name); r >= 0 {
				short[k] = ids[n.Results[r]]
			} else {
				short[k] = args[n.Op.Arg(name)]
			}
		}
		a := n.Attr
		if !slices.Contains(s.Op.Info().Attrs, "eps") {
			a.Eps = 0
		}
		memo[fmt.Sprint(fmt.Sprint(s.Op, short, a, n.Section), 0)] = ids[n.Results[n.Op.Result(s.Result)]]
	}
}

// outcome is what a step leaves behind and in which order it was made: each
// write into storage that outlives the section, by meaning, and each backward
// node.
func outcome(g *ir.Graph, memo map[string]int) (written map[string]int, backward []string) {
	ids := meanings(g, memo)
	written = map[string]int{}
	roots := g.Storages()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Op == ir.OpLeaf {
			continue
		}
		for k, r := range n.Results {
			root := &g.Values[roots[r]]
			if g.Nodes[root.Node].Op == ir.OpLeaf && root.Class != ir.Activation {
				written[fmt.Sprint(n.Section, root.Class, root.Name)] = ids[r]
			}
			if n.Phase == ir.Backward {
				backward = append(backward, fmt.Sprint(n.Op, k, n.Layer, ids[r]))
			}
		}
	}
	return written, backward
}

// TestRandomDecisions: whatever is decided, a step computes the same values in
// the same order, keeps to the staging rules and is a valid graph.
func TestRandomDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	optimizers := []window.Optimizer{adamW, {Kind: "sgd", Momentum: 0.9, Nesterov: true}, {Kind: "sgd"}}
	for round := range 100 {
		c := gpt(1 + r.IntN(6))
		if r.IntN(2) == 0 {
			c = llama(c.Layers)
		}
		c.Tied = r.IntN(2) == 0
		c.Dropout = []float64{0, 0.1}[r.IntN(2)]
		c.QKVBias = r.IntN(2) == 0
		c.Storage = []ir.DType{ir.F32, ir.BF16, ir.F16}[r.IntN(3)]
		g := unplaced(t, c, optimizers[r.IntN(3)])
		memo := map[string]int{}
		want, order := outcome(g, memo)
		d := random(r, c)
		placed := apply(t, g, d)
		got, reorder := outcome(placed.Graph, memo)
		if len(got) != len(want) {
			t.Fatalf("round %d: %d storages are written, want %d", round, len(got), len(want))
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("round %d, %s S=%d: %s gets another value", round, rows(d), d.Slots, k)
			}
		}
		if !slices.Equal(order, reorder) {
			t.Fatalf("round %d, %s S=%d: backward computes something else", round, rows(d), d.Slots)
		}
		s := stage(t, placed, d)
		s.rules()
		s.reads()
		s.layout()
		once(t, placed.Graph)
		if t.Failed() {
			t.Fatalf("round %d: %s S=%d", round, rows(d), d.Slots)
		}
	}
}

// once wants no result of a block to be made again twice.
func once(t *testing.T, g *ir.Graph) {
	t.Helper()
	seen := map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Phase != ir.Recompute {
			continue
		}
		for _, r := range n.Results {
			key := fmt.Sprint(n.Layer, g.Values[r].Name)
			if seen[key] {
				t.Errorf("%s is computed again twice in block %d", g.Values[r].Name, n.Layer)
			}
			seen[key] = true
		}
	}
}
