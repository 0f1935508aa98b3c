package spec

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/parser"

	"github.com/gradcue/gradcue/spec/diag"
)

// unit is one package to load: a file on its own, or the files of one package
// name in a folder.
type unit struct {
	// dir is the folder, absolute.
	dir string
	// arg is what the loader is asked for, in dir: "./exp.cue" or ".:name".
	arg string
	// optional packages may have no experiment: they were found by a pattern.
	optional bool
}

// String is the file or folder.
func (u unit) String() string {
	if name, ok := strings.CutPrefix(u.arg, "./"); ok {
		return filepath.Join(u.dir, name)
	}
	return u.dir
}

// expand turns arguments into units, in order and each once.
func expand(dir string, args []string) ([]unit, diag.List) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var out []unit
	var diags diag.List
	seen := map[unit]bool{}
	for _, arg := range args {
		us, err := expandOne(dir, arg)
		if err != nil {
			diags = append(diags, diag.Diagnostic{
				Code: codeFile, Pos: diag.Position{File: filepath.ToSlash(arg)}, Summary: err.Error(), World: true,
				Help: "name a .cue file, a folder with .cue files, or a pattern such as ./...",
			})
		}
		for _, u := range us {
			key := u
			key.optional = false
			if !seen[key] {
				seen[key] = true
				out = append(out, u)
			}
		}
	}
	return out, diags
}

func expandOne(dir, arg string) ([]unit, error) {
	if top, ok := strings.CutSuffix(filepath.ToSlash(arg), "..."); ok && (top == "" || strings.HasSuffix(top, "/")) {
		return expandPattern(absolute(dir, filepath.FromSlash(top)))
	}
	path := absolute(dir, arg)
	st, err := os.Stat(path)
	if err != nil {
		return nil, worldError(err)
	}
	if st.IsDir() {
		us, err := packagesIn(path)
		if err == nil && len(us) == 0 {
			err = fmt.Errorf("no .cue files in this folder")
		}
		return us, err
	}
	name := filepath.Base(path)
	switch {
	case filepath.Ext(name) != ".cue":
		return nil, fmt.Errorf("not a .cue file")
	case ignored(name):
		return nil, fmt.Errorf("files that end in _test.cue or _tool.cue, or begin with . or _, are not part of a package")
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("not a regular file")
	}
	if f, err := os.Open(path); err != nil {
		return nil, worldError(err)
	} else if err := f.Close(); err != nil {
		return nil, worldError(err)
	}
	return []unit{{dir: filepath.Dir(path), arg: "./" + name}}, nil
}

// expandPattern finds the packages at and below top. Folders named testdata or
// cue.mod, or beginning with . or _, are left out.
func expandPattern(top string) ([]unit, error) {
	var out []unit
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		name := d.Name()
		if path != top && (name == "testdata" || name == "cue.mod" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		us, err := packagesIn(path)
		for i := range us {
			us[i].optional = true
		}
		out = append(out, us...)
		return err
	})
	if err != nil {
		return nil, worldError(err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no .cue files below this folder")
	}
	return out, nil
}

// packagesIn returns the packages of a folder: one unit for each package name,
// and one for each file without a package clause.
func packagesIn(dir string) ([]unit, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, worldError(err)
	}
	var names, alone []string
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".cue" || ignored(e.Name()) {
			continue
		}
		switch name := packageName(filepath.Join(dir, e.Name())); name {
		case "", "_":
			alone = append(alone, e.Name())
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var out []unit
	for _, name := range names {
		out = append(out, unit{dir: dir, arg: ".:" + name})
	}
	for _, name := range alone {
		out = append(out, unit{dir: dir, arg: "./" + name})
	}
	return out, nil
}

// ignored reports whether CUE leaves a file out of a package.
func ignored(name string) bool {
	return strings.HasSuffix(name, "_test.cue") || strings.HasSuffix(name, "_tool.cue") ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// packageName reads the package clause; "" where there is none or the file cannot be read.
func packageName(file string) string {
	f, err := parser.ParseFile(file, nil, parser.PackageClauseOnly)
	if err != nil || f == nil {
		return ""
	}
	return f.PackageName()
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// worldError is an error without the operation and path around it, as the path
// is the position of the finding.
func worldError(err error) error {
	for _, known := range []error{fs.ErrNotExist, fs.ErrPermission} {
		if isError(err, known) {
			return known
		}
	}
	return err
}
