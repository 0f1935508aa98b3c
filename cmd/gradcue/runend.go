package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/measure"
	"github.com/gradcue/gradcue/runtime/train"
)

// reached is what a call of run did.
func (p *page) reached(pl *plan.Plan, r *train.Result, dir string) {
	n := len(r.Losses)
	if n == 0 {
		p.line("updates", fmt.Sprintf("%s of %s, nothing was left to do", group(int64(r.U)), group(int64(r.Updates))))
	} else {
		p.line("updates", fmt.Sprintf("%d → %d of %s", r.From, r.U, group(int64(r.Updates))), skips(r))
	}
	// The null engine computes no loss.
	if n > 0 && r.ParamHash != "" {
		held := ""
		if !math.IsNaN(r.EvalLoss) {
			held = fmt.Sprintf("held out %.4f", r.EvalLoss)
		}
		p.line("loss", fmt.Sprintf("%.4f → %.4f", r.Losses[0], r.Losses[n-1]), held)
	}
	if r.TokensPerSecond > 0 && r.ParamHash != "" {
		p.line("speed", si(r.TokensPerSecond, "token/s"), r.Elapsed.Round(10*time.Millisecond).String())
	}
	p.line("memory", memoryLine(pl, r))
	if b := r.Beside; b != nil {
		p.line("beside it", besideLine(b))
		for _, section := range b.Queued {
			p.line("no graph", section)
		}
	}
	if r.Kernels != "" {
		p.line("kernels", r.Kernels)
	}
	if r.ParamHash != "" {
		p.line("parameters", fmt.Sprintf("sha256 %.12s", r.ParamHash))
	}
	if r.Dir != "" {
		p.line("folder", dir)
	}
}

// times is where the time of a run went, by kind of work, beside what was
// predicted. Streams overlap, so the sum is not the time on the wall.
func (p *page) times(totals []measure.Total) {
	all := int64(0)
	for _, t := range totals {
		all += t.Nanos
	}
	var rows [][]string
	for _, t := range totals {
		rows = append(rows, []string{t.Section, t.Phase, t.Op, t.Stream, group(t.Runs), plan.Duration(t.Nanos), percent(t.Nanos, all),
			plan.Duration(t.Nanos / t.Runs), plan.Duration(t.Predicted / t.Runs), pad(bar(float64(t.Nanos)/float64(max(all, 1)), barCells), barCells)})
	}
	p.table("  ", []column{{head: "section"}, {head: "phase"}, {head: "op"}, {head: "stream"}, {head: "runs", right: true}, {head: "time", right: true}, {head: "share", right: true},
		{head: "each", right: true}, {head: "predicted", right: true}, {style: cyan}}, rows)
}

// memoryLine compares the plan's arenas with what the engine allocated. The
// engine ref keeps everything in float64, so it is not what was planned.
func memoryLine(pl *plan.Plan, r *train.Result) string {
	var parts []string
	for t, arena := range pl.Arenas {
		got := r.Allocated[t]
		switch {
		case arena.Bytes == 0 && got == 0:
		case got == arena.Bytes:
			parts = append(parts, fmt.Sprintf("predicted %s = allocated, %s", exact(arena.Bytes), ir.Tier(t)))
		default:
			parts = append(parts, fmt.Sprintf("predicted %s, allocated %s because the engine keeps float64, %s", exact(arena.Bytes), exact(got), ir.Tier(t)))
		}
	}
	return strings.Join(parts, " · ")
}

// besideLine is memory that no plan knows of, each with what it is.
func besideLine(b *exec.Accounts) string {
	parts := []string{"reserved " + plan.Bytes(b.Reserved) + " of the device, most at the " + b.At}
	if b.Before > 0 {
		parts = append(parts, plan.Bytes(b.Before)+" in use before")
	}
	return strings.Join(append(parts, "pinned "+plan.Bytes(b.Pinned)+" of the host"), " · ")
}

// exact is a size with all its bytes.
func exact(n int64) string { return plan.Bytes(n) + " (" + group(n) + " B)" }

func skips(r *train.Result) string {
	var parts []string
	if r.Skipped > 0 {
		parts = append(parts, plural(r.Skipped, "update")+" skipped, the gradient was not finite")
	}
	if r.Empty > 0 {
		parts = append(parts, plural(r.Empty, "window")+" without a trained token")
	}
	return strings.Join(parts, " · ")
}

// field is the value of the first line "name : value".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
