package place_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/autodiff"
	"github.com/gradcue/gradcue/compiler/fuse"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/order"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/window"
)

func gpt(layers int) model.Config {
	return model.Config{Family: "gpt2", Layers: layers, Heads: 2, KVHeads: 2, HeadDim: 4, Width: 8, FFN: 32, Vocab: 17, Context: 8,
		Eps: 1e-5, Tanh: true, Bias: true, QKVBias: true, Tied: true}
}

func llama(layers int) model.Config {
	return model.Config{Family: "llama", Layers: layers, Heads: 4, KVHeads: 2, HeadDim: 4, Width: 12, FFN: 24, Vocab: 17, Context: 8,
		Eps: 1e-5, RopeBase: 10000}
}

var adamW = window.Optimizer{Kind: "adamw", Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, Decay: 0.1, MaxNorm: 1}

// unplaced is the graph that placement gets: micro, update and eval, fused.
func unplaced(t *testing.T, c model.Config, o window.Optimizer) *ir.Graph {
	t.Helper()
	b := model.Batch{B: 2, T: 6, Lo: true, Seed: 3}
	g := &ir.Graph{}
	l := model.NewLeaves(g, &c, b, false)
	f := model.Builder{G: g, C: &c, B: b, L: l, Section: ir.Micro, Train: true}
	f.Loss(f.Hidden())
	back, err := autodiff.Backward(g, autodiff.Options{Control: l.Control, Params: l.Params, CompactRows: min(c.Vocab, b.R())})
	if err != nil {
		t.Fatal(err)
	}
	u := window.Append(back, l.Params, l.Control, &o)
	e := model.Builder{G: u.Graph, C: &c, B: b, L: l, Section: ir.Eval}
	e.Loss(e.Hidden())
	return fuse.Fuse(u.Graph).New
}

// apply places a graph and checks what holds for every decision.
func apply(t *testing.T, g *ir.Graph, d *place.Decision) *place.Result {
	t.Helper()
	before := ir.Print(g)
	r := place.Apply(g, d)
	if err := ir.Check(r.Graph); err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	if ir.Print(g) != before {
		t.Fatal("Apply changed its argument")
	}
	return r
}

// decision gives every result of every block the letter that row returns: k, r or h.
func decision(c model.Config, slots int, row func(layer int) string) *place.Decision {
	d := &place.Decision{Names: c.Names(), Slots: slots, Moments: make([]bool, c.Layers+1)}
	for l := range c.Layers {
		var cs []place.Choice
		for _, letter := range row(l) {
			cs = append(cs, place.Choice(strings.IndexRune(letters, letter)))
		}
		d.Block = append(d.Block, cs)
	}
	return d
}

// letters are the choices in their order.
const letters = "krh"

// rows prints a decision: a word of letters for each block.
func rows(d *place.Decision) string {
	var words []string
	for _, row := range d.Block {
		w := ""
		for _, c := range row {
			w += string(letters[c])
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// only is a row that keeps everything but the named results.
func only(c model.Config, letter string, names ...string) string {
	w := ""
	for _, n := range c.Names() {
		if slices.Contains(names, n) {
			w += letter
		} else {
			w += "k"
		}
	}
	return w
}

// same is a row for every block.
func same(row string) func(int) string { return func(int) string { return row } }

// random draws a decision: every result of every block on its own; the input of
// a block is what recomputing starts from, so it is kept or offloaded.
func random(r *rand.Rand, c model.Config) *place.Decision {
	d := decision(c, 1+r.IntN(3), func(int) string {
		w := []byte{"kh"[r.IntN(2)]}
		for range c.Names()[1:] {
			w = append(w, letters[r.IntN(3)])
		}
		return string(w)
	})
	for i := range d.Moments {
		d.Moments[i] = r.IntN(2) == 0
	}
	if r.IntN(4) == 0 { // whole blocks alone, as a spec declares them
		for l := range d.Block {
			for k := range d.Block[l] {
				d.Block[l][k] = place.Choice(l % 3)
			}
			if d.Block[l][0] == place.Recompute {
				d.Block[l][0] = place.Keep
			}
		}
	}
	return d
}

// set is a set of node numbers.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// forced is the order that streams and dependencies force: forced[i] holds the
// nodes that must be done when node i starts.
func forced(g *ir.Graph) []set {
	last := map[string]int{}
	before := make([]set, len(g.Nodes))
	for i := range g.Nodes {
		before[i] = make(set, len(g.Nodes)/64+1)
		n := &g.Nodes[i]
		if n.Op == ir.OpLeaf {
			continue
		}
		join := func(d int) {
			before[i][d/64] |= 1 << (d % 64)
			for w, bits := range before[d] {
				before[i][w] |= bits
			}
		}
		stream := fmt.Sprint(n.Section, order.StreamOf(n.Op))
		if d, ok := last[stream]; ok {
			join(d)
		}
		last[stream] = i
		for _, a := range n.Args {
			if a != ir.None && g.Nodes[g.Values[a].Node].Op != ir.OpLeaf {
				join(g.Values[a].Node)
			}
		}
		for _, d := range n.After {
			join(d)
		}
	}
	return before
}
