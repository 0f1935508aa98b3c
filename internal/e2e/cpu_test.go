package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec/diag"
)

// onISA is the cpu engine on one instruction set.
type onISA struct {
	cpu.Engine
	isa string
}

func (e onISA) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	o.ISA = e.isa
	return e.Engine.Open(p, o)
}

// tiers are the instruction sets that this machine has.
func tiers() (names []string) {
	for u := kernel.Go; u <= kernel.Detect(); u++ {
		names = append(names, u.String())
	}
	return names
}

// TestWorkersAndTiers: on both families, within a class of instruction sets every
// number of workers and every set has the bits of one worker on the first.
func TestWorkersAndTiers(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama"} {
		l := example(t, name)
		p := planOf(t, l, nil)
		base := map[string]train.Result{}
		for _, isa := range tiers() {
			for _, workers := range []int{1, 2, 3, 4} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, isa, workers), func(t *testing.T) {
					r := trainOn(t, onISA{isa: isa}, p, l, train.Options{Steps: 6, Workers: workers})
					if want, ok := base[exec.Class(isa)]; ok {
						same(t, want, r)
						return
					}
					base[exec.Class(isa)] = r
				})
			}
		}
		if a, b := base["go"], base["fma"]; len(tiers()) > 1 && (a.ParamHash == b.ParamHash || rel(a.Losses, b.Losses) > 1e-3) {
			t.Errorf("%s: losses %v on go, %v on vectors: want other bits and about the same numbers", name, a.Losses, b.Losses)
		}
	}
}

// TestOtherTierIsMarked: a run that goes on where the bits are others says so, to
// the user and in its events; between sets of one class it says nothing.
func TestOtherTierIsMarked(t *testing.T) {
	l := example(t, "quickstart")
	p := planOf(t, l, nil)
	dir := t.TempDir()
	before := ""
	for _, isa := range append(tiers(), "go") {
		var warned diag.List
		trainOn(t, onISA{isa: isa}, p, l, train.Options{Dir: dir, Steps: 1, Warn: func(d diag.Diagnostic) { warned = append(warned, d) }})
		events := eventsOf(t, filepath.Join(dir, "events.jsonl"))
		var last = events[0]
		for _, e := range events {
			if e.Version > 0 {
				last = e
			}
		}
		other := before != "" && exec.Class(before) != exec.Class(isa)
		switch {
		case last.ISA != isa:
			t.Errorf("the run on %s says isa %q", isa, last.ISA)
		case other != (last.Was == before && before != ""):
			t.Errorf("from %q to %q: was is %q", before, isa, last.Was)
		case other != (len(warned) == 1 && warned[0].Code == "run.isa"):
			t.Errorf("from %q to %q: warnings %v", before, isa, warned)
		}
		before = isa
	}
}

// TestNothingIsLeftBehind: opening, training and closing many times leaves no
// goroutine, whatever streams and workers there were.
func TestNothingIsLeftBehind(t *testing.T) {
	l := example(t, "offloaded")
	p := planOf(t, l, nil)
	trainOn(t, cpu.Engine{}, p, l, train.Options{Steps: 1, Workers: 4})
	before := runtime.NumGoroutine()
	for range 5 {
		trainOn(t, cpu.Engine{}, p, l, train.Options{Steps: 1, Workers: 4})
	}
	for range 1000 { // the runtime takes a moment to end what has returned
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestStepIsQuiet: sections of a plan do not allocate, so that the collector
// never runs because of a step.
func TestStepIsQuiet(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama", "offloaded"} {
		l := example(t, name)
		p := planOf(t, l, nil)
		for _, isa := range tiers() {
			s, err := onISA{isa: isa}.Open(p, exec.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if err := train.Initialise(s, p); err != nil {
				t.Fatal(err)
			}
			trainable(t, s, p)
			for _, sec := range []ir.Section{ir.Micro, ir.Update, ir.Eval} {
				if n := allocations(t, s, sec); n != 0 {
					t.Errorf("%s on %s: %v allocations in a run of %s", name, isa, n, sec)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// allocations is the fewest of a few counts: what a section allocates it allocates
// every time, what the runtime needs to let goroutines wait comes now and then.
func allocations(t *testing.T, s exec.Session, sec ir.Section) float64 {
	t.Helper()
	fewest := math.Inf(1)
	for range 5 {
		fewest = min(fewest, testing.AllocsPerRun(1, func() {
			if err := s.Run(t.Context(), sec); err != nil {
				t.Fatal(err)
			}
		}))
	}
	return fewest
}

// trainable writes inputs with which the sections can run again and again.
func trainable(t *testing.T, s exec.Session, p *plan.Plan) {
	t.Helper()
	in, rows := &p.Run.Inputs, p.Run.Window.BatchSize*p.Run.Window.SeqLen
	weight, ids := make([]float32, rows), make([]int32, rows)
	for i := range rows {
		weight[i], ids[i] = 1, int32(i%p.Run.Model.Vocab)
	}
	ctl := make([]float64, ir.ControlLen)
	ctl[plan.CtlC], ctl[plan.CtlScale], ctl[plan.CtlLR], ctl[plan.CtlU] = 1/float64(rows), 1, 1e-4, 1
	ctl[plan.CtlBC1], ctl[plan.CtlBC2] = 0.1, 0.05
	for buffer, data := range map[int]any{in.IDs: ids, in.Targets: ids, in.Weight: weight, in.Control: ctl} {
		if err := s.Write(buffer, data); err != nil {
			t.Fatal(err)
		}
	}
	if in.RowIDs >= 0 {
		none := make([]int32, p.Buffers[in.RowIDs].Shape[0])
		for i := range none {
			none[i] = -1
		}
		if err := s.Write(in.RowIDs, none); err != nil {
			t.Fatal(err)
		}
	}
}
