package plan

import (
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
)

// Limits of a plan that is accepted. They are far above what a real experiment
// needs and far below what would overflow an int64 in a product of two.
const (
	MaxArena   = 1 << 48 // bytes of one arena
	MaxWorkers = 1 << 10
	maxRank    = 8
	maxAttr    = 1 << 30 // of an integer attribute
	maxListed  = 16      // problems that are kept of each kind
)

// Problem is one thing that a plan promises and does not hold.
type Problem struct {
	Code  string // plan.overlap, plan.race, … (see Validate)
	Where string // buffers[3] w, micro[12] linear, run.inputs.ids, …
	Text  string // what was found and what was expected
}

func (p Problem) String() string { return p.Where + ": " + p.Text + " [" + p.Code + "]" }

// Invalid is the error of Validate and Structure.
type Invalid struct {
	Problems []Problem // at most 16 of each code, in the order of the plan
	More     int       // problems beyond those
}

// Error names the first problems.
func (e *Invalid) Error() string {
	const shown = 3
	var b strings.Builder
	for i, p := range e.Problems {
		if i == shown {
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	if n := len(e.Problems) + e.More - shown; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	return "plan is not safe to run: " + b.String()
}

// Has reports whether a problem with the code was found.
func (e *Invalid) Has(code string) bool {
	for _, p := range e.Problems {
		if p.Code == code {
			return true
		}
	}
	return false
}

// Validate checks a plan from anywhere, also a hostile one; nil means that an
// engine may run it without looking at it again. The error is *Invalid, with
// the codes
//
//	plan.version    encoding, target, workers
//	plan.arena      tiers and sizes of the arenas
//	plan.buffer     class, tier, dtype, shape, bytes; offset aligned and inside the arena
//	plan.region     staging regions and the values inside them
//	plan.section    names and number of the sections
//	plan.command    kind, op, stream, indices of operands, attributes, origin
//	plan.types      operands that do not fit the op table
//	plan.alias      results stored over arguments other than the op table says
//	plan.workspace  scratch space missing or too small
//	plan.event      each recorded once, and before it is waited for
//	plan.run        inputs and parameters that name wrong buffers
//	plan.life       a buffer used outside its life
//	plan.overlap    two buffers share bytes at one time
//	plan.stale      a read of bytes that the buffer's own write did not leave there
//	plan.race       two streams touch the same bytes, one writes, no event orders them
//
// The last three come from one walk over each section with vector clocks: run
// order is the list order of a stream, plus record before wait. Persistent
// buffers (Run) count as written before every section. Time is
// O((commands + buffers) · log buffers).
func Validate(p *Plan) error {
	c := newChecker(p)
	if c.structure() {
		c.overlaps()
		c.orders()
	}
	return c.err()
}

// Structure is the part of Validate that needs no order of commands: all codes
// but overlap, stale and race. After it, every index, type and offset is right.
func Structure(p *Plan) error {
	c := newChecker(p)
	c.structure()
	return c.err()
}

// checker collects the problems of one plan.
type checker struct {
	p      *Plan
	found  Invalid
	types  *typeTable
	region []bool // by buffer: others are inside it
	events int    // numbers of events are below this
	kinds  map[string]int
}

func newChecker(p *Plan) *checker {
	if p == nil {
		p = &Plan{}
	}
	return &checker{p: p, kinds: map[string]int{}}
}

func (c *checker) err() error {
	if len(c.found.Problems) == 0 {
		return nil
	}
	return &c.found
}

// structure reports whether the passes that need valid indices may follow.
func (c *checker) structure() bool {
	c.header()
	c.buffers()
	if len(c.found.Problems) > 0 {
		return false // commands and types could not be trusted
	}
	c.runPart()
	for s := range c.p.Sections {
		c.commands(ir.Section(s))
	}
	return len(c.found.Problems) == 0
}

func (c *checker) add(code, where, format string, args ...any) {
	if c.kinds[code]++; c.kinds[code] > maxListed {
		c.found.More++
		return
	}
	c.found.Problems = append(c.found.Problems, Problem{code, where, fmt.Sprintf(format, args...)})
}

// buffer is a buffer's place in a message; names come from the file, so they are quoted.
func (c *checker) buffer(i int) string {
	return fmt.Sprintf("buffers[%d] %.60q", i, c.p.Buffers[i].Name)
}

// command is a command's place in a message.
func (c *checker) command(s ir.Section, i int) string {
	m := &c.p.Sections[s].Commands[i]
	what := m.Op
	if what == "" {
		what = m.Kind
	}
	return fmt.Sprintf("%s[%d] %.60q", s, i, what)
}
