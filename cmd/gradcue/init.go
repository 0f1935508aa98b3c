package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

//go:embed _template
var templates embed.FS

// templateNames are the values of --template: _template/NAME.cue.
var templateNames = []string{"quickstart", "llama", "plan"}

func newInitCmd(a *app) *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a commented experiment with the schema beside it",
		Long: `init writes an experiment that works at once, and the schema under cue.mod/pkg,
so that the official cue and editors check and complete it without a network.
It overwrites nothing.`,
		Example: `  gradcue init                        in this folder
  gradcue init tiny --template llama  a Llama instead of a GPT
  gradcue init --template plan        a model to be planned only
  gradcue init --vendor               only bring the schema up to date
  gradcue init --check                exit 1 when the schema is out of date, for CI
  gradcue init --ci                   a GitHub workflow and a pre-commit hook, too`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return a.init(dir, o)
		},
	}
	c.Flags().StringVar(&o.template, "template", templateNames[0], "what to start from: "+strings.Join(templateNames, ", "))
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; compare the schema in cue.mod with this gradcue's")
	c.Flags().BoolVar(&o.vendor, "vendor", false, "write the schema only, in place of an older one")
	c.Flags().BoolVar(&o.ci, "ci", false, "write a GitHub workflow and a pre-commit hook that run vet; beside experiments that exist, only these")
	c.MarkFlagsMutuallyExclusive("check", "vendor", "ci")
	complete(c, "template", templateNames...)
	return c
}

type initOptions struct {
	template          string
	check, vendor, ci bool
}

func (a *app) init(dir string, o initOptions) error {
	switch {
	case o.check:
		return a.asError(spec.CheckVendored(a.abs(dir)))
	case o.vendor:
		if err := a.vendor(dir); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stderr, "schema %s in %s\n", spec.Version, filepath.ToSlash(filepath.Join(dir, "cue.mod", "pkg")))
		return err
	}
	files, err := templateFiles(o.template)
	if err != nil {
		return err
	}
	if o.ci {
		if a.existing(dir, files).HasErrors() {
			return a.addCI(dir)
		}
		ci, err := ciFiles()
		if err != nil {
			return err
		}
		files = append(files, ci...)
	}
	if l := a.existing(dir, files); l.HasErrors() {
		return &findings{list: l}
	}
	if err := a.vendor(dir); err != nil {
		return err
	}
	for _, f := range files {
		if err := a.create(filepath.Join(dir, f.Path), f.Data); err != nil {
			return err
		}
	}
	return a.next(dir, o.template, files)
}

// ciFiles are the files that make a repository run vet.
func ciFiles() (out []spec.File, err error) {
	for _, f := range [][2]string{{".github/workflows/gradcue.yml", "gradcue.yml"}, {".pre-commit-config.yaml", "pre-commit-config.yaml"}} {
		data, err := templates.ReadFile("_template/ci/" + f[1])
		if err != nil {
			return nil, err
		}
		out = append(out, spec.File{Path: f[0], Data: data})
	}
	return out, nil
}

// addCI writes these files, and nothing else, beside experiments that are there.
func (a *app) addCI(dir string) error {
	files, err := ciFiles()
	if err != nil {
		return err
	}
	if l := a.existing(dir, files); l.HasErrors() {
		return &findings{list: l}
	}
	p := newPage(a.stdout, a.outColor)
	for i, f := range files {
		path := filepath.Join(dir, f.Path)
		if err := a.create(path, f.Data); err != nil {
			return err
		}
		p.line([]string{"written", ""}[i], filepath.ToSlash(path))
	}
	p.line("next", "commit them; they work in the top folder of a repository")
	return p.close()
}

// templateFiles are the files of a template beside the schema.
func templateFiles(name string) ([]spec.File, error) {
	main, err := templates.ReadFile("_template/" + name + ".cue")
	if err != nil || name == "check" {
		return nil, usage("--template is %s, not %q", strings.Join(templateNames, ", "), name)
	}
	check, err := templates.ReadFile("_template/check.cue")
	if err != nil {
		return nil, err
	}
	out := []spec.File{{Path: "experiment.cue", Data: main}, {Path: "check.cue", Data: check}}
	if name == "plan" {
		return out, nil
	}
	corpus, err := templates.ReadFile("_template/corpus.txt")
	return append(out, spec.File{Path: "corpus.txt", Data: corpus}), err
}

// existing lists the files that init would have to overwrite.
func (a *app) existing(dir string, files []spec.File) (l diag.List) {
	for _, f := range files {
		path := filepath.Join(dir, f.Path)
		if _, err := os.Lstat(a.abs(path)); !errors.Is(err, fs.ErrNotExist) {
			l = append(l, diag.Diagnostic{Code: "init.exists", Pos: diag.Position{File: filepath.ToSlash(path)}, Summary: "exists already, nothing is written"})
		}
	}
	if len(l) > 0 {
		l[len(l)-1].Help = "name another folder, or bring only the schema up to date with gradcue init --vendor"
	}
	return l
}

// vendor puts the schema into the folder's module.
func (a *app) vendor(dir string) error {
	if err := os.MkdirAll(a.abs(dir), 0o777); err != nil {
		return world(dir, fileError(err), "name a folder that can be made")
	}
	err := spec.Vendor(a.abs(dir))
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		return world(dir, fileError(err), "name a folder that you may write to")
	}
	return content("spec.vendor", dir, strings.TrimPrefix(err.Error(), a.abs(dir)+string(filepath.Separator)), "name another folder")
}

// create writes a file that must not exist, also when it has come since the check.
func (a *app) create(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(a.abs(file)), 0o777); err != nil {
		return world(file, fileError(err), "name a folder that you may write to")
	}
	f, err := os.OpenFile(a.abs(file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return content("init.exists", file, "exists already and is left as it is", "name another folder")
	}
	if err != nil {
		return world(file, fileError(err), "name a folder that you may write to")
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return world(file, fileError(err), "")
	}
	return nil
}

// next says what was written and what to do now.
func (a *app) next(dir, template string, files []spec.File) error {
	p := newPage(a.stdout, a.outColor)
	names := []string{}
	for _, f := range files {
		names = append(names, filepath.ToSlash(filepath.Join(dir, f.Path)))
	}
	p.line("written", append(names, filepath.ToSlash(filepath.Join(dir, "cue.mod"))+" with schema "+spec.Version)...)
	commands := [][]string{
		{"gradcue vet", "check it; silent when good"},
		{"gradcue plan", "what an update needs, before anything runs"},
		{"gradcue run .", "train on corpus.txt; the same command goes on"},
	}
	if template == "plan" {
		commands[2] = []string{"gradcue show . --memory", "what is resident when"}
	}
	if dir != "." {
		commands = append([][]string{{"cd " + dir, ""}}, commands...)
	}
	p.labelled("next", []column{{style: bold}, {style: dim}}, commands)
	return p.close()
}
