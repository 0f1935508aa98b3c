package spec

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"

	cueload "cuelang.org/go/cue/load"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"
)

// findRoot returns the nearest folder at or above dir that holds a cue.mod.
func findRoot(dir string) (string, bool) {
	for d := dir; ; {
		if st, err := os.Stat(filepath.Join(d, "cue.mod")); err == nil && st.IsDir() {
			return d, true
		}
		up := filepath.Dir(d)
		if up == d {
			return dir, false
		}
		d = up
	}
}

// virtualRoot is the folder, which does not exist on disk, that the embedded
// module appears under; dir is any absolute path of the same volume.
func virtualRoot(dir string) string {
	return filepath.Join(filepath.VolumeName(dir)+string(filepath.Separator), "gradcue-embedded", Version)
}

// loadConfig decides where `import "github.com/gradcue/gradcue/spec"` comes
// from for a package in dir (absolute), so that it works with and without a
// module around it, and without a network:
//
//	no cue.mod above           a module.cue with us in deps, in memory only
//	our own module             the spec on disk
//	vendored under cue.mod     the spec on disk
//	us in deps of module.cue   the registry below, unless the user replaced us
//	any other module           its module.cue with us added to deps, in memory only
func loadConfig(dir string, tags []string) *cueload.Config {
	root, found := findRoot(dir)
	virtual := virtualRoot(dir)
	cfg := &cueload.Config{
		Dir:        dir,
		ModuleRoot: root,
		Tags:       tags,
		Overlay:    map[string]cueload.Source{},
		Registry:   registry{root: virtual},
		Env:        []string{},
	}
	cfg.Overlay[filepath.Join(virtual, "cue.mod", "module.cue")] = cueload.FromString(moduleFile)
	for _, f := range sources() {
		cfg.Overlay[filepath.Join(virtual, "spec", filepath.FromSlash(f.Path))] = cueload.FromBytes(f.Data)
	}
	dep := "deps: \"" + moduleMajor + "\": v: \"" + Version + "\"\n"
	file := filepath.Join(root, "cue.mod", "module.cue")
	if !found {
		cfg.Overlay[file] = cueload.FromString("module: \"gradcue.local/experiment@v0\"\nlanguage: version: \"" + languageVersion + "\"\n" + dep)
		return cfg
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return cfg
	}
	parsed, err := modfile.ParseNonStrict(data, "module.cue")
	if err != nil || parsed.ModulePath() == ModulePath || vendored(root) != "" {
		return cfg
	}
	if _, ok := parsed.Deps[moduleMajor]; !ok {
		// Fields of CUE merge, so a line at the end is enough and moves no other line.
		cfg.Overlay[file] = cueload.FromString(string(data) + "\n" + dep)
	}
	return cfg
}

// vendored returns the folder of a copy of the spec under root's cue.mod, or "".
func vendored(root string) string {
	for _, kind := range []string{"pkg", "gen", "usr"} {
		dir := filepath.Join(root, "cue.mod", kind, filepath.FromSlash(ImportPath))
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}

// registry is a module registry that has one module, ours, and refuses all
// others without a network.
type registry struct{ root string }

// rooted is a file system whose files also stand, as overlay, under root: the
// loader opens module files by operating system path only.
type rooted struct {
	fs.FS
	root string
}

// OSRoot implements module.OSRootFS.
func (r rooted) OSRoot() string { return r.root }

func (r registry) ModFile(_ context.Context, m module.Version) (*modfile.File, error) {
	if m.Path() != moduleMajor {
		return nil, refuse(m)
	}
	return modfile.Parse([]byte(moduleFile), "module.cue")
}

func (r registry) Fetch(_ context.Context, m module.Version) (module.SourceLoc, error) {
	if m.Path() != moduleMajor {
		return module.SourceLoc{}, refuse(m)
	}
	files := fstest.MapFS{"cue.mod/module.cue": {Data: []byte(moduleFile)}}
	for _, f := range sources() {
		files["spec/"+f.Path] = &fstest.MapFile{Data: f.Data}
	}
	return module.SourceLoc{FS: rooted{files, r.root}, Dir: "."}, nil
}

func (r registry) ModuleVersions(_ context.Context, path string) ([]string, error) {
	if path == ModulePath || path == moduleMajor {
		return []string{Version}, nil
	}
	return nil, nil
}

func refuse(m module.Version) error {
	return fmt.Errorf("module %v is not on this machine", m)
}
