package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
)

// version is what the program is; times of builds are left out on purpose, as
// equal sources then say the same.
type version struct {
	Version string `json:"version"` // of the module, or of the commit
	Spec    string `json:"spec"`    // of the schema
	Plan    int    `json:"plan"`    // of the encoding
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (a *app) version() version {
	v := version{Version: "devel", Spec: spec.Version, Plan: plan.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; m != "" && m != "(devel)" {
		v.Version = m
	}
	return v
}

func newVersionCmd(a *app) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, the spec and the plan encoding",
		Example: "  gradcue version\n  gradcue version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := a.version()
			if asJSON {
				return a.json(v)
			}
			_, err := fmt.Fprintf(a.stdout, "gradcue %s · spec %s · plan %d · %s %s/%s\n", v.Version, v.Spec, v.Plan, v.Go, v.OS, v.Arch)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// json writes a value as one indented document.
func (a *app) json(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
