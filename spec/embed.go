package spec

import (
	"embed"
	"io/fs"
	"path"
)

// Version is the version of the spec: the only value of the field schema, and
// the version under which the embedded spec is served as a CUE module.
const Version = "v0.1.0"

// ModulePath is the path of the CUE module that holds the spec, without its
// major version.
const ModulePath = "github.com/gradcue/gradcue"

// ImportPath is what a user's file imports.
const ImportPath = ModulePath + "/spec"

// moduleMajor is the module path as deps and registries name it.
const moduleMajor = ModulePath + "@v0"

// languageVersion is the CUE language version of every module.cue that is
// written here. It is pinned: a module written for a newer language is refused
// by an older cue, and error() needs at least v0.14.0.
const languageVersion = "v0.17.0"

// moduleFile is the text of the module's own cue.mod/module.cue, which an embed
// pattern cannot reach from here; a test compares it with the file on disk.
const moduleFile = "module: \"" + moduleMajor + "\"\nlanguage: version: \"" + languageVersion + "\"\n"

//go:embed *.cue shape/*.cue
var embedded embed.FS

// File is one file of a vendored spec.
type File struct {
	// Path is slash-separated and relative to the root of the user's module.
	Path string
	// Data is the content.
	Data []byte
}

// sources returns the embedded .cue files, with paths relative to the spec
// folder ("spec.cue", "shape/shape.cue"), sorted by path.
func sources() []File {
	var out []File
	// An embedded file system has no errors other than those of wrong names.
	_ = fs.WalkDir(embedded, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(p)
		out = append(out, File{Path: path.Clean(p), Data: data})
		return err
	})
	return out
}
