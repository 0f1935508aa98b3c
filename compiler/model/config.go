package model

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/spec/shape"
)

// Config is the model part of a spec with all derived values filled in.
type Config struct {
	Family                    string
	Layers, Heads, KVHeads    int
	HeadDim, Width, FFN       int
	Vocab, Context            int
	Eps, RopeBase             float64
	Tanh, Bias, QKVBias, Tied bool
	QKNorm                    bool
	AttentionWindow           int
	Dropout                   float64
	InitStd                   float64
	ResidualScale             bool
	Storage                   ir.DType // of activations, their gradients and the parameters that products read; zero is f32
}

// FromSpec reads the model, dropout and initialisation sections.
func FromSpec(x *shape.Experiment) Config {
	m := &x.Model
	c := Config{
		Family: m.Family, Layers: int(m.Layers), Heads: int(m.Heads), KVHeads: int(m.KVHeads),
		HeadDim: int(m.HeadDim), Width: int(m.DModel), FFN: int(m.FFN), Vocab: int(m.Vocab), Context: int(m.Context),
		Eps: m.Norm.Eps, RopeBase: m.Rope.Base, Tanh: m.Activation == "gelu_tanh",
		Bias: m.Bias, QKVBias: m.Bias, Tied: m.Tied, QKNorm: m.QKNorm, AttentionWindow: int(m.Attention.Window),
		Dropout: x.Dropout.Rate, InitStd: x.Init.Std, ResidualScale: x.Init.ResidualScale, Storage: ir.F32,
	}
	if d, err := ir.ParseDType(string(x.Precision.Compute)); err == nil {
		c.Storage = d
	}
	if m.QKVBias != nil {
		c.QKVBias = *m.QKVBias
	}
	return c
}

func (c *Config) storage() ir.DType {
	if c.Storage == ir.Invalid {
		return ir.F32
	}
	return c.Storage
}

// Llama reports whether the model is of the Llama family.
func (c *Config) Llama() bool { return c.Family == "llama" }

// QKV is the width of a packed row of queries, keys and values.
func (c *Config) QKV() int { return (c.Heads + 2*c.KVHeads) * c.HeadDim }

// Names lists the results that a placement may decide on, in forward order.
func (c *Config) Names() []string {
	if c.Llama() {
		return []string{"in", "ln1", "qkv", "att", "lse", "resid1", "ln2", "gateup", "act"}
	}
	return []string{"in", "ln1", "qkv", "att", "lse", "resid1", "ln2", "fc", "act"}
}

// Param describes one stored parameter tensor.
type Param struct {
	Name   string // canonical: blocks.3.attn.qkv.weight
	Layer  int    // -1 outside the blocks
	Shape  []int
	Init   string // normal, ones, zeros
	Std    float64
	Origin string // spec path that its size comes from
}

// Elems is the number of elements.
func (p *Param) Elems() int64 {
	n := int64(1)
	for _, d := range p.Shape {
		n *= int64(d)
	}
	return n
}

// Params lists the parameters in canonical order: embedding, positions, the
// blocks, the final norm, the head when it is not tied.
func (c *Config) Params() []Param {
	l := paramList{c: c}
	l.normal(-1, "embed.weight", c.InitStd, "model.vocab", c.Vocab, c.Width)
	if !c.Llama() {
		l.normal(-1, "pos.weight", c.InitStd, "model.context", c.Context, c.Width)
	}
	for i := range c.Layers {
		l.block(i)
	}
	l.norm(-1, "lnf")
	if !c.Tied {
		l.normal(-1, "head.weight", c.InitStd, "model.vocab", c.Vocab, c.Width)
	}
	return l.ps
}

// Count is the number of parameter elements.
func (c *Config) Count() int64 {
	n := int64(0)
	for _, p := range c.Params() {
		n += p.Elems()
	}
	return n
}

type paramList struct {
	c  *Config
	ps []Param
}

func (l *paramList) block(i int) {
	c := l.c
	out := c.InitStd
	if c.ResidualScale {
		out /= math.Sqrt(2 * float64(c.Layers))
	}
	at := func(s string) string { return fmt.Sprintf("blocks.%d.%s", i, s) }
	l.norm(i, at("ln1"))
	l.linear(i, at("attn.qkv"), c.InitStd, c.QKVBias, "model.heads", c.QKV(), c.Width)
	if c.QKNorm {
		l.add(Param{Name: at("attn.qnorm.weight"), Layer: i, Shape: []int{c.HeadDim}, Init: "ones", Origin: "model.qkNorm"})
		l.add(Param{Name: at("attn.knorm.weight"), Layer: i, Shape: []int{c.HeadDim}, Init: "ones", Origin: "model.qkNorm"})
	}
	l.linear(i, at("attn.out"), out, c.Bias, "model.heads", c.Width, c.Heads*c.HeadDim)
	l.norm(i, at("ln2"))
	if c.Llama() {
		l.linear(i, at("mlp.gateup"), c.InitStd, c.Bias, "model.ffn", 2*c.FFN, c.Width)
		l.linear(i, at("mlp.down"), out, c.Bias, "model.ffn", c.Width, c.FFN)
		return
	}
	l.linear(i, at("mlp.fc"), c.InitStd, c.Bias, "model.ffn", c.FFN, c.Width)
	l.linear(i, at("mlp.proj"), out, c.Bias, "model.ffn", c.Width, c.FFN)
}

func (l *paramList) add(p Param) { l.ps = append(l.ps, p) }

func (l *paramList) normal(layer int, name string, std float64, origin string, shape ...int) {
	l.add(Param{Name: name, Layer: layer, Shape: shape, Init: "normal", Std: std, Origin: origin})
}

func (l *paramList) linear(layer int, name string, std float64, bias bool, origin string, out, in int) {
	l.normal(layer, name+".weight", std, origin, out, in)
	if bias {
		l.add(Param{Name: name + ".bias", Layer: layer, Shape: []int{out}, Init: "zeros", Origin: origin})
	}
}

func (l *paramList) norm(layer int, name string) {
	l.add(Param{Name: name + ".weight", Layer: layer, Shape: []int{l.c.Width}, Init: "ones", Origin: "model.norm"})
	if !l.c.Llama() {
		l.add(Param{Name: name + ".bias", Layer: layer, Shape: []int{l.c.Width}, Init: "zeros", Origin: "model.norm"})
	}
}
