package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/bench"
)

// showBench is a report on one screen, with the plan's times beside the measured
// ones where its profile has rates of single ops.
func (a *app) showBench(r *bench.Report, predicted bool) error {
	p := newPage(a.stdout, a.outColor)
	w, m := &r.Window, &r.Machine
	p.title(r.Name, fmt.Sprintf("%s, width %d, vocabulary %d · %d × %d × %d tokens", plural(r.Model.Layers, "block"), r.Model.Width, r.Model.Vocab, w.MicroBatches, w.BatchSize, w.SeqLen))
	p.blank()
	if m.Name != "" {
		p.deviceLines(m)
	} else {
		of := " of multiply-adds"
		if m.Pairs {
			of += " of bf16 pairs"
		}
		p.line("machine", cpuName(), plural(m.Workers, "worker"), m.ISA, si(m.FLOPS, "FLOP/s")+of, si(m.Bandwidth, "B/s")+" of copies")
	}
	p.line("update", plan.Duration(r.Nanos), fmt.Sprintf("%s to %s in %d", plan.Duration(r.Fastest), plan.Duration(r.Slowest), r.Counted),
		si(r.Rate, "token/s"), si(r.FLOPS, "FLOP/s"), known(m.FLOPS > 0, share(r.Fraction)+" of the machine"))
	if r.Kernels != "" {
		p.line("kernels", r.Kernels)
	}
	p.line("text", r.Text, fmt.Sprintf("loss %.4f", r.Loss))
	p.line("memory", "arenas of "+plan.Bytes(r.Allocated[ir.Device]+r.Allocated[ir.Host]), known(r.PeakRSS > 0, plan.Bytes(r.PeakRSS)+" of the process at most"),
		fmt.Sprintf("%.0f allocations of Go an update", r.Allocations))
	p.line("quiet", disturbed(r))
	p.blank()
	p.benchOps(r, predicted)
	return p.close()
}

// deviceLines are what a device reaches.
func (p *page) deviceLines(m *bench.Machine) {
	top := "its highest rate of products is not known"
	if m.FLOPS > 0 {
		top = si(m.FLOPS, "FLOP/s") + " at most"
	}
	p.line("machine", m.Name, plural(m.Workers, "multiprocessor"), m.ISA, top)
	p.line("", si(m.Bandwidth, "B/s")+" of copies", si(m.H2D, "B/s")+" from the host", si(m.D2H, "B/s")+" back", fmt.Sprintf("%.2f µs a launch", m.Launch/1e3))
}

// machineName is the device or the processors that were measured.
func machineName(m *bench.Machine) string {
	if m.Name != "" {
		return m.Name
	}
	return cpuName()
}

// disturbed says how far other processes were in the way.
func disturbed(r *bench.Report) string {
	if r.Others < 0 {
		return "not known on this system; all updates count"
	}
	s := fmt.Sprintf("%d of %d updates; other processes took %s of the processors", r.Clean, r.Updates, share(r.Others))
	if r.Counted != r.Clean {
		s += "; too few are quiet, so all count: measure again on an idle machine"
	}
	return s
}

func known(ok bool, text string) string {
	if !ok {
		return ""
	}
	return text
}

func share(s bench.Share) string { return fmt.Sprintf("%.1f %%", 100*float64(s)) }

// benchOps is the table of the kinds of work.
func (p *page) benchOps(r *bench.Report, predicted bool) {
	var rows [][]string
	row := func(section, op, calls string, nanos int64, rest ...string) {
		part := float64(nanos) / float64(max(r.Nanos, 1))
		cells := append([]string{section, op, calls, plan.Duration(nanos), share(bench.Share(part))}, rest...)
		rows = append(rows, append(cells, bar(min(1, max(0, part)), barCells)))
	}
	for _, o := range r.Ops {
		section := o.Section
		if o.Stream != plan.Compute.String() {
			section += " " + o.Stream
		}
		rate, part := "", ""
		if o.FLOPs > 0 {
			rate, part = fmt.Sprintf("%.1f", o.FLOPS/1e9), known(r.Machine.FLOPS > 0, share(o.Fraction))
		}
		rest := []string{rate, part, fmt.Sprintf("%.1f", o.Bandwidth/1e9)}
		if predicted {
			rest = append(rest, plan.Duration(o.Predicted), fmt.Sprintf("%+.0f %%", 100*(float64(o.Predicted)/float64(max(o.Nanos, 1))-1)))
		}
		row(section, o.Op, group(o.Calls), o.Nanos, rest...)
	}
	columns := []column{{head: "section"}, {head: "op"}, {head: "calls", right: true}, {head: "time", right: true}, {head: "share", right: true},
		{head: "GFLOP/s", right: true}, {head: "of peak", right: true}, {head: "GB/s", right: true}}
	outside := []string{"", "", ""}
	if predicted {
		columns = append(columns, column{head: "predicted", right: true}, column{head: "off", right: true})
		outside = append(outside, "", "")
	}
	row("", "outside", "", r.Outside, outside...)
	p.table("  ", append(columns, column{style: cyan}), rows)
}

// benchLine is a report as the Go benchmark format has it, for benchstat. The
// ending of the name is the number of threads, as there.
func (a *app) benchLine(r *bench.Report) error {
	name := strings.Map(func(c rune) rune {
		if c <= ' ' || c == '-' {
			return '_'
		}
		return c
	}, r.Name)
	_, err := fmt.Fprintf(a.stdout, "goos: %s\ngoarch: %s\ncpu: %s\nisa: %s\nBenchmarkUpdate/%s-%d\t%d\t%d ns/op\t%.1f tokens/s\t%.2f GFLOP/s\t%.4f of-peak\t%d peak-RSS-bytes\t%.1f allocs/op\n",
		runtime.GOOS, runtime.GOARCH, machineName(&r.Machine), r.Machine.ISA, name, r.Machine.Workers, r.Counted, r.Nanos, r.Rate, r.FLOPS/1e9, float64(r.Fraction), r.PeakRSS, r.Allocations)
	return err
}
