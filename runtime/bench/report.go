package bench

import (
	"cmp"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/measure"
)

// Version is the version of the report; it grows when a field changes its
// meaning or goes.
const Version = 1

// Report is what was measured. Times are nanoseconds.
type Report struct {
	Version int         `json:"version"`
	Name    string      `json:"name"`
	Model   plan.Model  `json:"model"`
	Window  plan.Window `json:"window"`
	Text    string      `json:"text"` // where the tokens come from; the caller's
	Machine Machine     `json:"machine"`
	Kernels string      `json:"kernels,omitempty"` // what makes the products, where the engine has a choice

	Apart   bool  `json:"apart,omitempty"` // commands were timed in updates of their own, one after the other
	Updates int   `json:"updates"`         // timed
	Clean   int   `json:"clean"`           // of which undisturbed, or all of them when that is not known
	Counted int   `json:"counted"`         // that the medians are over: the clean ones, all when they are too few
	Others  Share `json:"others"`          // of the machine that other processes took meanwhile, -1 when it is not known

	Nanos    int64   `json:"nanos"`    // of an update, median
	Fastest  int64   `json:"fastest"`  //
	Slowest  int64   `json:"slowest"`  //
	Outside  int64   `json:"outside"`  // of an update outside the commands of its compute stream: inputs, losses, dispatch, waits
	Tokens   int     `json:"tokens"`   // of an update
	Rate     float64 `json:"rate"`     // tokens/s
	FLOPs    int64   `json:"flops"`    // of an update
	FLOPS    float64 `json:"flopRate"` // FLOP/s
	Fraction Share   `json:"fraction"` // of Machine.FLOPS
	Loss     float64 `json:"loss"`     // of the last update

	Ops []Op `json:"ops"` // the longest first

	Allocated   [ir.NumTiers]int64 `json:"allocated"`   // arenas, bytes per tier
	PeakRSS     int64              `json:"peakRSS"`     // of the process up to the last update, bytes; 0 when it is not known
	Allocations float64            `json:"allocations"` // of Go, an update
	Collections int                `json:"collections"` // of Go's collector, in all timed updates

	kernels []byte // the choice of the first session, which the next one takes
	isa     string // of the session, "" where there is no choice
}

// Machine is what the updates are held against.
type Machine struct {
	Name      string  `json:"name,omitempty"`   // of a device, "" for the processors
	ISA       string  `json:"isa"`              // instruction set of the processors, or what a device's peak is for
	Workers   int     `json:"workers"`          // threads; of a device its multiprocessors
	FLOPS     float64 `json:"flops"`            // FLOP/s: measured on processors, by the data sheet of a device; 0 = not known
	Pairs     bool    `json:"pairs,omitempty"`  // FLOPS are those of pairs of bf16, about twice those of f32
	Bandwidth float64 `json:"bandwidth"`        // bytes/s of a copy in memory, read and written
	H2D       float64 `json:"h2d,omitempty"`    // bytes/s of a copy from pinned host memory to a device
	D2H       float64 `json:"d2h,omitempty"`    // bytes/s of a copy back
	Launch    float64 `json:"launch,omitempty"` // nanoseconds from one launch to the next, of kernels that do nothing
}

// processors is the machine of the cpu engine.
func processors(m cpu.Machine) Machine {
	return Machine{ISA: m.ISA, Workers: m.Workers, FLOPS: m.FLOPS, Bandwidth: m.Bandwidth}
}

// Share is a part of a whole, 0…1.
type Share float64

// Op is all commands of one kind.
type Op struct {
	Section   string  `json:"section"`
	Op        string  `json:"op"`
	Stream    string  `json:"stream"`
	Calls     int64   `json:"calls"`     // in an update
	Nanos     int64   `json:"nanos"`     // in an update
	Predicted int64   `json:"predicted"` // in an update, from the plan's profile
	Share     Share   `json:"share"`     // of the update
	FLOPs     int64   `json:"flops"`     //
	FLOPS     float64 `json:"flopRate"`  // FLOP/s
	Fraction  Share   `json:"fraction"`  // of Machine.FLOPS
	Bytes     int64   `json:"bytes"`     //
	Bandwidth float64 `json:"bandwidth"` // bytes/s
}

const (
	quiet    = 0.04       // of the machine's processor time that others may take from a clean update
	tick     = 10_000_000 // by which their time is counted, in nanoseconds
	leastOdd = 3          // clean updates that a median needs
)

// summarise fills in times from the samples.
func (r *Report) summarise(t *times, samples []sample, known bool) {
	workers := int64(max(1, r.Machine.Workers))
	counted := make([]int, 0, len(samples))
	others, whole := int64(0), int64(0)
	for i, s := range samples {
		others += s.others
		whole += s.nanos * workers
		if s.others <= int64(quiet*float64(s.nanos*workers))+tick {
			counted = append(counted, i)
		}
	}
	r.Updates, r.Clean, r.Others = len(samples), len(counted), -1
	if known {
		r.Others = Share(float64(max(0, others)) / float64(max(1, whole))) // both are counted in ticks, so a little less than nothing can come out
	}
	if len(counted) < leastOdd {
		counted = all(len(samples))
	}
	r.Counted = len(counted)
	var nanos, outside []int64
	for _, i := range counted {
		nanos = append(nanos, samples[i].nanos)
		if !r.Apart {
			outside = append(outside, samples[i].nanos-t.compute(i))
		}
	}
	r.Nanos, r.Fastest, r.Slowest = median(nanos), slices.Min(nanos), slices.Max(nanos)
	if r.Apart {
		r.Outside = max(0, r.Nanos-t.typical()) // commands one by one take longer than in a row
		counted = all(t.n)
	} else {
		r.Outside = median(outside)
	}
	r.ops(t, counted)
}

// all is the first n numbers.
func all(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// ops sums the commands of each kind.
func (r *Report) ops(t *times, counted []int) {
	type kind struct {
		section, op string
		stream      plan.Stream
	}
	at := map[kind]int{}
	pick := make([]int64, len(counted))
	for s := range t.all {
		for i := range t.all[s] {
			c, runs := &t.p.Sections[s].Commands[i], t.run[s][i]
			if runs == 0 {
				continue
			}
			k := kind{t.p.Sections[s].Name, c.Op, c.Stream}
			j, ok := at[k]
			if !ok {
				j = len(r.Ops)
				at[k] = j
				r.Ops = append(r.Ops, Op{Section: k.section, Op: k.op, Stream: k.stream.String()})
			}
			for n, u := range counted {
				pick[n] = t.all[s][i][u]
			}
			w, nanos := measure.WorkOf(t.p, c), median(pick)
			o := &r.Ops[j]
			o.Calls += runs
			o.Nanos += nanos
			o.Predicted += runs * c.Nanos
			o.FLOPs += runs * w.FLOPs
			o.Bytes += runs * w.Bytes
			r.FLOPs += runs * w.FLOPs
		}
	}
	slices.SortStableFunc(r.Ops, func(a, b Op) int { return cmp.Compare(b.Nanos, a.Nanos) })
}

// rates divides work by time, and by the machine's limits.
func (r *Report) rates() {
	part := func(a, b float64) Share { return Share(ratio(a, b)) }
	for i := range r.Ops {
		o := &r.Ops[i]
		o.Share = part(float64(o.Nanos), float64(r.Nanos))
		o.FLOPS = ratio(float64(o.FLOPs), float64(o.Nanos)) * 1e9
		o.Fraction = part(o.FLOPS, r.Machine.FLOPS)
		o.Bandwidth = ratio(float64(o.Bytes), float64(o.Nanos)) * 1e9
	}
	r.Rate = ratio(float64(r.Tokens), float64(r.Nanos)) * 1e9
	r.FLOPS = ratio(float64(r.FLOPs), float64(r.Nanos)) * 1e9
	r.Fraction = part(r.FLOPS, r.Machine.FLOPS)
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// median is that of a copy; of an even number the lower middle.
func median(x []int64) int64 {
	s := slices.Sorted(slices.Values(x))
	return s[(len(s)-1)/2]
}
