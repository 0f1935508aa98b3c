package prove

import (
	"fmt"
	"hash/fnv"
	"math"
	"sync"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

var border = Proof{
	ID: "border", Title: "what is used is what was stored",
	Formula: "checksum at the use = checksum at the copy back = checksum at the copy out; nothing dead is read",
	Doc: `With everything on the host that can be, two windows with updates run under an observer that takes the
checksum of both sides of every copy as it ends, and of every staged tensor as a command that reads it ends:
what left the device, what came back and what was used are the same bytes. Then the same windows run with
every byte that is to hold nothing when a section begins filled with NaN: the results must be finite and have the
same bits. Finds a stale or late copy, a slot that is reused too early, a buffer that is read before it is
written or after its space has gone to another.`,
	run: (*bench).border,
}

func (b *bench) border(v *Verdict) error {
	for _, c := range []struct {
		name string
		v    Variant
	}{{"all on the host", Variant{Offload: "all"}}, {"as declared", Variant{}}} {
		p, err := b.plan(c.v)
		if err != nil {
			return err
		}
		var want, got two
		g := &guard{v: v, p: p, stored: map[int]uint64{}, staged: map[int]uint64{}}
		if err := b.with(b.o.Engine, p, g, func(t *trial) (err error) {
			g.t = t
			want, err = t.twice()
			return err
		}); err != nil {
			return err
		}
		if g.copies == 0 && p.Predictions.MovedOut > 0 {
			v.fail("%s: the engine told the observer of no copy", c.name)
		}
		spoiled := 0
		if err := b.with(b.o.Engine, p, nil, func(t *trial) (err error) {
			t.poison, spoiled = true, t.mortal()
			got, err = t.twice()
			return err
		}); err != nil {
			return err
		}
		v.finite(c.name+", poisoned", p, &got)
		v.equal(c.name+", poisoned", p, &want, &got)
		v.number(c.name, fmt.Sprintf("%d copies, %d uses, %d buffers poisoned", g.copies, g.uses, spoiled))
	}
	return nil
}

// finite wants every gradient and parameter to be a number.
func (v *Verdict) finite(what string, p *plan.Plan, o *two) {
	for i := range o.params {
		for _, x := range [][]float64{o.first.grads[i], o.second.grads[i], o.params[i]} {
			if s := total64(x); math.IsNaN(s) || math.IsInf(s, 0) {
				v.fail("%s: %s or its gradient is not finite: something dead was read", what, p.Run.Params[i].Name)
				break
			}
		}
	}
}

func total64(x []float64) (s float64) {
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}

// mortal counts the buffers that are poisoned.
func (t *trial) mortal() (n int) {
	for i := range t.p.Buffers {
		for s := range ir.NumSections {
			if mortal(&t.p.Buffers[i], s) {
				n++
			}
		}
	}
	return n
}

// guard is the observer at the border between device and host. It reads buffers
// while a section runs: those that the command it is told about has just used,
// which no other stream may touch before the next event.
type guard struct {
	v *Verdict
	p *plan.Plan
	t *trial

	mu           sync.Mutex
	stored       map[int]uint64 // host buffer → checksum of what was last copied there
	staged       map[int]uint64 // device buffer → checksum of what was copied into it
	copies, uses int
}

// Now is a clock that nobody reads.
func (g *guard) Now() int64 { return 0 }

// Observe compares checksums after a command.
func (g *guard) Observe(s ir.Section, i int, c *plan.Command, _, _ int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	where := fmt.Sprintf("%s[%d] %s", s, i, c.Op)
	if c.Kind != plan.Copy {
		g.use(where, c)
		return
	}
	g.copies++
	from, to := c.Args[0], c.Results[0]
	a, b := g.sum(from), g.sum(to)
	if a != b {
		g.v.fail("%s: %q and its copy %q differ", where, g.p.Buffers[from].Name, g.p.Buffers[to].Name)
	}
	switch c.Op {
	case ir.OpCopyOut.String():
		g.stored[to] = a
	case ir.OpCopyIn.String():
		if was, ok := g.stored[from]; ok && was != b {
			g.v.fail("%s: %q came back with other bytes than were stored", where, g.p.Buffers[from].Name)
		}
		g.staged[to] = b
	default:
		g.staged[to] = b
	}
}

// use compares the staged tensors that a launch has read.
func (g *guard) use(where string, c *plan.Command) {
	over := map[int]bool{}
	for _, r := range c.Results {
		over[r] = true
		delete(g.staged, r)
	}
	for _, a := range c.Args {
		want, ok := g.staged[a]
		if !ok || over[a] {
			continue
		}
		g.uses++
		if g.sum(a) != want {
			g.v.fail("%s: staged %q is not what was copied into it", where, g.p.Buffers[a].Name)
		}
	}
}

// sum is a checksum of a buffer's bits.
func (g *guard) sum(b int) uint64 {
	x, err := g.t.read(b)
	if err != nil {
		g.v.fail("read %q: %v", g.p.Buffers[b].Name, err)
		return 0
	}
	return checksum(x)
}

func checksum(xs ...[]float64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, x := range xs {
		for _, v := range x {
			u := math.Float64bits(v)
			for i := range b {
				b[i] = byte(u >> (8 * i))
			}
			h.Write(b[:])
		}
	}
	return h.Sum64()
}
