package exec_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

// script is a launcher that calls a function for each command.
type script func(s ir.Section, i int, c *plan.Command) error

func (f script) Launch(s ir.Section, i int, c *plan.Command) error { return f(s, i, c) }
func (f script) Copy(s ir.Section, i int, c *plan.Command) error   { return f(s, i, c) }

func walk(t *testing.T, p *plan.Plan, f script) *exec.Walker {
	t.Helper()
	w := exec.NewWalker(p, f, nil)
	t.Cleanup(w.Close)
	return w
}

// TestOrderOfCommands: every command runs once per run, each stream in list
// order, and nothing before what its waits ask for.
func TestOrderOfCommands(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	for range 20 {
		var mu sync.Mutex
		var done []int
		w := walk(t, p, func(_ ir.Section, i int, _ *plan.Command) error {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, i)
			return nil
		})
		if err := w.Run(t.Context(), ir.Micro); err != nil {
			t.Fatal(err)
		}
		w.Close()
		checkOrder(t, p.Sections[ir.Micro].Commands, done)
	}
}

// checkOrder compares the order in which commands ran with the list.
func checkOrder(t *testing.T, commands []plan.Command, done []int) {
	t.Helper()
	place := make([]int, len(commands))
	for at, i := range done {
		place[i] = at + 1
	}
	var last, must [plan.NumStreams]int // place of the stream's last command, and of what it waited for
	events := map[int]int{}
	for i, c := range commands {
		switch c.Kind {
		case plan.Record:
			events[c.Event] = max(last[c.Stream], must[c.Stream])
		case plan.Wait:
			must[c.Stream] = max(must[c.Stream], events[c.Event])
		default:
			if place[i] <= last[c.Stream] || place[i] < must[c.Stream] {
				t.Fatalf("command %d ran as number %d; its stream was at %d and had waited for %d", i, place[i], last[c.Stream], must[c.Stream])
			}
			last[c.Stream] = place[i]
		}
	}
	slices.Sort(done)
	if len(slices.Compact(done)) != len(place)-countEvents(commands) {
		t.Fatalf("%d commands ran", len(done))
	}
}

func countEvents(commands []plan.Command) (n int) {
	for _, c := range commands {
		if c.Kind == plan.Record || c.Kind == plan.Wait {
			n++
		}
	}
	return n
}

// TestCopiesRunBeside: a copy may still be running when a later launch runs,
// which needs a goroutine of its own. Here each first copy ends only when the
// launch listed after it has begun, and each launch waits for the copy to have begun.
func TestCopiesRunBeside(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	for _, stream := range []plan.Stream{plan.Out, plan.In} {
		copying, launched := make(chan struct{}), make(chan struct{})
		first, next := -1, -1
		for i, c := range p.Sections[ir.Micro].Commands {
			if first < 0 && c.Kind == plan.Copy && c.Stream == stream {
				first = i
			} else if first >= 0 && next < 0 && c.Kind == plan.Launch {
				next = i
			}
		}
		w := walk(t, p, func(_ ir.Section, i int, _ *plan.Command) error {
			switch i {
			case first:
				close(copying)
				<-launched
			case next:
				<-copying
				close(launched)
			}
			return nil
		})
		if err := w.Run(t.Context(), ir.Micro); err != nil {
			t.Fatal(err)
		}
	}
}

// TestErrorStopsAllStreams fails one command after the other: the error names
// it, later commands that wait for it do not run, and the walker can run again.
func TestErrorStopsAllStreams(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	broken := errors.New("broken")
	commands := p.Sections[ir.Micro].Commands
	for fail := range commands {
		if k := commands[fail].Kind; k != plan.Launch && k != plan.Copy {
			continue
		}
		var on atomic.Bool
		on.Store(true)
		after := 0
		w := walk(t, p, func(_ ir.Section, i int, c *plan.Command) error {
			if on.Load() && i == fail {
				return broken
			}
			if on.Load() && i > fail && c.Stream == commands[fail].Stream {
				after++ // only the failing stream's goroutine gets here
			}
			return nil
		})
		err := w.Run(t.Context(), ir.Micro)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), fmt.Sprintf("micro[%d]", fail)) {
			t.Fatalf("failing command %d: error is %v", fail, err)
		}
		if after > 0 {
			t.Fatalf("%d commands of the stream ran after %d had failed", after, fail)
		}
		on.Store(false)
		if err := w.Run(t.Context(), ir.Micro); err != nil {
			t.Fatalf("after a failed run: %v", err)
		}
		w.Close()
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	for _, stream := range []plan.Stream{plan.Compute, plan.Out, plan.In} {
		w := walk(t, p, func(_ ir.Section, _ int, c *plan.Command) error {
			if c.Stream == stream {
				panic("kernel bug")
			}
			return nil
		})
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "kernel bug") {
					t.Errorf("stream %s: recovered %v, want the panic", stream, v)
				}
			}()
			_ = w.Run(t.Context(), ir.Micro)
		}()
	}
}

func TestContextEndsARun(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	ctx, cancel := context.WithCancel(t.Context())
	w := walk(t, p, func(_ ir.Section, i int, _ *plan.Command) error {
		if i == 5 {
			cancel()
		}
		return nil
	})
	if err := w.Run(ctx, ir.Micro); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want the context's", err)
	}
	w.Close()
	if err := w.Run(t.Context(), ir.Micro); !errors.Is(err, exec.ErrClosed) {
		t.Errorf("error after Close is %v", err)
	}
}

// observer counts what it is told, by a clock that only counts.
type observer struct {
	now  atomic.Int64
	mu   sync.Mutex
	seen map[int]bool
	bad  int
}

func (o *observer) Now() int64 { return o.now.Add(1) }

func (o *observer) Observe(_ ir.Section, i int, c *plan.Command, start, end int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if start >= end || o.seen[i] || c.Kind == plan.Wait {
		o.bad++
	}
	o.seen[i] = true
}

func TestObserverSeesEveryCommand(t *testing.T) {
	p := plantest.GPT(config(2))
	for _, e := range []exec.Engine{cpu.Engine{}, ref.Engine{}} {
		o := &observer{seen: map[int]bool{}}
		n := start(t, e, p, exec.Options{Observer: o})
		n.micro(0)
		commands := p.Sections[ir.Micro].Commands
		if want := len(commands) - countEvents(commands); len(o.seen) != want || o.bad > 0 {
			t.Errorf("%s: %d of %d commands seen, %d wrongly", e.Name(), len(o.seen), want, o.bad)
		}
	}
}

// TestCloseLeavesNoGoroutine opens, runs and closes each engine with goroutines.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	p := plantest.GPT(config(2))
	before := runtime.NumGoroutine()
	for _, e := range []exec.Engine{cpu.Engine{}, ref.Engine{}} {
		s, err := e.Open(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if runtime.NumGoroutine() <= before {
			t.Errorf("%s has no goroutine of its own", e.Name())
		}
		if err := s.Run(t.Context(), ir.Micro); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Close waits for its goroutines; they need a moment to be gone from the count.
	for range 1 << 20 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
