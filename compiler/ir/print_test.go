package ir

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// small is a graph with every part of the grammar: a fused node, a gradient
// chain, transfers with slots and orders, an absent argument, names in need of quotes.
func small() *Graph {
	g := &Graph{}
	act := func(name string, layer int) Result { return Result{Name: name, Layer: layer, Class: Activation} }
	x := g.Leaf("x", -1, Input, Device, Of(F32, 8, 16), "window")
	w := g.Leaf("blocks.0.mlp.fc.weight", 0, Parameter, Device, Of(F32, 32, 16), "model.ffn")
	gw := g.Leaf("blocks.0.mlp.fc.weight.grad", 0, Gradient, Device, Of(F32, 32, 16), "model.ffn")
	ctl := g.Leaf("control", -1, Input, Device, Of(F64, ControlLen), "window")
	host := g.Leaf("fc", 0, Activation, Host, Of(F32, 8, 32), "offload")
	fc := g.Add(Node{Op: OpLinearGELU, Args: []ID{x, w, None}, Attr: Attr{Tanh: true}, Phase: Forward, Layer: 0, Origin: "model.ffn"},
		Result{Name: "fc", Layer: 0, Class: Staging, Slot: 1}, act("act", 0))
	h := g.Add(Node{Op: OpCopyOut, Args: []ID{fc[0], host}, Phase: Transfer, Layer: 0, Origin: `offload.overrides["a b"]`},
		Result{Name: "fc", Layer: 0, Class: Activation, Tier: Host})
	next := g.Add(Node{Op: OpAdd, Args: []ID{fc[1], fc[1]}, Phase: Forward, Layer: 0}, act("in", 1))
	back := g.Add(Node{Op: OpCopyIn, Args: []ID{h[0]}, Phase: Transfer, Layer: 0, Origin: "offload", After: []int{5, 7}},
		Result{Name: "fc", Layer: 0, Class: Staging, Slot: 2})
	d := g.Add(Node{Op: OpGELUGrad, Args: []ID{back[0], next[0]}, Attr: Attr{Tanh: true}, Phase: Backward, Layer: 0, Origin: "model.activation"},
		Result{Name: "", Layer: -1, Class: Transient})
	g2 := g.Add(Node{Op: OpLinearDW, Args: []ID{d[0], x, ctl, gw}, Phase: Backward, Layer: 0, Origin: "model.ffn"},
		Result{Name: "blocks.0.mlp.fc.weight.grad", Layer: 0, Class: Gradient})
	g.Add(Node{Op: OpSGD, Args: []ID{w, g2[0], ctl}, Attr: Attr{Decay: 0.1, LRScale: 1}, Section: Update, Phase: Step, Layer: -1, Origin: "optimizer"},
		Result{Name: "blocks.0.mlp.fc.weight", Layer: 0, Class: Parameter})
	return g
}

const smallText = `n0    v0 x f32[8,16] input                                      = leaf                                          @window
n1    v1 blocks.0.mlp.fc.weight f32[32,16] parameter            = leaf                                          L0 @model.ffn
n2    v2 blocks.0.mlp.fc.weight.grad f32[32,16] gradient        = leaf                                          L0 @model.ffn
n3    v3 control f64[32] input                                  = leaf                                          @window
n4    v4 fc f32[8,32] activation host                           = leaf                                          L0 @offload

n5    v5 fc f32[8,32] staging slot0, v6 act f32[8,32] activation = linear.gelu(v0, v1, _) {tanh}                micro forward L0 @model.ffn
n6    v7 fc f32[8,32] activation host                           = copy.out(v5, v4)                              micro transfer L0 @"offload.overrides[\"a b\"]"
n7    v8 in f32[8,32] activation L1                             = add(v6, v6)                                   micro forward L0
n8    v9 fc f32[8,32] staging slot1                             = copy.in(v7)                                   micro transfer L0 after n5,n7 @offload
n9    v10 "" f32[8,32] transient L-1                            = gelu.grad(v9, v8) {tanh}                      micro backward L0 @model.activation
n10   v11 blocks.0.mlp.fc.weight.grad f32[32,16] gradient       = linear.dw(v10, v0, v3, v2)                    micro backward L0 @model.ffn

n11   v12 blocks.0.mlp.fc.weight f32[32,16] parameter L0        = sgd(v1, v11, v3) {decay=0.1 lrScale=1}        update step @optimizer
`

func TestPrint(t *testing.T) {
	if d := cmp.Diff(smallText, Print(small())); d != "" {
		t.Errorf("text (-want +got)\n%s", d)
	}
	want := `n8 v9 fc f32[8,32] staging slot1 = copy.in(v7) micro transfer L0 after n5,n7 @offload`
	if got := PrintNode(small(), 8); got != want {
		t.Errorf("line of a node\n got %s\nwant %s", got, want)
	}
}

func same(t *testing.T, g *Graph) {
	t.Helper()
	text := Print(g)
	got, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if d := cmp.Diff(g, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("graph (-printed +parsed)\n%s\n%s", d, text)
	}
}

func TestParseIsInverse(t *testing.T) {
	same(t, small())
	same(t, &Graph{})
	if got, err := Parse("# a comment\n\n  # another\r\n"); err != nil || len(got.Nodes) != 0 {
		t.Errorf("comments: %v, %v", got, err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		same(t, random(rnd))
	}
}

// random makes a graph that need not make sense: Print and Parse do not ask.
func random(r *rand.Rand) *Graph {
	words := []string{"", "fc", "blocks.3.attn.qkv.weight", "a b", `quo"te`, "é", "=", "v1,v2", "tab\t", "\xff", "@", "L3", "host", "slot0", "{}", "#"}
	word := func() string { return words[r.IntN(len(words))] }
	g := &Graph{}
	for i := range r.IntN(12) {
		n := Node{Op: Op(r.IntN(int(NumOps))), Section: Section(r.IntN(int(NumSections))), Phase: Phase(r.IntN(int(NumPhases))), Layer: r.IntN(4) - 1, Origin: word()}
		if r.IntN(3) == 0 {
			n.Attr = full()
			n.Attr.Scale = r.NormFloat64()
		}
		for range r.IntN(4) {
			n.Args = append(n.Args, ID(r.IntN(40)-1))
		}
		for range r.IntN(3) {
			n.After = append(n.After, r.IntN(20))
		}
		for j := range r.IntN(4) {
			u := Of(DType(1+r.IntN(5)), 1+r.IntN(300))
			if r.IntN(2) == 0 {
				u.Shape = append(u.Shape, 1+r.IntN(9))
			}
			n.Results = append(n.Results, ID(len(g.Values)))
			g.Values = append(g.Values, Value{Type: u, Name: word(), Layer: r.IntN(4) - 1, Class: Class(r.IntN(int(NumClasses))),
				Tier: Tier(r.IntN(int(NumTiers))), Slot: r.IntN(3), Node: i, Index: j})
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

func TestPrintBroken(t *testing.T) {
	g := small()
	g.Nodes[5].Op, g.Nodes[6].Section, g.Nodes[7].Phase = NumOps+3, NumSections, NumPhases
	g.Values[9].Class, g.Values[8].Tier = NumClasses, NumTiers
	g.Nodes[9].Results = []ID{77}
	text := Print(g)
	for _, want := range []string{fmt.Sprintf("op(%d)", NumOps+3), "section(4)", "phase(6)", "class(9)", "tier(2)", "v77 "} {
		if !strings.Contains(text, want) {
			t.Errorf("the text of a broken graph lacks %q\n%s", want, text)
		}
	}
}

func TestParseErrors(t *testing.T) {
	leaf := "n0 v0 x f32[2] input = leaf @w\n"
	for _, c := range []struct{ text, want string }{
		{"v0 x f32[2] input = leaf", "line 1: the line does not begin with n0"},
		{leaf + "n2 v1 y f32[2] input = leaf", "line 2: the line does not begin with n1"},
		{"n0 v1 x f32[2] input = leaf", "a result is not v0"},
		{"n0 v0", "the line ends where a name is expected"},
		{`n0 v0 "x f32[2] input = leaf`, "not a quoted name"},
		{"n0 v0 x f33[2] input = leaf", `unknown dtype "f33"`},
		{"n0 v0 x f32[0] input = leaf", `dimension "0"`},
		{"n0 v0 x f32 input = leaf", "not of the form"},
		{"n0 v0 x f32[2] inputs = leaf", `unknown class "inputs"`},
		{"n0 v0 x f32[2] input slotx = leaf", "expected slotN"},
		{"n0 v0 x f32[2] input L-3 = leaf", "L-3: blocks count from 0"},
		{"n0 v0 x f32[2] input disk = leaf", `found "disk", expected ","`},
		{"n0 v0 x f32[2] input = leef", `unknown op "leef"`},
		{"n0 v0 x f32[2] input = add", "no ( after add"},
		{"n0 v0 x f32[2] input = add(v0 v1) micro forward", `found "v1)", expected ","`},
		{"n0 v0 x f32[2] input = add(x, v1) micro forward", "argument: "},
		{"n0 v0 x f32[2] input = add(v0, v1", `found "", expected ","`},
		{"n0 v0 x f32[2] input = gelu(v0) {tan} micro forward", `unknown attribute "tan"`},
		{"n0 v0 x f32[2] input = gelu(v0) {tanh micro forward", "no } after the attributes"},
		{"n0 v0 x f32[2] input = gelu(v0)", `unknown section ""`},
		{"n0 v0 x f32[2] input = gelu(v0) micro", `unknown phase ""`},
		{"n0 v0 x f32[2] input = gelu(v0) micro forward after 3", "expected nN"},
		{"n0 v0 x f32[2] input = gelu(v0) micro forward Lx", "expected LN"},
		{"n0 v0 x f32[2] input = leaf @", "the line ends where a name is expected"},
		{"n0 v0 x f32[2] input = leaf @w more", `found "more", expected the end`},
		{"n99999999999 = leaf", "does not begin"},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// FuzzParse: what Parse accepts is printed to a text that reads back equal, and
// Check answers about it.
func FuzzParse(f *testing.F) {
	f.Add(smallText)
	r := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		f.Add(Print(random(r)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("error without a line: %v", err)
			}
			return
		}
		again, err := Parse(Print(g))
		if err != nil {
			t.Fatalf("%v in\n%s", err, Print(g))
		}
		if d := cmp.Diff(g, again, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("graph (-printed +parsed)\n%s", d)
		}
		if err := Check(g); err != nil && len(err.Error()) == 0 {
			t.Error("a fault without words")
		}
	})
}
