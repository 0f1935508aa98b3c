package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

var tensors = Rule{
	ID: "spec.tensors", Title: "names of placed tensors", Formula: "name ∈ named results of the family",
	Doc: "checkpointing.tensors and offload.tensors name results of a block. in cannot be recomputed, because it is what a block starts from. A list is idle where no block is recomputed or offloaded, and a name in both lists is offloaded.",
	Spec: func(in *Input) (fs []Finding) {
		names := in.Model.Names()
		bad := func(field, n string, allowed []string) {
			if !slices.Contains(allowed, n) {
				fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf("%s names %q, which is not one of %s", field[:strings.LastIndex(field, ".")], n, strings.Join(allowed, ", ")), Help: "use one of these names"})
			}
		}
		for i, n := range in.Experiment.Checkpointing.Tensors {
			bad(fmt.Sprintf("checkpointing.tensors.%d", i), n, names[1:])
		}
		for i, n := range in.Experiment.Offload.Tensors {
			bad(fmt.Sprintf("offload.tensors.%d", i), n, names)
		}
		return append(fs, idleLists(in.Experiment)...)
	},
}

// idleLists warns about lists of names that change nothing.
func idleLists(x *shape.Experiment) (fs []Finding) {
	again := x.Checkpointing.Policy != "none"
	for _, r := range x.Checkpointing.Overrides {
		again = again || r.Policy != "none"
	}
	away := x.Offload.Place.Activations != "device"
	for _, r := range x.Offload.Overrides {
		away = away || r.Class == "activations" && r.Place != "device"
	}
	warn := func(field, summary, help string) {
		fs = append(fs, Finding{Field: field, Summary: summary, Help: help, Severity: diag.Warning})
	}
	if len(x.Checkpointing.Tensors) > 0 && !again {
		warn("checkpointing.tensors", "checkpointing.tensors names results, but no block is recomputed", `set checkpointing.policy: "full", or remove the list`)
	}
	if len(x.Offload.Tensors) > 0 && !away {
		warn("offload.tensors", "offload.tensors names results, but no block's activations are offloaded", `set offload.place.activations: "host", or remove the list`)
	}
	for i, n := range x.Checkpointing.Tensors {
		if again && away && slices.Contains(x.Offload.Tensors, n) {
			warn(fmt.Sprintf("checkpointing.tensors.%d", i), fmt.Sprintf("%s is in checkpointing.tensors and in offload.tensors: where a block does both it is offloaded, not recomputed", n), "remove it from one of the lists")
		}
	}
	return fs
}

var groups = Rule{
	ID: "spec.groups", Title: "optimizer groups match parameters", Formula: "∀ pattern ∃ parameter: match",
	Doc: "A pattern that matches no parameter leaves the parameters it was meant for with the default decay and rate.",
	Spec: func(in *Input) (fs []Finding) {
		params := in.Model.Params()
		for i, g := range in.Experiment.Optimizer.Groups {
			for k, p := range g.Params {
				field := fmt.Sprintf("optimizer.groups.%d.params.%d", i, k)
				if _, err := path.Match(p, ""); err != nil {
					fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf("pattern %q is not valid: %v", p, err), Help: "use *, ? and [a-z] as in file names"})
					continue
				}
				found := false
				for j := range params {
					ok, _ := path.Match(p, params[j].Name)
					found = found || ok
				}
				if !found {
					fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf("pattern %q matches no parameter of this model", p), Help: "use a name such as " + params[len(params)/2].Name})
				}
			}
		}
		return fs
	},
}

var budget = Rule{
	ID: "mem.peak", Title: "the peak fits the budget", Formula: "arena(max_t Σ a_i(t) b_i) ≤ memory.budget",
	Doc: "The device arena is what is allocated, once, before the first step. Its size is known before anything runs; a plan over the budget is refused with what is missing and who owns the peak.",
	Plan: func(in *Input) []Finding {
		return over("memory.budget", in.Experiment.Memory.Budget, in.Plan.Arenas[0].Bytes, "device", in)
	},
}

var hostBudget = Rule{
	ID: "place.host", Title: "the host tier fits its budget", Formula: "Σ alloc(b_i) on the host ≤ memory.hostBudget",
	Doc: "Offloaded states live in one host arena, allocated once.",
	Plan: func(in *Input) []Finding {
		return over("memory.hostBudget", in.Experiment.Memory.HostBudget, in.Plan.Arenas[1].Bytes, "host", in)
	},
}

func over(field string, budget, arena int64, tier string, in *Input) []Finding {
	if budget <= 0 || arena <= budget {
		return nil
	}
	p := &in.Plan.Predictions
	var owners []string
	for _, o := range p.OwnersAtPeak[:min(3, len(p.OwnersAtPeak))] {
		owners = append(owners, fmt.Sprintf("%s %s", o.Name, plan.Bytes(o.Bytes)))
	}
	f := Finding{Field: field, Summary: fmt.Sprintf("the %s arena needs %s, the budget is %s: %s are missing", tier, plan.Bytes(arena), plan.Bytes(budget), plan.Bytes(arena-budget))}
	if tier == "device" {
		f.Summary += fmt.Sprintf("; the peak is in %s at %s, owned by %s", p.Peak.Section, p.Peak.What, strings.Join(owners, ", "))
		f.Help = "recompute (checkpointing.policy: \"full\"), offload, or use smaller micro-batches with more of them"
	} else {
		f.Help = "offload fewer blocks or tensors"
	}
	return []Finding{f}
}

var idleOffload = Rule{
	ID: "place.useless", Title: "an offload that moves nothing", Formula: "blocks offloaded > prefetch.buffers",
	Doc: "The last S offloaded blocks find their results still in their staging slots. With no more blocks than slots nothing is moved and nothing is saved. An optimizer without moments has nothing to offload.",
	Plan: func(in *Input) (fs []Finding) {
		for _, why := range in.Plan.Predictions.NoTransfer {
			fs = append(fs, Finding{Field: "offload", Summary: why, Help: "offload more blocks, or keep them", Severity: diag.Warning})
		}
		o := &in.Experiment.Offload
		away := o.Place.Optimizer != "device" || slices.ContainsFunc(o.Overrides, func(r shape.OffloadRule) bool { return r.Class == "optimizer" && r.Place != "device" })
		if p := in.Plan.Run.Params; away && len(p) > 0 && p[0].Grad >= 0 && len(p[0].State) == 0 && p[0].Master == 0 {
			fs = append(fs, Finding{Field: "offload", Summary: fmt.Sprintf("the optimizer's state is offloaded, but %s without momentum has none", in.Experiment.Optimizer.Kind),
				Help: "remove the offload of the optimizer", Related: []string{"optimizer"}, Severity: diag.Warning})
		}
		return fs
	},
}
