package main

import (
	"strings"

	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/ref"
)

var engineNames = []string{"cpu", "ref", "null"}

// engine finds an engine by its name.
func engine(name string) (exec.Engine, error) {
	switch name {
	case "cpu":
		return cpu.Engine{}, nil
	case "ref":
		return ref.Engine{}, nil
	case "null":
		return null.Engine{}, nil
	case "cuda":
		if _, err := cuda.Probe(); err != nil {
			return nil, usage("--engine cuda: %v", err)
		}
		return nil, usage("--engine cuda: there is a driver, but this version has no CUDA engine; use cpu")
	}
	return nil, usage("--engine is %s, not %q", strings.Join(engineNames, ", "), name)
}
