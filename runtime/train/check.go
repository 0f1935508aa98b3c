package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// trains wants a plan that is safe and has what the loop runs and exchanges.
func trains(p *plan.Plan) error {
	if err := plan.Structure(p); err != nil {
		return finding("plan.invalid", "", err.Error(), "compile the spec again")
	}
	in := &p.Run.Inputs
	for _, x := range []struct {
		name   string
		buffer int
	}{{"control", in.Control}, {"ids", in.IDs}, {"targets", in.Targets}, {"weight", in.Weight}, {"tokenLoss", in.TokenLoss}} {
		if x.buffer < 0 {
			return finding("plan.train", "", fmt.Sprintf("the plan has no input %s: it was not compiled for training", x.name), "compile the spec for training")
		}
	}
	if len(p.Sections[ir.Micro].Commands) == 0 || len(p.Sections[ir.Update].Commands) == 0 {
		return finding("plan.train", "", "the plan has no micro-batch or no update", "compile the spec for training")
	}
	if (in.Row < 0) != (in.RowIDs < 0) {
		return finding("plan.train", "", "the plan has only one of the inputs row and rowids", "compile the spec again")
	}
	if err := scalerOf(&p.Run.Precision); err != nil {
		return err
	}
	if p.Run.Rate.Updates < 1 {
		return finding("plan.train", "schedule.updates", fmt.Sprintf("%d updates are asked for, at least 1 is expected", p.Run.Rate.Updates), "set schedule.updates")
	}
	return nil
}

// scalerOf checks the loss scale: its kind, and numbers that cannot lead to 0 or infinity at once.
func scalerOf(p *plan.Precision) error {
	switch p.Scaler {
	case "", "none", "static":
	case "dynamic":
		if !(p.Backoff > 0 && p.Backoff < 1) || !(p.Growth >= 1) || math.IsInf(p.Growth, 0) || p.Every < 1 {
			return finding("scale.kind", "precision.lossScale", fmt.Sprintf("the dynamic loss scale backs off by %g and grows by %g every %d updates; backoff in (0,1), growth ≥ 1 and at least one update are expected",
				p.Backoff, p.Growth, p.Every), "use the defaults 0.5, 2 and 2000")
		}
	default:
		return finding("scale.kind", "precision.lossScale.kind", fmt.Sprintf("loss scale %q does not exist", p.Scaler), "use none, static or dynamic")
	}
	if s := scale(p); !(s > 0) || math.IsInf(s, 0) {
		return finding("plan.train", "precision.lossScale.value", fmt.Sprintf("the loss scale is %v, a positive number is expected", s), "set precision.lossScale.value")
	}
	return nil
}

// scale is s of the first update.
func scale(p *plan.Precision) float64 {
	if p.Scaler == "" || p.Scaler == "none" {
		return 1
	}
	return p.Scale
}

// errMemory is wrapped when an engine allocates other than planned.
var errMemory = errors.New("the engine does not hold the plan's memory")

// allocatedAsPlanned compares what a session allocated with the plan's arenas, to the byte.
func allocatedAsPlanned(p *plan.Plan, n [ir.NumTiers]int64) error {
	for t, a := range p.Arenas {
		if t < len(n) && n[t] != a.Bytes {
			return fmt.Errorf("%w: %s tier has %d bytes, planned %d", errMemory, a.Tier, n[t], a.Bytes)
		}
	}
	return nil
}
