package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

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
