package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// The rules target.* refuse what this version cannot build, so that nothing a
// spec asks for is silently left out.

var precision = Rule{
	ID: "target.precision", Title: "storage in one type, products as the target makes them", Formula: "params = compute ∈ {f32, bf16, f16}; grads = master = f32; products = f32, or bf16dot (compute bf16), or for cuda:sm_80 f16dot (compute f16), tf32 (compute f32)",
	Target: true,
	Doc:    "Activations and the parameters that products read are stored in one type; gradients are f32, and 16-bit parameters have an f32 master copy. Products f32 are sums of f32 multiply-adds on every target. The others take operands of one type: they are made by the tensor cores of a GPU of compute capability 8.0 or more, and bf16dot by the processor too, which then rounds logit gradients to bf16. Another combination would be ignored, so it is refused.",
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
		return append(fs, products(in)...)
	},
}

// multiplied is the type of the operands of each kind of products that tensor
// cores make.
func multiplied(products string) shape.DType {
	switch products {
	case "bf16dot":
		return "bf16"
	case "f16dot":
		return "f16"
	case "tf32":
		return "f32"
	}
	return ""
}

// products refuses an arithmetic that the target does not have or that is for
// another type of operands.
func products(in *Input) []Finding {
	p := &in.Experiment.Precision
	of := multiplied(p.Products)
	f := Finding{Field: "precision.products", Related: []string{"precision.compute"}}
	switch {
	case of == "":
		return nil
	case p.Products == "bf16dot" && target(in) == "cpu":
	case !tensorCores(in.Target):
		f.Summary = fmt.Sprintf("precision.products is %s, which tensor cores make, but the plan is for %s", p.Products, target(in))
		f.Help = "compile with --engine cuda for a GPU of compute capability 8.0 or more, or remove the field: f32 is the default"
		return []Finding{f}
	}
	if p.Compute == of {
		return nil
	}
	f.Summary = fmt.Sprintf("precision.products is %s, which multiplies %s, but precision.compute is %s", p.Products, of, p.Compute)
	f.Help = fmt.Sprintf("set products: %q, which is for %s, or compute: %q", fitting(p.Compute), p.Compute, of)
	return []Finding{f}
}

// fitting is the kind of products of tensor cores that a storage type has.
func fitting(compute shape.DType) string {
	switch compute {
	case "bf16":
		return "bf16dot"
	case "f16":
		return "f16dot"
	}
	return "tf32"
}

var slowProducts = Rule{
	ID: "target.products", Title: "16-bit storage on a GPU is meant for its tensor cores", Formula: "target ≥ cuda:sm_80 and compute ∈ {bf16, f16} ⇒ products = bf16dot or f16dot (a warning)",
	Target: true,
	Doc:    "Products f32 widen every operand and use the f32 cores of the GPU, many times slower than its tensor cores. That is right where bits must not depend on how a batch is split. Otherwise bf16dot or f16dot is what 16-bit storage is for.",
	Spec: func(in *Input) []Finding {
		p := &in.Experiment.Precision
		if !tensorCores(in.Target) || p.Products != "f32" || p.Compute == "f32" {
			return nil
		}
		with := fitting(p.Compute)
		return []Finding{{Field: "precision.products", Severity: diag.Warning, Related: []string{"precision.compute"},
			Summary: fmt.Sprintf("precision.compute is %s and precision.products is f32: tensor cores are not used", p.Compute),
			Help:    fmt.Sprintf("set precision.products: %q, unless bits must not depend on the split of the batch", with)}}
	},
}

var gpuAttention = Rule{
	ID: "target.attention", Title: "what attention on a GPU has room for", Formula: "target cuda: headDim ≤ 256 (before sm_80: 240); heads, microBatchSize ≤ 65535",
	Target: true,
	Doc:    "A block of the attention kernels keeps tiles of queries and keys in shared memory: 99 KiB of it on every GPU from compute capability 8.0 on, 64 KiB before. Heads and sequences of a micro-batch are two dimensions of a grid, which end at 65535.",
	Spec: func(in *Input) (fs []Finding) {
		if !strings.HasPrefix(in.Target, "cuda:") {
			return nil
		}
		x, widest := in.Experiment, int64(256)
		if !tensorCores(in.Target) {
			widest = 240
		}
		limit := func(field string, n, most int64, help string) {
			if n > most {
				fs = append(fs, Finding{Field: field, Summary: fmt.Sprintf("%s is %d; attention for %s has at most %d", field, n, in.Target, most), Help: help})
			}
		}
		limit("model.headDim", x.Model.HeadDim, widest, "use more heads that are narrower")
		limit("model.heads", x.Model.Heads, 65535, "use fewer heads that are wider")
		limit("window.microBatchSize", x.Window.MicroBatchSize, 65535, "use smaller micro-batches, and more of them")
		return fs
	},
}

// target is what an experiment is compiled for.
func target(in *Input) string {
	if in.Target == "" {
		return "cpu"
	}
	return in.Target
}

// tensorCores reports whether a target has tensor cores that the kernels use:
// cuda:sm_80 and later.
func tensorCores(target string) bool {
	arch, ok := strings.CutPrefix(target, "cuda:sm_")
	n, err := strconv.Atoi(strings.TrimRight(arch, "abcdefghijklmnopqrstuvwxyz"))
	return ok && err == nil && n >= 80
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
