package model

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/spec/shape"
)

func names(ps []Param) (ns []string) {
	for _, p := range ps {
		ns = append(ns, p.Name)
	}
	return ns
}

// gpt and llama are one block each, with every dimension different.
func gpt() Config {
	return Config{Family: "gpt2", Layers: 1, Heads: 2, KVHeads: 2, HeadDim: 4, Width: 8, FFN: 32, Vocab: 17, Context: 6,
		Eps: 1e-5, Tanh: true, Bias: true, QKVBias: true, Tied: true, InitStd: 0.02, ResidualScale: true}
}

func llama() Config {
	return Config{Family: "llama", Layers: 1, Heads: 4, KVHeads: 2, HeadDim: 4, Width: 8, FFN: 24, Vocab: 17, Context: 6,
		Eps: 1e-5, RopeBase: 10000, InitStd: 0.02, ResidualScale: true}
}

// The canonical order names every tensor that is stored, sealed and summed; it
// is part of the identity of a run.
func TestParamsOrder(t *testing.T) {
	untied := gpt()
	untied.Tied = false
	bare := gpt()
	bare.Bias, bare.QKVBias = false, false
	qk := llama()
	qk.QKVBias, qk.QKNorm = true, true
	for _, c := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"gpt2", gpt(), []string{"embed.weight", "pos.weight",
			"blocks.0.ln1.weight", "blocks.0.ln1.bias", "blocks.0.attn.qkv.weight", "blocks.0.attn.qkv.bias",
			"blocks.0.attn.out.weight", "blocks.0.attn.out.bias", "blocks.0.ln2.weight", "blocks.0.ln2.bias",
			"blocks.0.mlp.fc.weight", "blocks.0.mlp.fc.bias", "blocks.0.mlp.proj.weight", "blocks.0.mlp.proj.bias",
			"lnf.weight", "lnf.bias"}},
		{"without biases of products", bare, []string{"embed.weight", "pos.weight",
			"blocks.0.ln1.weight", "blocks.0.ln1.bias", "blocks.0.attn.qkv.weight", "blocks.0.attn.out.weight",
			"blocks.0.ln2.weight", "blocks.0.ln2.bias", "blocks.0.mlp.fc.weight", "blocks.0.mlp.proj.weight",
			"lnf.weight", "lnf.bias"}},
		{"llama", llama(), []string{"embed.weight",
			"blocks.0.ln1.weight", "blocks.0.attn.qkv.weight", "blocks.0.attn.out.weight",
			"blocks.0.ln2.weight", "blocks.0.mlp.gateup.weight", "blocks.0.mlp.down.weight",
			"lnf.weight", "head.weight"}},
		{"llama with qkv bias and qk norm", qk, []string{"embed.weight",
			"blocks.0.ln1.weight", "blocks.0.attn.qkv.weight", "blocks.0.attn.qkv.bias",
			"blocks.0.attn.qnorm.weight", "blocks.0.attn.knorm.weight", "blocks.0.attn.out.weight",
			"blocks.0.ln2.weight", "blocks.0.mlp.gateup.weight", "blocks.0.mlp.down.weight",
			"lnf.weight", "head.weight"}},
	} {
		if d := cmp.Diff(c.want, names(c.cfg.Params())); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	last := names(untied.Params())
	if got := last[len(last)-1]; got != "head.weight" {
		t.Errorf("the last parameter of an untied model is %s, want head.weight", got)
	}
}

func TestParamsInit(t *testing.T) {
	c := gpt()
	c.Layers = 8
	for _, p := range c.Params() {
		want := Param{Init: "normal", Std: 0.02}
		switch {
		case len(p.Shape) == 1 && p.Name[len(p.Name)-4:] == "bias":
			want = Param{Init: "zeros"}
		case len(p.Shape) == 1:
			want = Param{Init: "ones"}
		case p.Layer >= 0 && (p.Shape[0] == c.Width): // the two products that write into the residual stream
			want.Std = 0.02 / math.Sqrt(2*8)
		}
		if p.Init != want.Init || p.Std != want.Std {
			t.Errorf("%s starts as %s %g, want %s %g", p.Name, p.Init, p.Std, want.Init, want.Std)
		}
		if p.Origin == "" {
			t.Errorf("%s has no origin in the spec", p.Name)
		}
	}
	c.ResidualScale = false
	for _, p := range c.Params() {
		if p.Init == "normal" && p.Std != 0.02 {
			t.Errorf("without residual scale %s starts with %g, want 0.02", p.Name, p.Std)
		}
	}
}

func TestFromSpec(t *testing.T) {
	yes := true
	x := &shape.Experiment{
		Model: shape.Model{Family: "llama", Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 16, DModel: 48, FFN: 160, Vocab: 256, Context: 64,
			Norm: shape.Norm{Kind: "rmsnorm", Eps: 1e-6}, Activation: "silu_glu", Rope: shape.Rope{Base: 5e5}, QKVBias: &yes, QKNorm: true,
			Attention: shape.Attention{Window: 32}},
		Dropout: shape.Dropout{Rate: 0.1},
		Init:    shape.Init{Std: 0.08, ResidualScale: true},
	}
	want := Config{Family: "llama", Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 16, Width: 48, FFN: 160, Vocab: 256, Context: 64,
		Eps: 1e-6, RopeBase: 5e5, QKVBias: true, QKNorm: true, AttentionWindow: 32, Dropout: 0.1, InitStd: 0.08, ResidualScale: true, Storage: ir.F32}
	if d := cmp.Diff(want, FromSpec(x)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	x.Model.QKVBias = nil
	if c := FromSpec(x); c.QKVBias != c.Bias {
		t.Error("without qkvBias the bias of q, k and v is not that of the other products")
	}
	x.Model.Activation = "gelu_tanh"
	if c := FromSpec(x); !c.Tanh {
		t.Error("gelu_tanh does not ask for the tanh form")
	}
}
