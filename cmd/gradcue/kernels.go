package main

import (
	"path/filepath"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/state"
)

// libraryOff is the setting cublaslt of an engine with kernels of our own only.
const libraryOff = "off"

// choosing is an engine that may choose between its kernels and those of a
// library by measuring, where it has such a choice. Only what keeps the choice, or
// is about time, asks for it; everything else computes with our own kernels.
func (a *app) choosing(e exec.Engine) exec.Engine {
	c, ok := e.(cuda.Engine)
	if !ok {
		return e
	}
	switch c.CublasLt = a.settings.lt; c.CublasLt {
	case "":
		c.CublasLt = cuda.LibraryAny
	case libraryOff:
		c.CublasLt = ""
	}
	local := a.getenv("HOME")
	if local != "" {
		local = filepath.Join(local, ".local")
	}
	c.Folders = cuda.LibraryFolders(a.getenv("VIRTUAL_ENV"), a.getenv("CONDA_PREFIX"), local)
	return c
}

// libraryUnused is the error of a setting that would do nothing.
func (a *app) libraryUnused(o runOptions, p *plan.Plan) error {
	if a.settings.lt == "" || a.settings.lt == libraryOff {
		return nil
	}
	if !onCUDA(o.engine) {
		return usage("GRADCUE: cublaslt is for --engine cuda, not %s", o.engine)
	}
	if p.Run.Precision.Products == "f32" {
		return usage("GRADCUE: cublaslt is for products of tensor cores, and precision.products is f32: leave it out, or set cublaslt=off")
	}
	return nil
}

// kernels reads what --kernels names: a file, or a run folder that has it.
func (a *app) kernels(o runOptions) ([]byte, error) {
	if o.kernels == "" {
		return nil, nil
	}
	if !onCUDA(o.engine) {
		return nil, usage("--kernels is for --engine cuda: the engine %s has no choice of kernels", o.engine)
	}
	var text []byte
	var err error
	if a.isRun(o.kernels) {
		text, err = state.Kernels(a.abs(o.kernels))
		if err == nil && text == nil {
			return nil, usage("the run in %s has not chosen between kernels: its products are f32, or it is of another engine", o.kernels)
		}
	} else {
		text, err = a.readSource(o.kernels)
	}
	if err != nil {
		return nil, world(o.kernels, fileError(err), "name a run folder, or the kernels.json of one")
	}
	return text, nil
}
