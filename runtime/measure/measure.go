package measure

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Collector sums the time of each command of a plan. It is an exec.Observer.
type Collector struct {
	p     *plan.Plan
	clock func() int64

	mu   sync.Mutex // streams observe at the same time
	sums [ir.NumSections][]sum
}

type sum struct{ runs, nanos int64 }

// New collects for one plan; clock gives monotonic nanoseconds.
func New(p *plan.Plan, clock func() int64) *Collector {
	c := &Collector{p: p, clock: clock}
	for s := range p.Sections {
		c.sums[s] = make([]sum, len(p.Sections[s].Commands))
	}
	return c
}

// Now is the time by the collector's clock.
func (c *Collector) Now() int64 { return c.clock() }

// Observe adds one run of a command.
func (c *Collector) Observe(s ir.Section, command int, _ *plan.Command, start, end int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &c.sums[s][command]
	m.runs++
	m.nanos += end - start
}

// Total is the time of one kind of work: an op in a phase on a stream.
type Total struct {
	Section   string `json:"section"`
	Phase     string `json:"phase"`
	Op        string `json:"op"`
	Stream    string `json:"stream"`
	Runs      int64  `json:"runs"`      // of commands
	Nanos     int64  `json:"nanos"`     // measured
	Predicted int64  `json:"predicted"` // by the plan, for as many runs
}

// Totals lists the kinds of work that ran, the longest first.
func (c *Collector) Totals() []Total {
	c.mu.Lock()
	defer c.mu.Unlock()
	type key struct {
		section, phase, op string
		stream             plan.Stream
	}
	at := map[key]int{}
	var out []Total
	for s := range c.p.Sections {
		for i := range c.sums[s] {
			m, cmd := c.sums[s][i], &c.p.Sections[s].Commands[i]
			if m.runs == 0 {
				continue
			}
			k := key{c.p.Sections[s].Name, cmd.Phase, cmd.Op, cmd.Stream}
			j, ok := at[k]
			if !ok {
				j = len(out)
				at[k] = j
				out = append(out, Total{Section: k.section, Phase: k.phase, Op: k.op, Stream: k.stream.String()})
			}
			out[j].Runs += m.runs
			out[j].Nanos += m.nanos
			out[j].Predicted += m.runs * cmd.Nanos
		}
	}
	slices.SortStableFunc(out, func(a, b Total) int { return cmp.Compare(b.Nanos, a.Nanos) })
	return out
}

// Reset forgets what was observed so far; nothing may be running.
func (c *Collector) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.sums {
		clear(c.sums[s])
	}
}

// Sum is how often a command ran and how long in all.
func (c *Collector) Sum(s ir.Section, command int) (runs, nanos int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.sums[s][command]
	return m.runs, m.nanos
}

// Command is the mean time of one run of a command, ok false when it never ran.
func (c *Collector) Command(s ir.Section, command int) (nanos float64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.sums[s][command]
	if m.runs == 0 {
		return 0, false
	}
	return float64(m.nanos) / float64(m.runs), true
}
