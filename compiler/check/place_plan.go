package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// What place.useless says of gradcue's own plan.

// idle are offloads of activations that move nothing.
func idle(in *Input) (fs []Finding) {
	for _, why := range in.Plan.Predictions.NoTransfer {
		fs = append(fs, Finding{Field: "offload", Summary: why, Help: "offload more blocks, or keep them", Severity: diag.Warning})
	}
	return fs
}

// stateless is an offload of optimizer state that does not exist.
func stateless(in *Input) []Finding {
	o := &in.Experiment.Offload
	away := o.Place.Optimizer != "device" || slices.ContainsFunc(o.Overrides, func(r shape.OffloadRule) bool { return r.Class == "optimizer" && r.Place != "device" })
	if p := in.Plan.Run.Params; !away || len(p) == 0 || p[0].Grad < 0 || len(p[0].State) > 0 || p[0].Master != 0 {
		return nil
	}
	return []Finding{{Field: "offload", Summary: fmt.Sprintf("the optimizer's state is offloaded, but %s without momentum has none", in.Experiment.Optimizer.Kind),
		Help: "remove the offload of the optimizer", Related: []string{"optimizer"}, Severity: diag.Warning}}
}

// uselessPlan compares gradcue's plan with the plan of the same experiment
// without its checkpointing and offload.
func uselessPlan(in *Input) []Finding {
	if in.Without == nil {
		return nil
	}
	base := in.Without()
	if base == nil {
		return nil
	}
	with, without := &in.Plan.Predictions, &base.Predictions
	if with.Peak.Bytes < without.Peak.Bytes {
		return nil
	}
	owner := ""
	if len(with.OwnersAtPeak) > 0 {
		owner = fmt.Sprintf(" (%s, %s)", with.OwnersAtPeak[0].Name, plan.Bytes(with.OwnersAtPeak[0].Bytes))
	}
	field, related := "checkpointing", []string(nil)
	if offloads(in.Experiment) {
		if !checkpoints(in.Experiment) {
			field = "offload"
		} else {
			related = []string{"offload"}
		}
	}
	f := Finding{Field: field, Related: related, Severity: diag.Warning, Help: "remove it, or lower what owns the peak: fewer tokens in a micro-batch",
		Summary: fmt.Sprintf("the peak is %s in %s at %s%s, and %s without recompute and offload: nothing is saved", plan.Bytes(with.Peak.Bytes), with.Peak.Section, with.Peak.What, owner, plan.Bytes(without.Peak.Bytes))}
	if in.Plan.Predictions.Recomputed > 0 {
		f.Summary += fmt.Sprintf("; %.3g FLOP are computed again per update", float64(with.Recomputed))
	}
	if with.ExposedNs > 0 {
		f.Summary += fmt.Sprintf("; copies add %s per update", plan.Duration(with.ExposedNs))
	}
	return []Finding{f}
}

// checkpoints reports whether a spec declares recompute for some block.
func checkpoints(x *shape.Experiment) bool {
	return x.Checkpointing.Policy != "none" || len(x.Checkpointing.Overrides) > 0
}

// offloads reports whether a spec declares that something lives on the host.
func offloads(x *shape.Experiment) bool {
	p := &x.Offload.Place
	host := shape.Place(ir.Host.String())
	return p.Params == host || p.Grads == host || p.Optimizer == host || p.Activations == host || len(x.Offload.Overrides) > 0
}
