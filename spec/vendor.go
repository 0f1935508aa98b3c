package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/build"
	"cuelang.org/go/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/gradcue/gradcue/spec/diag"
)

const (
	// vendorDir is where the official cue looks for packages without a registry.
	vendorDir = "cue.mod/pkg/" + ImportPath
	// userModule is the text of a new user module's cue.mod/module.cue.
	userModule = "module: \"gradcue.local/experiments@v0\"\nlanguage: version: \"" + languageVersion + "\"\n"
	// oldestLanguage is the first CUE version that can read the spec: it has
	// error(), and a vendored copy is read at the language of the user's module.
	oldestLanguage = "v0.14.0"
)

// Files returns what Vendor writes into a folder without a module: the
// module.cue of a new module and the spec under cue.mod/pkg, sorted by path.
func Files() []File {
	out := []File{{Path: "cue.mod/module.cue", Data: []byte(userModule)}}
	for _, f := range sources() {
		out = append(out, File{Path: vendorDir + "/" + f.Path, Data: f.Data})
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Vendor makes dir a CUE module, if it is not yet one, and writes the embedded
// spec into it, so that the official cue works there without a network. Files
// of an older copy that are not part of the spec any more go away. Each file,
// and the copy as a whole, is written beside its place and then renamed, so
// that a failure leaves what was there.
//
// It refuses a module that cannot read the spec: gradcue's own, one that has
// gradcue as a dependency (imports would be ambiguous), and one whose language
// version is older than v0.14.0.
func Vendor(dir string) error {
	file := filepath.Join(dir, "cue.mod", "module.cue")
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = nil
	case err != nil:
		return fmt.Errorf("read module: %w", err)
	default:
		if err := checkModule(file, data); err != nil {
			return err
		}
	}
	if err := replaceTree(filepath.Join(dir, filepath.FromSlash(vendorDir)), sources()); err != nil {
		return fmt.Errorf("vendor the spec: %w", err)
	}
	if data != nil {
		return nil
	}
	if err := writeFile(file, []byte(userModule)); err != nil {
		return fmt.Errorf("write module: %w", err)
	}
	return nil
}

func checkModule(file string, data []byte) error {
	m, err := modfile.ParseNonStrict(data, file)
	if err != nil {
		return fmt.Errorf("read module: %w", err)
	}
	if m.ModulePath() == ModulePath {
		return fmt.Errorf("%s: this is gradcue's own module, which has the spec already", file)
	}
	if _, ok := m.Deps[moduleMajor]; ok {
		return fmt.Errorf("%s: the module depends on %s already: remove it from deps, or do not vendor", file, moduleMajor)
	}
	if m.Language != nil && m.Language.Version != "" && semver.Compare(m.Language.Version, oldestLanguage) < 0 {
		return fmt.Errorf("%s: language version %s is too old for the spec: set it to %s", file, m.Language.Version, languageVersion)
	}
	return nil
}

// replaceTree puts files at dir in place of whatever is there.
func replaceTree(dir string, files []File) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".new-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	for _, f := range files {
		if err := writeFile(filepath.Join(tmp, "new", filepath.FromSlash(f.Path)), f.Data); err != nil {
			return err
		}
	}
	old := filepath.Join(tmp, "old")
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(filepath.Join(tmp, "new"), dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return nil
}

// writeFile writes a file beside its place and renames it, making its folder.
func writeFile(file string, data []byte) (err error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// CheckVendored compares the spec that is vendored in the module around dir
// with the embedded one, byte for byte. A file that is missing, differs or is
// too many is an error at that file; so is a module without a vendored spec.
// gradcue's own module has nothing to compare.
func CheckVendored(dir string) diag.List {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return diag.List{{Code: codeFile, Summary: err.Error(), World: true}}
	}
	p := placer{dir: abs}
	root, found := findRoot(abs)
	if data, err := os.ReadFile(filepath.Join(root, "cue.mod", "module.cue")); err == nil {
		if m, err := modfile.ParseNonStrict(data, "module.cue"); err == nil && m.ModulePath() == ModulePath {
			return nil
		}
	}
	copied := vendored(root)
	if !found || copied == "" {
		return diag.List{{Code: codeVendor, Summary: "the spec is not vendored in this module", Help: helpVendor, Pos: diag.Position{File: p.name(abs)}}}
	}
	out := compareVendored(copied, p.name)
	out.Sort()
	return out
}

const helpVendor = "run gradcue init --vendor"

func compareVendored(dir string, name func(string) string) diag.List {
	var out diag.List
	add := func(rel, what string) {
		file := filepath.Join(dir, filepath.FromSlash(rel))
		out = append(out, diag.Diagnostic{Code: codeVendor, Pos: diag.Position{File: name(file)}, Summary: what, Help: helpVendor})
	}
	want := map[string]bool{}
	for _, f := range sources() {
		want[f.Path] = true
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			add(f.Path, "missing from the vendored spec")
		case err != nil:
			add(f.Path, err.Error())
		case !bytes.Equal(data, f.Data):
			add(f.Path, "differs from the spec of this gradcue")
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if rel = filepath.ToSlash(rel); err == nil && filepath.Ext(rel) == ".cue" && !want[rel] {
			add(rel, "not part of the spec of this gradcue")
		}
		return err
	})
	if err != nil {
		add(".", err.Error())
	}
	return out
}

// vendorWarning warns of a package that was loaded with a vendored spec which
// differs from the embedded one: the vendored one decides what is right.
func (r *reporter) vendorWarning(inst *build.Instance) diag.List {
	dir := vendored(inst.Root)
	if dir == "" {
		return nil
	}
	l := compareVendored(dir, r.name)
	if len(l) == 0 {
		return nil
	}
	w := l[0]
	w.Severity = diag.Warning
	w.Summary = "the vendored spec differs from the one of this gradcue"
	return diag.List{w}
}

// cutVersion splits an import path at its version.
func cutVersion(path string) (string, string, bool) { return strings.Cut(path, "@") }
