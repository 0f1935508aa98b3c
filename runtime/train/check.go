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
	if k := p.Run.Precision.Scaler; k != "" && k != "none" && k != "static" {
		return finding("scale.kind", "precision.lossScale.kind", fmt.Sprintf("loss scale %q cannot be run yet", k), "use none or static")
	}
	if p.Run.Rate.Updates < 1 {
		return finding("plan.train", "schedule.updates", fmt.Sprintf("%d updates are asked for, at least 1 is expected", p.Run.Rate.Updates), "set schedule.updates")
	}
	if s := scale(p); !(s > 0) || math.IsInf(s, 0) {
		return finding("plan.train", "precision.lossScale.value", fmt.Sprintf("the loss scale is %v, a positive number is expected", s), "set precision.lossScale.value")
	}
	return nil
}

// scale is s of the first update.
func scale(p *plan.Plan) float64 {
	if p.Run.Precision.Scaler == "static" {
		return p.Run.Precision.Scale
	}
	return 1
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
