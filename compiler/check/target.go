package check

import (
	"fmt"

	"github.com/gradcue/gradcue/spec/shape"
)

// The rules target.* refuse what this version cannot build, so that nothing a
// spec asks for is silently left out.

var precision = Rule{
	ID: "target.precision", Title: "storage in one type, arithmetic in f32", Formula: "params = compute ∈ {f32, bf16, f16}; grads = master = f32; products = f32",
	Target: true,
	Doc:    "Activations and the parameters that products read are stored in one type; products and gradients are f32, and 16-bit parameters have an f32 master copy. Another combination would be ignored, so it is refused.",
	Spec: func(in *Input) (fs []Finding) {
		p := &in.Experiment.Precision
		want := func(field, value, only, why string) {
			if value != only {
				fs = append(fs, Finding{Field: "precision." + field, Summary: fmt.Sprintf("precision.%s is %s, but %s", field, value, why), Help: "remove the field: " + only + " is the default", Related: []string{"precision.compute"}})
			}
		}
		want("params", string(p.Params), string(p.Compute), "parameters are stored in the type of compute, "+string(p.Compute))
		want("grads", string(p.Grads), "f32", "this version accumulates gradients in f32 only")
		want("master", string(p.Master), "f32", "this version keeps master copies in f32 only")
		want("products", p.Products, "f32", "this version multiplies in f32 only")
		return fs
	},
}

var offloadTier = Rule{
	ID: "target.offload", Title: "what can be offloaded", Formula: "optimizer and activations ∈ {device, host}; params and grads = device",
	Target: true,
	Doc:    "Activations and optimizer state can be placed on the host. Parameters, gradients and the disk tier are not built yet, so asking for them is refused.",
	Spec: func(in *Input) (fs []Finding) {
		o := &in.Experiment.Offload
		bad := func(field, class, place string) {
			if place == "device" || place == "host" && (class == "optimizer" || class == "activations") {
				return
			}
			fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf("%s on the %s is not possible in this version: optimizer and activations can be on the host", class, place), Help: "use place device, or host for optimizer and activations"})
		}
		bad("offload.place.params", "params", string(o.Place.Params))
		bad("offload.place.grads", "grads", string(o.Place.Grads))
		bad("offload.place.optimizer", "optimizer", string(o.Place.Optimizer))
		bad("offload.place.activations", "activations", string(o.Place.Activations))
		for i, r := range o.Overrides {
			bad(fmt.Sprintf("offload.overrides.%d.place", i), string(r.Class), string(r.Place))
		}
		return fs
	},
}

var automatic = Rule{
	ID: "target.auto", Title: "placement is declared", Formula: "memory.policy = declared",
	Target: true,
	Doc:    "The search for a placement under a budget is not built yet; checkpointing and offload are declared in the spec.",
	Spec: func(in *Input) []Finding {
		if in.Experiment.Memory.Policy == "declared" {
			return nil
		}
		return []Finding{{Field: "memory.policy", Summary: fmt.Sprintf("memory.policy is %s; this version carries out declared placements only", in.Experiment.Memory.Policy), Help: "declare checkpointing and offload, and let plan print what they save"}}
	},
}

var dropout = Rule{
	ID: "target.dropout", Title: "dropout of attention probabilities", Formula: "dropout.attention = 0",
	Target: true,
	Doc:    "Residual and embedding dropout are built; dropout of attention probabilities inside the fused attention is not.",
	Spec: func(in *Input) []Finding {
		if in.Experiment.Dropout.Attention == 0 {
			return nil
		}
		return []Finding{{Field: "dropout.attention", Summary: fmt.Sprintf("dropout.attention is %g; attention dropout is not possible in this version", in.Experiment.Dropout.Attention), Help: "use dropout.rate, which acts on embedding and residual branches"}}
	},
}

var qkNorm = Rule{
	ID: "target.qknorm", Title: "norms of queries and keys", Formula: "model.qkNorm = false to run",
	Target: true,
	Doc:    "The parameters of query and key norms are counted, but the op is not built.",
	Spec: func(in *Input) []Finding {
		if !in.Experiment.Model.QKNorm {
			return nil
		}
		return []Finding{{Field: "model.qkNorm", Summary: "model.qkNorm is true; norms of queries and keys cannot be compiled in this version", Help: "set qkNorm: false"}}
	},
}

var replicas = Rule{
	ID: "target.replicas", Title: "one replica", Formula: "window.replicas = 1",
	Target: true,
	Doc:    "A run uses one machine; data-parallel replicas are not built.",
	Spec: func(in *Input) []Finding {
		if in.Experiment.Window.Replicas == 1 {
			return nil
		}
		return []Finding{{Field: "window.replicas", Summary: fmt.Sprintf("window.replicas is %d; this version runs one replica", in.Experiment.Window.Replicas), Help: "use more microBatches for the same window"}}
	},
}

// foreign is asked for by Target only: vetting another trainer is what a
// pipeline section is for.
var foreign = Rule{
	ID: "target.pipeline", Title: "gradcue runs its own pipeline", Formula: "no pipeline, or pipeline.trainer = \"gradcue\"",
	Doc:    "A pipeline section describes another trainer. gradcue can vet it, but it does not imitate it: a plan or a run made from this spec would be a different experiment.",
	Target: true,
	Spec: func(in *Input) []Finding {
		switch p := in.Experiment.Pipeline; {
		case p == nil || *p == shape.Pipeline{Trainer: "gradcue"}:
			return nil
		case p.Trainer == "gradcue":
			return []Finding{{Field: "pipeline", Summary: "this section describes how a trainer works, but gradcue does not read it to run", Help: "remove the section, or name the trainer that it describes"}}
		default:
			return []Finding{{Field: "pipeline.trainer", Summary: fmt.Sprintf("this spec describes another trainer (%s); gradcue can vet it but not run it", p.Trainer), Help: "use gradcue vet, or remove the section pipeline to train with gradcue itself"}}
		}
	},
}

// Foreign reports whether a spec describes a trainer other than gradcue.
func Foreign(x *shape.Experiment) bool { return x.Pipeline != nil && x.Pipeline.Trainer != "gradcue" }
