package data

import (
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/visible"
)

// indexed lists which argument of an op is indexed by which numbers of the host.
var indexed = []struct {
	op     ir.Op
	arg    string
	bounds func(*Limits) *int
}{
	{ir.OpEmbed, "table", vocab}, {ir.OpEmbedGrad, "gtable", vocab}, {ir.OpEmbedAdd, "gtable", vocab},
	{ir.OpHeadLoss, "w", vocab}, {ir.OpHeadLossGrad, "w", vocab}, {ir.OpHeadLogits, "w", vocab},
	{ir.OpEmbed, "pos", places}, {ir.OpPosGrad, "gpos", places}, {ir.OpEmbedRows, "compact", compact},
}

func vocab(l *Limits) *int   { return &l.Vocab }
func places(l *Limits) *int  { return &l.Context }
func compact(l *Limits) *int { return &l.Compact }

// LimitsOf is the ranges of ids, positions and rows. They come from the tensors
// that the commands index with them and not from what the plan says of itself,
// so a plan cannot lead an engine outside a buffer. The plan must have passed
// plan.Structure.
func LimitsOf(p *plan.Plan) Limits {
	w := p.Run.Window
	l := Limits{B: w.BatchSize, T: w.SeqLen, Vocab: math.MaxInt32, Context: math.MaxInt32, Compact: math.MaxInt32, All: p.Run.Inputs.Lo < 0, Restart: p.Run.Data.Restart}
	for _, s := range p.Sections {
		for i := range s.Commands {
			c := &s.Commands[i]
			for _, x := range indexed {
				if c.Kind != plan.Launch || c.Op != x.op.String() {
					continue
				}
				if a := c.Args[x.op.Arg(x.arg)]; a >= 0 {
					b := x.bounds(&l)
					*b = min(*b, p.Buffers[a].Shape[0])
				}
			}
		}
	}
	if p.Run.Inputs.RowIDs >= 0 {
		l.Compact = min(l.Compact, p.Buffers[p.Run.Inputs.RowIDs].Shape[0])
	}
	if l.Vocab == math.MaxInt32 { // nothing to index: no id is right
		l.Vocab = 0
	}
	if l.Compact == math.MaxInt32 {
		l.Compact = 0
	}
	return l
}

// Sees is the visible set of the plan's attention.
func Sees(p *plan.Plan) visible.Policy {
	return visible.Policy{Window: p.Run.Model.Window, Docs: !p.Run.Data.Cross}
}
