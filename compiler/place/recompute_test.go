package place_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
)

// clones prints what is computed again in a block: op(arguments)→results by name.
func clones(g *ir.Graph, layer int) (list []string) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Phase != ir.Recompute || n.Layer != layer {
			continue
		}
		var args, results []string
		for _, a := range n.Args {
			if a != ir.None && g.Values[a].Class != ir.Parameter && g.Values[a].Class != ir.Input {
				v := &g.Values[a]
				name := v.Name
				if v.Class == ir.Staging {
					name += "@slot"
				}
				args = append(args, name)
			}
		}
		for _, r := range n.Results {
			results = append(results, g.Values[r].Name)
		}
		list = append(list, n.Op.String()+"("+strings.Join(args, " ")+")→"+strings.Join(results, " "))
	}
	return list
}

func TestClosures(t *testing.T) {
	dropped := gpt(2)
	dropped.Dropout = 0.1
	untied := gpt(2)
	untied.Tied = false
	all := func(c model.Config) string { return "k" + strings.Repeat("r", len(c.Names())-1) }
	for _, c := range []struct {
		name string
		cfg  model.Config
		row  string
		want []string
	}{
		{"nothing", gpt(2), "kkkkkkkkk", nil},
		{"a norm comes from kept statistics", gpt(2), only(gpt(2), "r", "ln1"), []string{"layernorm.apply(in ln1.mean ln1.rstd)→ln1"}},
		{"the other norm", gpt(2), only(gpt(2), "r", "ln2"), []string{"layernorm.apply(resid1 ln2.mean ln2.rstd)→ln2"}},
		{"act comes from kept fc", gpt(2), only(gpt(2), "r", "act"), []string{"gelu(fc)→act"}},
		{"fc needs its product", gpt(2), only(gpt(2), "r", "fc"), []string{"linear.gelu(ln2)→fc act"}},
		{"fc and act are one product", gpt(2), only(gpt(2), "r", "fc", "act"), []string{"linear.gelu(ln2)→fc act"}},
		{"fc comes back, act comes from it", gpt(2), "kkkkkkkhr", []string{"gelu(fc@slot)→act"}},
		{"a norm of an input that comes back", gpt(2), "hrkkkkkkk", []string{"layernorm.apply(in@slot ln1.mean ln1.rstd)→ln1"}},
		{"qkv alone", gpt(2), only(gpt(2), "r", "qkv"), []string{"linear(ln1)→qkv"}},
		{"att alone", gpt(2), only(gpt(2), "r", "att"), []string{"attention(qkv)→att lse"}},
		{"lse alone", gpt(2), only(gpt(2), "r", "lse"), []string{"attention(qkv)→att lse"}},
		{"att and lse are one op", gpt(2), only(gpt(2), "r", "att", "lse"), []string{"attention(qkv)→att lse"}},
		{"the closure goes through a result without a name to decide on", gpt(2), only(gpt(2), "r", "resid1"),
			[]string{"linear.add(att in)→resid1"}},
		{"the closure goes through dropout", dropped, only(dropped, "r", "resid1"),
			[]string{"linear(att)→attout", "dropout(attout)→attdrop", "add(in attdrop)→resid1"}},
		{"a whole block, each once, no output product", gpt(2), all(gpt(2)), []string{
			"layernorm.apply(in ln1.mean ln1.rstd)→ln1", "linear(ln1)→qkv", "attention(qkv)→att lse", "linear.add(att in)→resid1",
			"layernorm.apply(resid1 ln2.mean ln2.rstd)→ln2", "linear.gelu(ln2)→fc act"}},
		{"a whole block, untied", untied, all(untied), []string{
			"layernorm.apply(in ln1.mean ln1.rstd)→ln1", "linear(ln1)→qkv", "attention(qkv)→att lse", "linear.add(att in)→resid1",
			"layernorm.apply(resid1 ln2.mean ln2.rstd)→ln2", "linear.gelu(ln2)→fc act"}},
		{"a whole block of which att is moved", gpt(2), "krrhrrrrr", []string{
			"linear.add(att@slot in)→resid1", "layernorm.apply(resid1 ln2.mean ln2.rstd)→ln2", "linear.gelu(ln2)→fc act",
			"layernorm.apply(in ln1.mean ln1.rstd)→ln1", "linear(ln1)→qkv", "attention(qkv)→att lse"}},
		{"rotated qkv goes back to the projection", llama(2), only(llama(2), "r", "qkv"), []string{"linear(ln1)→proj", "rope(proj)→qkv"}},
		{"rms norm", llama(2), only(llama(2), "r", "ln1"), []string{"rmsnorm.apply(in ln1.rstd)→ln1"}},
		{"gated act", llama(2), only(llama(2), "r", "act"), []string{"swiglu(gateup)→act"}},
		{"gated act with its product", llama(2), only(llama(2), "r", "gateup", "act"), []string{"linear(ln2)→gateup", "swiglu(gateup)→act"}},
		{"a whole llama block", llama(2), all(llama(2)), []string{
			"rmsnorm.apply(in ln1.rstd)→ln1", "linear(ln1)→proj", "rope(proj)→qkv", "attention(qkv)→att lse", "linear.add(att in)→resid1",
			"rmsnorm.apply(resid1 ln2.rstd)→ln2", "linear(ln2)→gateup", "swiglu(gateup)→act"}},
	} {
		r := apply(t, unplaced(t, c.cfg, adamW), decision(c.cfg, 2, same(c.row)))
		for layer := range c.cfg.Layers {
			if d := cmp.Diff(c.want, clones(r.Graph, layer)); d != "" {
				t.Errorf("%s, block %d (-want +got):\n%s", c.name, layer, d)
			}
		}
	}
}

// TestClonesKeepAttributes: a clone computes with the constants of the original:
// the same dropout site, the same scale, the same form of gelu.
func TestClonesKeepAttributes(t *testing.T) {
	for _, c := range []model.Config{gpt(3), llama(3)} {
		c.Dropout = 0.1
		r := apply(t, unplaced(t, c, adamW), decision(c, 2, same("k"+strings.Repeat("r", 8))))
		g := r.Graph
		original := map[string]*ir.Node{}
		key := func(n *ir.Node) string { return string(rune(n.Layer)) + g.Values[n.Results[0]].Name }
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Section == ir.Micro && n.Phase == ir.Forward {
				original[key(n)] = n
			}
			if n.Phase != ir.Recompute {
				continue
			}
			o := original[key(n)]
			want := o.Attr
			if n.Op != o.Op { // from kept statistics: eps is in them
				want.Eps = 0
			}
			if n.Attr != want {
				t.Errorf("%v of block %d is computed again with %v, at first with %v", n.Op, n.Layer, n.Attr, want)
			}
		}
	}
}

// TestCloneIsJustBeforeUse: what a block computes again stands inside its own
// backward, and something later in that backward reads it.
func TestCloneIsJustBeforeUse(t *testing.T) {
	for _, c := range []model.Config{gpt(4), llama(4)} {
		g := apply(t, unplaced(t, c, adamW), decision(c, 2, same("h"+strings.Repeat("r", 8)))).Graph
		block := -1 // of the last backward node before
		read := map[ir.ID]int{}
		for i := range g.Nodes {
			for _, a := range g.Nodes[i].Args {
				read[a] = i
			}
		}
		for i := range g.Nodes {
			n := &g.Nodes[i]
			switch n.Phase {
			case ir.Backward:
				block = n.Layer
			case ir.Recompute:
				if block != n.Layer && block != n.Layer+1 && (block != -1 || n.Layer != c.Layers-1) {
					t.Errorf("%v of block %d is computed again during backward of block %d", n.Op, n.Layer, block)
				}
				used := false
				for _, r := range n.Results {
					if k, ok := read[r]; ok {
						used = true
						if g.Nodes[k].Layer != n.Layer {
							t.Errorf("%v computed again in block %d is read in block %d", n.Op, n.Layer, g.Nodes[k].Layer)
						}
					}
				}
				if !used {
					t.Errorf("%v is computed again in block %d and not read", n.Op, n.Layer)
				}
			}
		}
	}
}
