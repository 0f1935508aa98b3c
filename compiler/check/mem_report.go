package check

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

var memReport = Rule{
	ID: "mem.report", Title: "memory numbers have a moment",
	Formula: "numbers are compared at one moment; allocated ≤ reserved ≤ process, apart; the first micro-batch is a phase of its own",
	Doc:     `Allocated, reserved, the driver's context and host memory are different numbers, and each has a moment. Reserved memory after the peak is cache: compared with what is allocated then, it looks like a leak. Under accumulation the first micro-batch makes the gradient buffers and later ones find them, so a report that remembers the last micro-batch only lacks what the first one made. This is information, not an error. gradcue prints its ledger by phase, with the moment of the peak.`,
	Spec: func(in *Input) (fs []Finding) {
		r := memory(in)
		if r.Report == nil {
			return nil
		}
		if f := compared(r.Report); f != nil {
			fs = append(fs, *f)
		}
		if k := in.Experiment.Window.MicroBatches; r.Report.Keeps == "last-micro-batch" && k > 1 {
			fs = append(fs, r.forgotten(k))
		}
		for i := range fs {
			fs[i].Severity = diag.Note
		}
		return fs
	},
}

// compared finds readings that do not belong together.
func compared(r *shape.MemoryReport) *Finding {
	at := map[string]int{}
	for i := range r.Readings {
		if _, ok := at[r.Readings[i].Number]; !ok {
			at[r.Readings[i].Number] = i
		}
	}
	field := func(i int) string { return fmt.Sprintf("pipeline.memory.report.readings.%d", i) }
	a, hasA := at["allocated"]
	_, hasPeak := at["peak"]
	for _, number := range []string{"reserved", "process"} {
		b, ok := at[number]
		if !ok || !hasA || hasPeak {
			continue
		}
		x, y := &r.Readings[a], &r.Readings[b]
		f := &Finding{Field: field(b), Related: []string{field(a)}, Help: "read both at the peak of a phase, and reset the peak where the phase starts",
			Summary: fmt.Sprintf("%s is %.2f times allocated (%s and %s)", number, float64(y.Bytes)/float64(max(1, x.Bytes)), plan.Bytes(y.Bytes), plan.Bytes(x.Bytes))}
		switch {
		case x.At != y.At:
			f.Summary += fmt.Sprintf(", but they are read at different moments: %s and %s", y.At, x.At)
		case number == "reserved" && 4*y.Bytes > 5*x.Bytes:
			f.Summary += fmt.Sprintf(" at %s: %s are cache that the peak left, not a leak", x.At, plan.Bytes(y.Bytes-x.Bytes))
		case number == "process" && 4*y.Bytes > 5*x.Bytes && !has(at, "context") && !has(at, "reserved"):
			f.Summary += fmt.Sprintf(" at %s: it includes cache and the driver's context, which no reading shows", x.At)
		default:
			continue
		}
		return f
	}
	return nil
}

func has(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}

// forgotten is what a report of the last micro-batch alone lacks.
func (r *remembering) forgotten(k int64) Finding {
	missing := int64(0)
	for i := range r.Owners {
		if o := &r.Owners[i]; o.Is == "gradients" {
			missing = plus(missing, max(0, r.size(o)))
		}
	}
	f := Finding{Field: "pipeline.memory.report.keeps", Related: []string{"window.microBatches"}, Help: "remember the first and the later micro-batches as separate phases",
		Summary: fmt.Sprintf("the report keeps the last of %d micro-batches only, but the first one makes the gradient buffers", k)}
	if missing > 0 {
		f.Summary += fmt.Sprintf(": %s are missing", plan.Bytes(missing))
	}
	return f
}
