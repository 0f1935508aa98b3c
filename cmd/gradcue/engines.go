package main

import (
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	kernel "github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/spec/shape"
)

// engineNames are the engines of this binary.
func engineNames() []string {
	names := []string{"cpu", "ref", "null"}
	if cuda.Built {
		names = append(names, "cuda")
	}
	return names
}

// target is what a spec is compiled for to run on an engine; "" for ref and null,
// which run plans for every target.
func target(engine string) string {
	switch engine {
	case "cpu":
		return "cpu"
	case "cuda", cuda.Target:
		return cuda.Target
	case cuda.BaseTarget:
		return cuda.BaseTarget
	}
	return ""
}

// onCUDA reports whether an engine is cuda: by its name, for devices with tensor
// cores, or by that of a target, which may be for older ones.
func onCUDA(engine string) bool { return strings.HasPrefix(target(engine), "cuda:") }

// suited is the target of an experiment where none is asked for: the processors,
// or CUDA where it wants products that nothing else has.
func suited(x *shape.Experiment) string {
	if inF32(x) || x.Precision.Products == "bf16dot" {
		return target("cpu")
	}
	return cuda.Target
}

// inF32 reports whether products are plain float32, which every target has.
func inF32(x *shape.Experiment) bool {
	return x.Precision.Products == "f32" || x.Precision.Products == ""
}

// engine finds an engine by its name; the settings choose its instruction set.
func (a *app) engine(name string) (exec.Engine, error) {
	if a.settings.split && !onCUDA(name) {
		return nil, usage("GRADCUE: arena=split is for --engine cuda, not %s", name)
	}
	switch name {
	case "cpu":
		return onISA{cpu.Engine{}, a.settings.cpu}, nil
	case "ref":
		return ref.Engine{}, nil
	case "null":
		return null.Engine{}, nil
	case "cuda", cuda.Target, cuda.BaseTarget:
		if _, err := cuda.Probe(a.settings.libcuda); err != nil {
			return nil, usage("--engine cuda: %v", err)
		}
		return cuda.Engine{Library: a.settings.libcuda, Split: a.settings.split, NoGraphs: a.settings.queued}, nil
	}
	return nil, usage("--engine is %s, not %q", strings.Join(engineNames(), ", "), name)
}

// onISA is an engine whose sessions use one instruction set.
type onISA struct {
	exec.Engine
	isa string
}

// Open opens the engine's session.
func (e onISA) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	o.ISA = e.isa
	return e.Engine.Open(p, o)
}

// described is an engine with what its arithmetic depends on.
func described(e exec.Engine) string {
	c, ok := e.(onISA)
	switch {
	case !ok:
		return e.Name()
	case c.isa == "":
		return e.Name() + " " + kernel.Detect().String()
	}
	return e.Name() + " " + c.isa
}
