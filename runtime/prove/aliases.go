package prove

import (
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

var aliases = Proof{
	ID: "aliases", Title: "one storage, one gradient, one optimizer slot",
	Formula: "tied: head and embedding read one buffer; each parameter has one norm2 and one step, and its moments are its own",
	Doc: `Read from the plan: no buffer belongs to two parameters, each gradient enters the norm once and each
parameter is stepped once, on the moments that the state of a run is saved from; a tied head reads the
embedding's storage. Then one update is made: every parameter that is not frozen changes, each frozen one
keeps its bits. Finds a tied tensor that is stepped twice, moments that are shared, a tensor left out.`,
	run: (*bench).aliases,
}

func (b *bench) aliases(v *Verdict) error {
	owner := map[int]string{}
	for i := range b.p.Run.Params {
		q := &b.p.Run.Params[i]
		for _, x := range append([]int{q.Buffer, q.Grad, q.Master - 1}, q.State...) {
			if x < 0 {
				continue
			}
			if other := owner[x]; other != "" {
				v.fail("buffer %q belongs to %s and to %s", b.p.Buffers[x].Name, other, q.Name)
			}
			owner[x] = q.Name
		}
	}
	v.once(b.p)
	tied(b.p, v)
	v.number("parameters", len(b.p.Run.Params))
	v.number("buffers", len(owner))
	return b.with(b.o.Engine, b.p, nil, func(t *trial) error { return t.moved(v) })
}

// once wants each gradient in the norm and each parameter in a step, once. A
// moment on the host is stepped in a copy of its own, so places are compared by
// what is copied there.
func (v *Verdict) once(p *plan.Plan) {
	norms, steps := map[int]int{}, map[int]int{}
	home := map[int]int{} // staging buffer → host buffer
	slots := map[int]string{}
	for i := range p.Sections[ir.Update].Commands {
		c := &p.Sections[ir.Update].Commands[i]
		switch op, _ := ir.ParseOp(c.Op); op {
		case ir.OpCopyIn:
			home[c.Results[0]] = c.Args[0]
		case ir.OpNorm2:
			norms[c.Args[op.Arg("g")]]++
		case ir.OpAdamW, ir.OpSGD, ir.OpSGDMomentum:
			w := c.Args[op.Arg("w")]
			if h, ok := home[w]; ok {
				w = h
			}
			steps[w]++
			j := slices.IndexFunc(p.Run.Params, func(q plan.Param) bool { return stepped(&q) == w })
			if j < 0 {
				v.fail("%s steps %q, which is no parameter", c.Op, p.Buffers[w].Name)
				continue
			}
			v.slots(p, c, op, &p.Run.Params[j], home, slots)
		}
	}
	for i := range p.Run.Params {
		q := &p.Run.Params[i]
		if norms[q.Grad] != 1 {
			v.fail("the gradient of %s enters the norm %d times", q.Name, norms[q.Grad])
		}
		if n := steps[stepped(q)]; n != 1 {
			v.fail("%s is stepped %d times an update", q.Name, n)
		}
	}
}

// stepped is the buffer that updates change: the master copy where there is one.
func stepped(q *plan.Param) int {
	if q.Master > 0 {
		return q.Master - 1
	}
	return q.Buffer
}

// slots wants a step to use the gradient and the moments of its parameter.
func (v *Verdict) slots(p *plan.Plan, c *plan.Command, op ir.Op, q *plan.Param, home map[int]int, taken map[int]string) {
	if g := c.Args[op.Arg("g")]; g != q.Grad {
		v.fail("%s is stepped with gradient %q", q.Name, p.Buffers[g].Name)
	}
	k := 0
	for _, name := range []string{"m", "v"} {
		a := op.Arg(name)
		if a < 0 {
			continue
		}
		slot := c.Args[a]
		if h, ok := home[slot]; ok {
			slot = h
		}
		if k >= len(q.State) || q.State[k] != slot {
			v.fail("%s is stepped with %s = %q, which is not its saved moment", q.Name, name, p.Buffers[slot].Name)
		}
		if other := taken[slot]; other != "" {
			v.fail("%s and %s share the moment %q", q.Name, other, p.Buffers[slot].Name)
		}
		taken[slot] = q.Name
		k++
	}
}

// tied wants head and embedding to read one buffer exactly when the model is tied.
func tied(p *plan.Plan, v *Verdict) {
	table, head := -1, -1
	for i := range p.Sections[ir.Micro].Commands {
		c := &p.Sections[ir.Micro].Commands[i]
		switch op, _ := ir.ParseOp(c.Op); op {
		case ir.OpEmbed:
			table = c.Args[op.Arg("table")]
		case ir.OpHeadLossGrad, ir.OpHeadLoss:
			head = c.Args[op.Arg("w")]
		}
	}
	switch {
	case table < 0 || head < 0:
		v.fail("the plan has no embedding or no head")
	case p.Run.Model.Tied != (table == head):
		v.fail("model.tied is %v, the embedding reads %q and the head %q", p.Run.Model.Tied, p.Buffers[table].Name, p.Buffers[head].Name)
	case p.Run.Model.Tied:
		v.number("tied", p.Buffers[table].Name)
	default:
		v.number("tied", "no")
	}
}

// moved makes an update and looks at which parameters it changed.
func (t *trial) moved(v *Verdict) error {
	t.lr = 1e-2
	_, err := t.rows(ragged(t.p, total(t.p), t.lim.T))
	if err != nil {
		return err
	}
	after, _, err := t.state()
	if err != nil {
		return err
	}
	frozen := 0
	for i := range t.p.Run.Params {
		q := &t.p.Run.Params[i]
		same := differ(start(q), after[i]) == ""
		switch {
		case q.Scale == 0:
			frozen++
			if !same {
				v.fail("%s has lrScale 0 and was changed by an update", q.Name)
			}
		case same:
			v.fail("%s was not changed by an update", q.Name)
		}
	}
	v.number("moved by an update", len(after)-frozen)
	if frozen > 0 {
		v.number("frozen", frozen)
	}
	return nil
}
