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
)

// engineNames are the engines of this binary.
func engineNames() []string {
	names := []string{"cpu", "ref", "null"}
	if cuda.Built {
		names = append(names, "cuda")
	}
	return names
}

// target is what a spec is compiled for to run on an engine.
func target(engine string) string {
	if engine == "cuda" {
		return cuda.Target
	}
	return "" // the default, which ref and null run too
}

// engine finds an engine by its name; the settings choose its instruction set.
func (a *app) engine(name string) (exec.Engine, error) {
	if a.settings.split && name != "cuda" {
		return nil, usage("GRADCUE: arena=split is for --engine cuda, not %s", name)
	}
	switch name {
	case "cpu":
		return onISA{cpu.Engine{}, a.settings.cpu}, nil
	case "ref":
		return ref.Engine{}, nil
	case "null":
		return null.Engine{}, nil
	case "cuda":
		if _, err := cuda.Probe(a.settings.libcuda); err != nil {
			return nil, usage("--engine cuda: %v", err)
		}
		return cuda.Engine{Library: a.settings.libcuda, Split: a.settings.split}, nil
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
