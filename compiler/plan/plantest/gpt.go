package plantest

import (
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/rate"
)

// Config is the size of a GPT plan.
type Config struct {
	Layers, Batch, SeqLen, Width, Heads, Vocab int
	Workers                                    int
	Slots                                      int // staging slots; 0 = nothing is offloaded
}

// Small is a configuration whose step takes a few milliseconds.
func Small() Config {
	return Config{Layers: 5, Batch: 2, SeqLen: 8, Width: 16, Heads: 2, Vocab: 31, Workers: 3, Slots: 2}
}

// Large has as many layers as the biggest published models and tiny matrices.
func Large() Config {
	return Config{Layers: 96, Batch: 1, SeqLen: 8, Width: 8, Heads: 2, Vocab: 31, Workers: 8, Slots: 2}
}

// param is a parameter with its gradient and AdamW's moments.
type param struct{ w, g, m, v int }

// block holds the buffers of one block: parameters, and what forward keeps for backward.
type block struct {
	p                          map[string]param
	in, mean1, rstd1, qkv, att int
	lse, resid, mean2, rstd2   int
	fc, act                    int
	host                       [3]int // copies of in, qkv, fc
	offloaded                  bool
	outDone, inDone            int // events
	outWaited                  bool
}

// gpt is the state of building one plan.
type gpt struct {
	*Builder
	c              Config
	in             *plan.Inputs
	table, head    param
	lnW, lnB       param
	blocks         []block
	region, norms  int
	params         []param
	rows, ffn      int
	slot           [3]int64 // place of in, qkv, fc inside a slot
	slotBytes      int64
	attn, eps, seq ir.Attr
}

// GPT is a training plan of a GPT-2 like model: micro with all gradients,
// update with clipping and AdamW, eval and logits. With Slots > 0 each block's
// input (by copy.stage), qkv and fc live in staging slots, are copied out after
// the block's forward, and copied in when the block Slots above is done with
// its backward. The last Slots blocks move nothing. Weights that are not block
// parameters: an embedding table, a final norm and an untied head.
func GPT(c Config) *plan.Plan {
	n := &gpt{Builder: New(c.Workers, 2, c.Batch, c.SeqLen), c: c, rows: c.Batch * c.SeqLen, ffn: 4 * c.Width}
	d := c.Width / c.Heads
	n.attn = ir.Attr{Heads: c.Heads, KVHeads: c.Heads, HeadDim: d, Scale: 1 / math.Sqrt(float64(d)), SeqLen: c.SeqLen}
	n.eps, n.seq = ir.Attr{Eps: 1e-5}, ir.Attr{SeqLen: c.SeqLen}
	n.storage()
	n.micro()
	n.update()
	n.evaluate()
	return n.Plan()
}

// storage adds everything persistent and the run part of the plan.
func (n *gpt) storage() {
	c, w := n.c, n.c.Width
	n.in = &n.Run().Inputs
	n.in.Control = n.Keep("control", ir.Input, ir.Of(ir.F64, ir.ControlLen))
	n.in.IDs = n.Keep("ids", ir.Input, ir.Of(ir.I32, n.rows))
	n.in.Targets = n.Keep("targets", ir.Input, ir.Of(ir.I32, n.rows))
	n.in.Weight = n.Keep("weight", ir.Input, ir.Of(ir.F32, n.rows))
	n.in.Last = n.Keep("last", ir.Input, ir.Of(ir.I32, c.Batch))
	n.in.TokenLoss = n.Keep("tokenLoss", ir.Input, ir.Of(ir.F32, n.rows))
	n.in.EvalLoss = n.Keep("evalLoss", ir.Input, ir.Of(ir.F32, n.rows))
	n.in.Logits = n.Keep("logits", ir.Input, ir.Of(ir.F32, c.Batch, c.Vocab))
	n.table = n.param("embed.weight", c.Vocab, w)
	n.blocks = make([]block, c.Layers)
	for i := range n.blocks {
		n.blocks[i].p = map[string]param{}
		for _, q := range []struct {
			name  string
			shape []int
		}{{"ln1.w", []int{w}}, {"ln1.b", []int{w}}, {"qkv.w", []int{3 * w, w}}, {"qkv.b", []int{3 * w}},
			{"proj.w", []int{w, w}}, {"proj.b", []int{w}}, {"ln2.w", []int{w}}, {"ln2.b", []int{w}},
			{"fc.w", []int{n.ffn, w}}, {"fc.b", []int{n.ffn}}, {"out.w", []int{w, n.ffn}}, {"out.b", []int{w}}} {
			n.blocks[i].p[q.name] = n.param(fmt.Sprintf("blocks.%d.%s", i, q.name), q.shape...)
		}
		n.blocks[i].offloaded = i < c.Layers-c.Slots && c.Slots > 0
	}
	n.lnW, n.lnB = n.param("ln.w", w), n.param("ln.b", w)
	n.head = n.param("head.weight", c.Vocab, w)
	n.norms = n.Keep("norms", ir.Input, ir.Of(ir.F64, len(n.params)))
	n.staging()
	n.policies()
}

// staging reserves the slots.
func (n *gpt) staging() {
	var at int64
	for i, width := range []int{n.c.Width, 3 * n.c.Width, n.ffn} {
		n.slot[i] = at
		at += Up(ir.Of(ir.F32, n.rows, width).Bytes())
	}
	n.slotBytes = at
	if n.c.Slots > 0 {
		n.region = n.Keep("slots", ir.Staging, ir.Of(ir.F32, int(at)/4*n.c.Slots))
	}
}

func (n *gpt) param(name string, shape ...int) param {
	t := ir.Of(ir.F32, shape...)
	q := param{n.Keep(name, ir.Parameter, t), n.Keep("g."+name, ir.Gradient, t),
		n.Keep("m."+name, ir.Optimizer, t), n.Keep("v."+name, ir.Optimizer, t)}
	n.params = append(n.params, q)
	init, std := "normal", 0.1
	if len(shape) == 1 {
		init, std = "ones", 0
	}
	n.Run().Params = append(n.Run().Params, plan.Param{Name: name, Shape: shape, Buffer: q.w, Grad: q.g,
		State: []int{q.m, q.v}, Init: init, Std: std, Scale: 1})
	return q
}

// policies fills in the values that only the identity is made of.
func (n *gpt) policies() {
	c, r := n.c, n.Run()
	r.Seed = 7
	r.Model = plan.Model{Family: "gpt2", Layers: c.Layers, Heads: c.Heads, KVHeads: c.Heads, HeadDim: c.Width / c.Heads,
		Width: c.Width, FFN: n.ffn, Vocab: c.Vocab, Context: c.SeqLen, Activation: "gelu", NormEps: 1e-5}
	r.Data = plan.Data{Train: []string{"text.txt"}, Format: "text", Tokenizer: "bytes", Documents: "file", Packing: "concat", Order: "sequential"}
	r.Loss = loss.Policy{ShiftBy: "loss", Offset: 1, IgnoreIndex: -100, Normalize: "tokens", EOS: "first"}
	r.Optimizer = plan.Optimizer{Kind: "adamw", LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, ClipNorm: 1}
	r.Rate = rate.Schedule{Kind: "cosine", Updates: 100, Warmup: 10}
	r.Precision = plan.Precision{Compute: "f32", Params: "f32", Grads: "f32", Master: "none", Products: "f32", Scaler: "none", Scale: 1}
}
