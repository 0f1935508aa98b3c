package prove

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
)

// ctlNorm is the slot of the norm, under a name that is short where it is read.
const ctlNorm = plan.CtlNorm

// spread is which elements of a gradient a position adds to.
type spread int

const (
	everywhere spread = iota
	byRow             // the row of the compact gradient, then of the table
	byID
	byPosition
	byTarget // the head: the winner's row and the target's
)

// use is one accumulation into a gradient.
type use struct {
	kind  spread
	grad  int // buffer
	width int // of a row of a table
}

// probe is a plan of the accumulating commands of another one.
type probe struct {
	*rewriter
	up, one  map[string]int // buffers of upstreams and of ones, by type
	zero     map[string]int
	sinks    map[string]int
	base     int // buffers from here on are the probe's
	uses     []use
	winner   int // row of the head that wins every softmax
	width    int // of the model
	head     int // matrix of the head
	headDX   int
	elements int
}

func newProbe(p *plan.Plan) (*probe, error) {
	pr := &probe{rewriter: rewrite(p), up: map[string]int{}, one: map[string]int{}, zero: map[string]int{}, sinks: map[string]int{},
		base: len(p.Buffers), headDX: -1}
	for i := range p.Sections[ir.Micro].Commands {
		pr.micro(p, &p.Sections[ir.Micro].Commands[i])
	}
	for i := range p.Sections[ir.Update].Commands {
		c := &p.Sections[ir.Update].Commands[i]
		switch op, _ := ir.ParseOp(c.Op); op {
		case ir.OpEmbedAdd, ir.OpNorm2, ir.OpClip:
			pr.add(ir.Update, c, c.Args, c.Results)
		}
	}
	if pr.headDX < 0 {
		return nil, fmt.Errorf("the plan has no %s", ir.OpHeadLossGrad)
	}
	q, err := pr.seal()
	pr.p = q
	return pr, err
}

// of is a buffer of the type of another one, one for all commands.
func (pr *probe) of(m map[string]int, name string, as int) int {
	key := fmt.Sprint(pr.p.Buffers[as].DType, pr.p.Buffers[as].Shape)
	b, ok := m[key]
	if !ok {
		b = pr.buffer(name, as)
		m[key] = b
	}
	return b
}

// micro takes over a command that adds to a gradient, with operands of the probe.
func (pr *probe) micro(p *plan.Plan, c *plan.Command) {
	op, _ := ir.ParseOp(c.Op)
	args, results := append([]int(nil), c.Args...), append([]int(nil), c.Results...)
	put := func(m map[string]int, name string, operands ...string) {
		for _, o := range operands {
			a := op.Arg(o)
			args[a] = pr.of(m, name, c.Args[a])
		}
	}
	to := func(kind spread, arg string) {
		g := c.Args[op.Arg(arg)]
		shape := p.Buffers[g].Shape
		pr.uses = append(pr.uses, use{kind, g, shape[len(shape)-1]})
	}
	sink := func(result string) int {
		r := op.Result(result)
		results[r] = pr.of(pr.sinks, "sink", c.Results[r])
		return results[r]
	}
	switch op {
	case ir.OpLinearDW:
		put(pr.up, "upstream", "dy")
		put(pr.one, "one", "x")
		to(everywhere, "gw")
	case ir.OpLinearDB:
		put(pr.up, "upstream", "dy")
		to(everywhere, "gb")
	case ir.OpLayerNormGrad, ir.OpRMSNormGrad:
		put(pr.up, "upstream", "dy")
		put(pr.one, "one", "x", "rstd")
		to(everywhere, "gw")
		if op == ir.OpLayerNormGrad {
			put(pr.zero, "zero", "mean")
			to(everywhere, "gb")
		}
		sink("dx")
	case ir.OpEmbedRows:
		put(pr.up, "upstream", "dx")
		pr.uses = append(pr.uses, use{byRow, pr.table(p, c.Results[0]), p.Buffers[c.Results[0]].Shape[1]})
	case ir.OpEmbedGrad:
		put(pr.up, "upstream", "dx")
		to(byID, "gtable")
	case ir.OpPosGrad:
		put(pr.up, "upstream", "dx")
		to(byPosition, "gpos")
	case ir.OpHeadLossGrad:
		put(pr.one, "one", "x")
		to(byTarget, "gw")
		pr.head = c.Args[op.Arg("w")]
		shape := p.Buffers[pr.head].Shape
		pr.winner, pr.width = shape[0]-1, shape[1]
		pr.headDX = pr.buffer("head.dx", c.Results[op.Result("dx")])
		results[op.Result("dx")] = pr.headDX
	default:
		return
	}
	pr.add(ir.Micro, c, args, results)
}

// table is the gradient that a compact one is added to.
func (pr *probe) table(p *plan.Plan, compact int) int {
	for _, c := range p.Sections[ir.Update].Commands {
		if c.Op == ir.OpEmbedAdd.String() && c.Args[0] == compact {
			return c.Results[0]
		}
	}
	return compact
}

// constants writes what is the same for all micro-batches.
func (pr *probe) constants(t *trial, peak float64) error {
	for i := pr.base; i < len(pr.p.Buffers); i++ {
		b := &pr.p.Buffers[i]
		if b.Name != "one" && b.Name != "zero" {
			continue
		}
		x := make([]float64, count(b.Shape))
		if b.Name == "one" {
			for k := range x {
				x[k] = 1
			}
		}
		if err := t.write(i, x); err != nil {
			return err
		}
	}
	w := make([]float64, count(pr.p.Buffers[pr.head].Shape))
	for i := range pr.width {
		w[pr.winner*pr.width+i] = peak
	}
	return t.write(pr.head, w)
}

// operands writes the inputs of a micro-batch, and c·m as the upstream of every position.
func (pr *probe) operands(t *trial, b *data.Batch, c float64) error {
	if err := b.Write(&t.p.Run.Inputs, t.s.Write); err != nil {
		return err
	}
	for i := pr.base; i < len(pr.p.Buffers); i++ {
		u := &pr.p.Buffers[i]
		if u.Name != "upstream" {
			continue
		}
		x := make([]float64, count(u.Shape))
		width := len(x) / len(b.Weight)
		for k := range x {
			x[k] = c * float64(b.Weight[k/width])
		}
		if err := t.write(i, x); err != nil {
			return err
		}
	}
	return nil
}
