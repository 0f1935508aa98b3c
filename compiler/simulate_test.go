package compiler

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// machine runs a plan on symbols: bytes hold the number of the term that was
// computed into them. Streams run as a random scheduler lets them, held up by
// events alone; a write destroys whatever lay in its bytes. So a plan that moves,
// recomputes or overlays anything wrongly ends with other terms.
type machine struct {
	t     *testing.T
	p     *plan.Plan
	terms map[string]int // shared by the machines that are compared
	r     *rand.Rand
	space [ir.NumTiers][]span
	junk  int // names of scratch contents, which nobody may compare
}

type span struct {
	from, to int64
	term     int
}

func newMachine(t *testing.T, p *plan.Plan, terms map[string]int, r *rand.Rand) *machine {
	m := &machine{t: t, p: p, terms: terms, r: r}
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Run && b.In == 0 {
			m.write(i, m.term("start of "+b.Name))
		}
	}
	return m
}

func (m *machine) term(s string) int {
	if _, ok := m.terms[s]; !ok {
		m.terms[s] = len(m.terms)
	}
	return m.terms[s]
}

func (m *machine) tier(b *plan.Buffer) *[]span {
	t, err := ir.ParseTier(b.Tier)
	if err != nil {
		m.t.Fatal(err)
	}
	return &m.space[t]
}

func (m *machine) write(b, term int) {
	u := &m.p.Buffers[b]
	s := m.tier(u)
	*s = slices.DeleteFunc(*s, func(x span) bool { return x.from < u.Offset+u.Bytes && u.Offset < x.to })
	*s = append(*s, span{u.Offset, u.Offset + u.Bytes, term})
}

// read is the term in a buffer; bytes that were written in part, or not at all,
// are a term of their own that equals no other.
func (m *machine) read(b int) int {
	if b < 0 {
		return -1
	}
	u := &m.p.Buffers[b]
	for _, x := range *m.tier(u) {
		if x.from == u.Offset && x.to == u.Offset+u.Bytes {
			return x.term
		}
	}
	return m.garbage()
}

func (m *machine) garbage() int {
	m.junk++
	return -1 - m.junk
}

// feed writes the inputs of a section as the runtime does.
func (m *machine) feed(round string) {
	in := &m.p.Run.Inputs
	for _, b := range []int{in.Control, in.IDs, in.Targets, in.Weight, in.Lo, in.Positions, in.Row, in.RowIDs, in.Last} {
		if b >= 0 {
			m.write(b, m.term(round+" "+m.p.Buffers[b].Name))
		}
	}
}

// run executes one section.
func (m *machine) run(sec ir.Section) {
	var queues [plan.NumStreams][]int
	cs := m.p.Sections[sec].Commands
	for i := range cs {
		queues[cs[i].Stream] = append(queues[cs[i].Stream], i)
	}
	recorded := map[int]bool{}
	for left := len(cs); left > 0; {
		var ready []plan.Stream
		for s, q := range queues {
			if len(q) > 0 && (cs[q[0]].Kind != plan.Wait || recorded[cs[q[0]].Event]) {
				ready = append(ready, plan.Stream(s))
			}
		}
		if len(ready) == 0 {
			m.t.Fatalf("section %v: every stream waits", sec)
		}
		s := ready[m.r.IntN(len(ready))]
		c := &cs[queues[s][0]]
		queues[s] = queues[s][1:]
		left--
		switch c.Kind {
		case plan.Record:
			recorded[c.Event] = true
		case plan.Launch, plan.Copy:
			m.apply(sec, c)
		}
	}
}

func (m *machine) apply(sec ir.Section, c *plan.Command) {
	op, err := ir.ParseOp(c.Op)
	if err != nil {
		m.t.Fatal(err)
	}
	args := make([]int, len(c.Args))
	for k, b := range c.Args {
		args[k] = m.read(b)
	}
	m.begin(op, c, args)
	if c.Work > 0 {
		m.write(c.Work-1, m.garbage())
	}
	if c.Kind == plan.Copy {
		m.write(c.Results[0], args[0])
		return
	}
	var attr ir.Attr
	if c.Attr != nil {
		attr = *c.Attr
	}
	call := fmt.Sprint(op, attr, args)
	results := make([]int, len(c.Results))
	for k, b := range c.Results {
		results[k] = m.term(fmt.Sprint(call, k))
		m.write(b, results[k])
	}
	m.shortcuts(op, attr, args, results)
}

// shortcuts makes the cheaper op that the table names for a result the same term.
func (m *machine) shortcuts(op ir.Op, attr ir.Attr, args, results []int) {
	for _, s := range op.Info().Again {
		short := make([]int, len(s.Args))
		for k, name := range s.Args {
			if r := op.Result(name); r >= 0 {
				short[k] = results[r]
			} else {
				short[k] = args[op.Arg(name)]
			}
		}
		if !slices.Contains(s.Op.Info().Attrs, "eps") {
			attr.Eps = 0
		}
		m.terms[fmt.Sprint(fmt.Sprint(s.Op, attr, short), 0)] = results[op.Result(s.Result)]
	}
}

// begin makes arguments that the only micro-batch of a window stores anew one term, whatever their bytes hold.
func (m *machine) begin(op ir.Op, c *plan.Command, args []int) {
	for k, r := range op.Info().Results {
		if r.Anew && m.p.Run.Window.MicroBatches == 1 {
			args[op.Over(k)] = m.term("nothing in " + m.p.Buffers[c.Results[k]].Name)
		}
	}
}

// window runs the micro-batches and the update, twice, then evaluation and one
// more micro-batch, and returns everything that a run saves or reports.
func (m *machine) window() map[string]int {
	for u := range 2 {
		for k := range m.p.Run.Window.MicroBatches {
			m.feed(fmt.Sprint("u", u, "k", k))
			m.run(ir.Micro)
		}
		m.feed(fmt.Sprint("update", u))
		m.run(ir.Update)
	}
	m.feed("eval")
	m.run(ir.Eval)
	m.feed("after")
	m.run(ir.Micro)
	end := map[string]int{}
	for i := range m.p.Run.Params {
		p := &m.p.Run.Params[i]
		end[p.Name] = m.read(p.Buffer)
		end[p.Name+" gradient"] = m.read(p.Grad)
		if p.Master > 0 {
			end[p.Name+" master copy"] = m.read(p.Master - 1)
		}
		for k, b := range p.State {
			end[fmt.Sprint(p.Name, " moment ", k)] = m.read(b)
		}
	}
	end["token losses"] = m.read(m.p.Run.Inputs.TokenLoss)
	if b := m.p.Run.Inputs.EvalLoss; b >= 0 {
		end["held-out losses"] = m.read(b)
	}
	return end
}
