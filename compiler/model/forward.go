package model

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
)

// Batch is the shape of one micro-batch and which inputs it needs.
type Batch struct {
	B, T      int  // sequences, positions
	Lo        bool // some query sees less than everything before it
	Positions bool // positions restart inside a row
	Seed      int64
}

// R is the number of rows, B·T.
func (b Batch) R() int { return b.B * b.T }

// Leaves are the storages that every section shares.
type Leaves struct {
	Params               []ir.ID // in the order of Config.Params
	Control              ir.ID
	IDs, Targets, Weight ir.ID
	Lo, Positions        ir.ID // ir.None when the batch needs none
	Last                 ir.ID // only in a plan that samples
	byName               map[string]ir.ID
}

// Param finds a parameter by canonical name, ir.None when the model has none.
func (l *Leaves) Param(name string) ir.ID {
	if id, ok := l.byName[name]; ok {
		return id
	}
	return ir.None
}

// NewLeaves appends parameters and inputs to an empty graph.
func NewLeaves(g *ir.Graph, c *Config, b Batch, last bool) *Leaves {
	l := &Leaves{Lo: ir.None, Positions: ir.None, Last: ir.None, Targets: ir.None, Weight: ir.None, byName: map[string]ir.ID{}}
	for _, p := range c.Params() {
		id := g.Leaf(p.Name, p.Layer, ir.Parameter, ir.Device, ir.Of(c.storage(), p.Shape...), p.Origin)
		l.Params = append(l.Params, id)
		l.byName[p.Name] = id
	}
	input := func(name string, t ir.Type) ir.ID { return g.Leaf(name, -1, ir.Input, ir.Device, t, "window") }
	l.Control = input("control", ir.Of(ir.F64, ir.ControlLen))
	l.IDs = input("ids", ir.Of(ir.I32, b.R()))
	if last {
		l.Last = input("last", ir.Of(ir.I32, b.B))
	} else {
		l.Targets = input("targets", ir.Of(ir.I32, b.R()))
		l.Weight = input("weight", ir.Of(ir.F32, b.R()))
	}
	if b.Lo {
		l.Lo = input("lo", ir.Of(ir.I32, b.R()))
	}
	if b.Positions {
		l.Positions = input("positions", ir.Of(ir.I32, b.R()))
	}
	return l
}

// Builder appends the forward pass to a graph.
type Builder struct {
	G       *ir.Graph
	C       *Config
	B       Batch
	L       *Leaves
	Section ir.Section
	Train   bool // dropout is on

	layer int
}

// Hidden appends embedding, blocks and final norm and returns the head's input.
func (f *Builder) Hidden() ir.ID {
	f.layer = -1
	pos, seqLen := f.L.Param("pos.weight"), 0
	if pos != ir.None {
		seqLen = f.B.T
	}
	positions := f.L.Positions
	if pos == ir.None {
		positions = ir.None
	}
	x := f.one(ir.OpEmbed, "in", 0, "model.vocab", ir.Attr{SeqLen: seqLen}, f.L.Param("embed.weight"), pos, f.L.IDs, positions)
	x = f.dropout(x, "in", 0, siteEmbedding)
	for i := range f.C.Layers {
		f.layer = i
		x = f.block(i, x)
	}
	f.layer = -1
	return f.norm(x, "lnf", "lnf")
}

// Loss appends the classifier with cross-entropy: token losses without gradient.
func (f *Builder) Loss(x ir.ID) ir.ID {
	return f.one(ir.OpHeadLoss, "loss", -1, "mask", ir.Attr{}, x, f.head(), f.L.Targets, f.L.Weight)
}

// Logits appends the classifier for one position a sequence.
func (f *Builder) Logits(x ir.ID) ir.ID {
	return f.one(ir.OpHeadLogits, "logits", -1, "model.vocab", ir.Attr{SeqLen: f.B.T}, x, f.head(), f.L.Last)
}

func (f *Builder) head() ir.ID {
	if f.C.Tied {
		return f.L.Param("embed.weight")
	}
	return f.L.Param("head.weight")
}

func (f *Builder) block(i int, in ir.ID) ir.ID {
	at := func(s string) string { return fmt.Sprintf("blocks.%d.%s", i, s) }
	ln1 := f.norm(in, "ln1", at("ln1"))
	att := f.attention(f.linear(ln1, "qkv", at("attn.qkv"), "model.heads"))
	out := f.dropout(f.linear(att, "attout", at("attn.out"), "model.heads"), "attdrop", i, siteAttention)
	resid := f.one(ir.OpAdd, "resid1", i, "model", ir.Attr{}, in, out)
	ln2 := f.norm(resid, "ln2", at("ln2"))
	mlp := f.dropout(f.mlp(ln2, at), "mlpdrop", i, siteMLP)
	// The sum is the next block's input; after the last block it feeds the final norm.
	next, name := i+1, "in"
	if next == f.C.Layers {
		next, name = -1, "last"
	}
	return f.one(ir.OpAdd, name, next, "model", ir.Attr{}, resid, mlp)
}

func (f *Builder) mlp(x ir.ID, at func(string) string) ir.ID {
	if f.C.Llama() {
		gu := f.linear(x, "gateup", at("mlp.gateup"), "model.ffn")
		act := f.one(ir.OpSwiGLU, "act", f.layer, "model.activation", ir.Attr{}, gu)
		return f.linear(act, "mlpout", at("mlp.down"), "model.ffn")
	}
	fc := f.linear(x, "fc", at("mlp.fc"), "model.ffn")
	act := f.one(ir.OpGELU, "act", f.layer, "model.activation", ir.Attr{Tanh: f.C.Tanh}, fc)
	return f.linear(act, "mlpout", at("mlp.proj"), "model.ffn")
}

func (f *Builder) attention(qkv ir.ID) ir.ID {
	c := f.C
	a := ir.Attr{Heads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.HeadDim, SeqLen: f.B.T}
	if c.Llama() {
		// The rotated tensor is the one that is kept; the projection is a step on the way.
		f.G.Values[qkv].Name = "proj"
		r := a
		r.Base = c.RopeBase
		qkv = f.one(ir.OpRoPE, "qkv", f.layer, "model.rope", r, qkv, f.L.Positions)
	}
	a.Scale = 1 / math.Sqrt(float64(c.HeadDim))
	return f.add(ir.OpAttention, "model.attention", a, []ir.ID{qkv, f.L.Lo}, f.named("att"), f.named("lse"))[0]
}

func (f *Builder) linear(x ir.ID, name, param, origin string) ir.ID {
	return f.one(ir.OpLinear, name, f.layer, origin, ir.Attr{}, x, f.L.Param(param+".weight"), f.L.Param(param+".bias"))
}

func (f *Builder) norm(x ir.ID, name, param string) ir.ID {
	a := ir.Attr{Eps: f.C.Eps}
	w, b := f.L.Param(param+".weight"), f.L.Param(param+".bias")
	if f.C.Llama() {
		return f.add(ir.OpRMSNorm, "model.norm", a, []ir.ID{x, w}, f.named(name), f.named(name+".rstd"))[0]
	}
	return f.add(ir.OpLayerNorm, "model.norm", a, []ir.ID{x, w, b}, f.named(name), f.named(name+".mean"), f.named(name+".rstd"))[0]
}

// Places of dropout: site = 64·layer + place, so that no two draw the same numbers.
const (
	siteEmbedding = iota
	siteAttention
	siteMLP
)

func (f *Builder) dropout(x ir.ID, name string, layer, place int) ir.ID {
	if f.C.Dropout == 0 || !f.Train {
		return x
	}
	v := &f.G.Values[x]
	if v.Name == name { // the dropped tensor takes the name, the embedding is a step on the way
		v.Name = name + ".whole"
	}
	a := ir.Attr{Rate: f.C.Dropout, Site: 64*(f.layer+1) + place, Seed: f.B.Seed, SeqLen: f.B.T}
	return f.one(ir.OpDropout, name, layer, "dropout.rate", a, x, f.L.Control)
}

func (f *Builder) named(name string) ir.Result {
	return ir.Result{Name: name, Layer: f.layer, Class: ir.Activation}
}

func (f *Builder) one(op ir.Op, name string, layer int, origin string, a ir.Attr, args ...ir.ID) ir.ID {
	return f.add(op, origin, a, args, ir.Result{Name: name, Layer: layer, Class: ir.Activation})[0]
}

func (f *Builder) add(op ir.Op, origin string, a ir.Attr, args []ir.ID, results ...ir.Result) []ir.ID {
	return f.G.Add(ir.Node{Op: op, Args: args, Attr: a, Section: f.Section, Phase: ir.Forward, Layer: f.layer, Origin: origin}, results...)
}
