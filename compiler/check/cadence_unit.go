package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/rate"
	"github.com/gradcue/gradcue/spec/shape"
)

var cadenceUnit = Rule{
	ID: "cadence.unit", Title: "the schedule is counted in updates", Formula: "number · times / (counts per update) = number, for warmup and updates; warmup ≤ updates",
	Doc: "schedule.updates and schedule.warmup count successful updates. A schedule that ticks with every micro-batch is over K times too early, one that ticks once per process R times too early, and a warm-up that is a share of micro-batches is K times too long. Numbers may be multiplied to make up for it, but then all of them.",
	Spec: func(in *Input) []Finding {
		p := in.pipeline()
		ticks := p.update.Ticks
		if ticks != nil && len(ticks) == 0 {
			return []Finding{{Field: "pipeline.update.ticks", Summary: "nobody moves the schedule on: the rate stays where it starts", Help: "tick once after each successful update"}}
		}
		tick, err := in.ticksPerUpdate(ticks)
		if err != nil {
			return []Finding{{Field: "pipeline.update.ticks", Summary: err.Error(), Help: "state pipeline.window.batches"}}
		}
		s, c := &in.Experiment.Schedule, &p.update.Schedule
		length, err := in.ends(s.Updates, &c.Length, tick)
		warmup, err2 := in.ends(s.Warmup, &c.Warmup, tick)
		for i, e := range []error{err, err2} {
			if e != nil {
				return []Finding{{Field: "pipeline.update.schedule." + []string{"length", "warmup"}[i], Summary: e.Error(), Help: "use a product such as K, and state pipeline.window.batches where epochs are counted"}}
			}
		}
		f := Finding{Related: []string{"schedule.updates", "schedule.warmup", "window.microBatches", "window.replicas"}}
		switch u, w := big.NewRat(s.Updates, 1), big.NewRat(s.Warmup, 1); {
		case length.Cmp(u) != 0:
			f.Field, f.Help = in.unitField(&p, "length", &c.Length), "count the schedule's length and its ticks in updates"
			f.Summary = fmt.Sprintf("the schedule of %d updates ends after %s updates%s", s.Updates, ratNumber(length), unitReason(ticks, c.Length.In, c.Length.Times))
			if s.Warmup > 0 {
				f.Summary += fmt.Sprintf(", its warm-up of %d after %s", s.Warmup, ratNumber(warmup))
			}
			f.Summary += in.neverPeaks(length, warmup)
			return []Finding{f}
		case warmup.Cmp(w) != 0:
			f.Field, f.Help = in.unitField(&p, "warmup", &c.Warmup), "count the warm-up in updates, as the schedule's length"
			f.Summary = fmt.Sprintf("the warm-up of %d updates ends after %s of %d updates%s", s.Warmup, ratNumber(warmup), s.Updates, unitReason(ticks, c.Warmup.In, c.Warmup.Times)) + in.neverPeaks(length, warmup)
			return []Finding{f}
		case len(ticks) > 1:
			f.Field, f.Help = fmt.Sprintf("pipeline.update.ticks.%d", len(ticks)-1), "let one component tick the schedule"
			f.Summary = fmt.Sprintf("%d components tick the schedule (%s), expected one", len(ticks), listBy(ticks, func(t shape.Tick) string { return t.By }))
			return []Finding{f}
		}
		return nil
	},
}

// ticksPerUpdate is how far the schedule moves in an update.
func (in *Input) ticksPerUpdate(ticks []shape.Tick) (*big.Rat, error) {
	if ticks == nil {
		return big.NewRat(1, 1), nil
	}
	sum := new(big.Rat)
	for _, t := range ticks {
		unit := map[string]string{"micro-batch": "micro-batches", "process": "processes", "epoch": "epochs"}[t.Per]
		n, err := in.perUpdate(unit)
		if err != nil {
			return nil, err
		}
		sum.Add(sum, n)
	}
	return sum, nil
}

// perUpdate is how much of a unit is one update.
func (in *Input) perUpdate(unit string) (*big.Rat, error) {
	w := &in.Experiment.Window
	n := big.NewRat(1, 1)
	switch unit {
	case "micro-batches":
		n.SetInt64(w.MicroBatches)
	case "processes":
		n.SetInt64(w.Replicas)
	case "samples":
		n.SetInt64(w.Sequences)
	case "tokens":
		n.SetInt64(w.Tokens)
	case "epochs":
		batches := in.pipeline().window.Batches
		if batches == 0 {
			return nil, fmt.Errorf("the schedule counts epochs, but the micro-batches of an epoch are not stated")
		}
		n.SetFrac64(w.MicroBatches, batches)
	}
	return n, nil
}

// ends is the update at which a number of the schedule is reached as it is counted.
func (in *Input) ends(number int64, c *shape.Counted, tick *big.Rat) (*big.Rat, error) {
	unit := tick
	if c.In != "" {
		n, err := in.perUpdate(c.In)
		if err != nil {
			return nil, err
		}
		unit = n
	}
	times, err := parseFactor(or1(c.Times))
	if err != nil {
		return nil, err
	}
	t, _ := times.numbers(in).value()
	end := new(big.Rat).SetInt64(number)
	return end.Quo(end.Mul(end, t), unit), nil
}

// or1 is a factor, 1 where it is left out.
func or1(text string) string {
	if text == "" {
		return "1"
	}
	return text
}

// unitField is the field to change: what the number is counted in or multiplied
// by, or else who ticks.
func (in *Input) unitField(p *pipe, name string, c *shape.Counted) string {
	switch {
	case c.In != "":
		return "pipeline.update.schedule." + name + ".in"
	case c.Times != "" && c.Times != "1":
		return "pipeline.update.schedule." + name + ".times"
	case p.update.Ticks == nil:
		return "pipeline.update.schedule." + name
	}
	if i := slices.IndexFunc(p.update.Ticks, func(t shape.Tick) bool { return t.Per != "" && t.Per != "update" }); i >= 0 {
		return fmt.Sprintf("pipeline.update.ticks.%d", i)
	}
	return fmt.Sprintf("pipeline.update.ticks.%d", len(p.update.Ticks)-1)
}

func unitReason(ticks []shape.Tick, unit, times string) string {
	var why []string
	if unit != "" && unit != "updates" {
		why = append(why, "it is counted in "+unit)
	} else if unit == "" {
		for _, t := range ticks {
			why = append(why, fmt.Sprintf("the %s ticks per %s", t.By, t.Per))
		}
	}
	if times != "" && times != "1" {
		why = append(why, "it is multiplied by "+times)
	}
	if len(why) == 0 {
		return ""
	}
	return " (" + strings.Join(why, ", ") + ")"
}

// neverPeaks adds the highest rate of the run where the warm-up does not end in it.
func (in *Input) neverPeaks(length, warmup *big.Rat) string {
	s := &in.Experiment.Schedule
	if warmup.Cmp(big.NewRat(s.Updates, 1)) <= 0 || s.Warmup == 0 {
		return ""
	}
	end, _ := warmup.Float64()
	lr := in.Experiment.Optimizer.LR
	return fmt.Sprintf("; the highest rate of the run is %s, expected %s", number(lr*float64(s.Updates)/end), number(lr))
}

// factorAt is the share of the peak rate at update u.
func (in *Input) factorAt(u int64) float64 {
	s := &in.Experiment.Schedule
	r := rate.Schedule{Kind: s.Kind, Updates: int(s.Updates), Warmup: int(s.Warmup), Floor: s.Floor, Decay: int(s.Decay)}
	return r.Factor(int(u))
}
