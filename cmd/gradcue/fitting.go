package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/prove"
	"github.com/gradcue/gradcue/spec"
)

// fitting is an engine on a device that may be too small for an experiment. Where
// it is, the error says which other placements of the same experiment would fit.
type fitting struct {
	exec.Engine
	others func(room int64) string
}

// Open opens the engine's session.
func (e fitting) Open(p *plan.Plan, o exec.Options) (exec.Session, error) {
	s, err := e.Engine.Open(p, o)
	var short *cuda.MemoryError
	if errors.As(err, &short) && !short.Pinned {
		return nil, &tooSmall{short, e.others(short.Free)}
	}
	return s, err
}

// tooSmall is a device without room for the plan, and what would have room.
type tooSmall struct {
	*cuda.MemoryError
	advice string
}

// Advice is what can be done.
func (e *tooSmall) Advice() string { return e.advice }

// remedy is a placement that needs less of the device, as the spec says it.
type remedy struct {
	name string
	is   prove.Variant
}

// remedies are those that cost least time first.
func remedies() []remedy {
	return []remedy{
		{`offload: place: optimizer: "host"`, prove.Variant{Checkpoint: "none", Offload: "optimizer"}},
		{`checkpointing: policy: "full"`, prove.Variant{Checkpoint: "full", Offload: "none"}},
		{`offload: place: activations: "host"`, prove.Variant{Checkpoint: "none", Offload: "activations"}},
		{`offload: place: {activations: "host", optimizer: "host"}`, prove.Variant{Checkpoint: "none", Offload: "all"}},
		{`checkpointing: policy: "full" with offload: place: {activations: "host", optimizer: "host"}`, prove.Variant{Checkpoint: "full", Offload: "all"}},
	}
}

// others compiles the remedies of an experiment for a target and lists those whose
// arena has room on the device; where none has, the smallest.
func (a *app) others(l *spec.Loaded, o compiler.Options) func(room int64) string {
	return func(room int64) string {
		var fit []string
		least, name := int64(0), ""
		for _, v := range remedies() {
			x := *l.Experiment
			vary(&x, v.is)
			x.Memory.Policy = "declared"
			changed := *l
			changed.Experiment = &x
			r, list, err := a.compile(&changed, o)
			if err != nil || list.HasErrors() {
				continue // a placement that this experiment cannot have
			}
			n := r.Plan.Arenas[ir.Device].Bytes
			if n <= room {
				fit = append(fit, fmt.Sprintf("%s (%s)", v.name, plan.Bytes(n)))
			}
			if name == "" || n < least {
				least, name = n, v.name
			}
		}
		switch {
		case len(fit) > 0:
			return "these would fit: " + strings.Join(fit, ", ")
		case name != "":
			return fmt.Sprintf("no placement fits: the smallest, %s, needs %s; use smaller micro-batches, or end what else uses the device", name, plan.Bytes(least))
		}
		return (&cuda.MemoryError{}).Advice()
	}
}
