package exec

import (
	"context"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// Engine runs plans.
type Engine interface {
	// Name is what --engine calls it.
	Name() string
	// Open checks the plan (plan.Validate or as much of it as the engine
	// needs), allocates its arenas and starts its goroutines. The plan is not
	// changed and must not be changed before Close.
	Open(p *plan.Plan, o Options) (Session, error)
}

// Options of Open; the zero value is the engine's default.
type Options struct {
	Workers  int      // goroutines for kernels, at most the plan's; 0 = as many as useful
	ISA      string   // instruction set of the cpu engine: go, avx2, avx512, avx512bf16; "" = the fastest of the machine
	Observer Observer // told about each launch and copy, if set
	// Choices is what a session of the same run chose by measuring (Chooser), nil
	// when there was none. Continues says that the run has made updates: what it
	// has not chosen then, it did not measure.
	Choices   []byte
	Continues bool
}

// Session is an open plan. Its methods are called by one goroutine at a time.
type Session interface {
	// Write stores data, a []float32, []int32 or []float64 of the buffer's
	// dtype and length. Engines with another number type convert f32.
	Write(buffer int, data any) error
	// Read is the inverse of Write, into data.
	Read(buffer int, data any) error
	// Run runs a section to its end. An error leaves the buffers as they are
	// in the middle of the section. The error of ctx is returned when it ends
	// before the section does; a command that has begun is finished.
	Run(ctx context.Context, s ir.Section) error
	// Allocated is the bytes really allocated per tier.
	Allocated() [ir.NumTiers]int64
	// Close ends the goroutines and frees the memory. A second call does nothing.
	Close() error
}

// Vectored is a session that computes with one of several instruction sets.
// Those of one [Class] give the same bits.
type Vectored interface {
	ISA() string // as in Options
}

// Class is the arithmetic of an instruction set: "go" rounds a product before it
// is added, all others are "fma" and do not. Where there is no choice it is "".
func Class(isa string) string {
	if isa == "" || isa == "go" {
		return isa
	}
	return "fma"
}

// Chooser is a session whose engine may choose between kernels by measuring, once a
// run: Choices is what the run must keep before its first update and give to the
// sessions that go on with it, nil when there was nothing to choose. Chosen says
// it in words.
type Chooser interface {
	Choices() ([]byte, error)
	Chosen() string
}

// ChoiceError says that a run cannot go on with the kernels it was begun with:
// they are not here, or what it keeps of them is damaged.
type ChoiceError struct {
	Text    string
	Damaged bool
}

func (e *ChoiceError) Error() string { return e.Text }

// Viewer is a session whose f32 buffers can be looked at in place between two
// runs of a section, so that saving needs no copy of the largest tensor.
type Viewer interface {
	// Floats is the memory of an f32 buffer, nil for another one. It must not be
	// used after Close.
	Floats(buffer int) []float32
}

// Accountant is a session of an engine that needs memory beside the plan's arenas.
type Accountant interface {
	Accounts() Accounts
}

// Accounts is memory that is not in [Session.Allocated], in bytes.
type Accounts struct {
	Reserved int64  // of the device: modules, graphs, libraries; the most that there was
	At       string // when that was
	Before   int64  // of the device, in use before the session began: its context, other processes
	Pinned   int64  // of the host, for reads and writes of device buffers
	// Queued are sections that run command by command where the engine wanted to
	// launch each as one, with the reasons. They compute the same.
	Queued []string
}

// Observer is told when each launch and copy ran. It brings its own clock, in
// monotonic nanoseconds. Both methods are called from the goroutines of all
// streams.
type Observer interface {
	Now() int64
	Observe(s ir.Section, command int, c *plan.Command, start, end int64)
}

// Launcher does the commands that are not events; Walker calls it with the
// section and the command's index in it. Launch runs on the goroutine that
// called Run, Copy on that of the command's stream.
type Launcher interface {
	Launch(s ir.Section, command int, c *plan.Command) error
	Copy(s ir.Section, command int, c *plan.Command) error
}
