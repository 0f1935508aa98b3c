package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
)

// isPlan reports whether an argument names a plan file and not a spec.
func isPlan(arg string) bool { return filepath.Ext(arg) == ".json" }

// isRun reports whether an argument is a run folder: it holds a plan.
func (a *app) isRun(arg string) bool {
	st, err := os.Stat(filepath.Join(a.abs(arg), "plan.json"))
	return err == nil && st.Mode().IsRegular()
}

// readPlan reads a plan file and checks everything that it promises.
func (a *app) readPlan(file string) (*plan.Plan, error) {
	f, err := os.Open(a.abs(file))
	if err != nil {
		return nil, world(file, fileError(err), "gradcue plan SPEC -o "+file+" writes one")
	}
	p, err := plan.Read(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, unreadable(file, err)
	}
	var bad *plan.Invalid
	switch err := plan.Validate(p); {
	case errors.As(err, &bad):
		return nil, invalid(file, bad)
	case err != nil:
		return nil, content("plan.version", file, err.Error(), "compile the spec again")
	}
	return p, nil
}

// unreadable is a plan that cannot be decoded, as a finding.
func unreadable(file string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return world(file, fileError(err), "check that it is a file you may read")
	}
	code := "plan.format"
	if errors.Is(err, plan.ErrDamaged) {
		code = "plan.damaged"
	}
	text := strings.TrimSuffix(strings.TrimPrefix(err.Error(), "plan: "), "; compile the spec again")
	return content(code, file, text, "compile the spec again with gradcue plan -o")
}

// invalid is what is wrong with a plan that can be decoded, as findings.
func invalid(file string, bad *plan.Invalid) error {
	var l diag.List
	for _, p := range bad.Problems {
		l = append(l, diag.Diagnostic{Code: p.Code, Path: p.Where, Pos: diag.Position{File: filepath.ToSlash(file)}, Summary: p.Text})
	}
	if len(l) > 0 {
		l[len(l)-1].Help = "the plan is not safe to run; compile the spec again with gradcue plan -o"
	}
	return &findings{list: l}
}

// writeFile writes a file beside its place and renames it, so that a reader
// never sees half of it.
func (a *app) writeFile(file string, data []byte) (err error) {
	path := a.abs(file)
	tmp, err := os.CreateTemp(filepath.Dir(path), ".gradcue-*")
	if err != nil {
		return world(file, fileError(err), "name a file in a folder that exists")
	}
	defer func() {
		if err != nil {
			err = world(file, fileError(err), "")
			_ = os.Remove(tmp.Name()) // the error before is the one to report
		}
	}()
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
