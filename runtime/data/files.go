package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/diag"
)

// find lists the files of patterns: the files of one pattern in sorted order,
// patterns in the order of the spec, a file that two patterns name once. Names
// are relative to the root folder unless they are absolute.
func (o *Options) find() (files []string, l diag.List) {
	for _, pattern := range o.Files {
		path := filepath.FromSlash(pattern)
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Root, path)
		}
		found := []string{path}
		if _, err := os.Lstat(path); err != nil && strings.ContainsAny(pattern, `*?[\`) {
			var bad error
			if found, bad = filepath.Glob(path); bad != nil {
				l = append(l, o.finding("data.file", fmt.Sprintf("%q is not a pattern: %v", pattern, bad), "write * for any part of a name, and \\[ for a bracket"))
				continue
			}
			if len(found) == 0 {
				l = append(l, o.finding("data.file", fmt.Sprintf("no file matches %q in %s", pattern, o.folder()), "name a text file; paths are relative to the folder of the spec"))
			}
		}
		slices.Sort(found)
		for _, f := range found {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, l
}

// read is the content of a regular file.
func (o *Options) read(file string) ([]byte, diag.List) {
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return nil, diag.List{o.finding("data.file", fmt.Sprintf("there is no file %s", o.shown(file)), "name a text file; paths are relative to the folder of the spec")}
	case err != nil:
		return nil, diag.List{o.world(err)}
	case info.IsDir():
		return nil, diag.List{o.finding("data.file", fmt.Sprintf("%s is a folder, not a file", o.shown(file)), fmt.Sprintf("write %q for the files in it", filepath.ToSlash(o.shown(file))+"/*.txt"))}
	case !info.Mode().IsRegular():
		return nil, diag.List{o.finding("data.file", fmt.Sprintf("%s is not a regular file", o.shown(file)), "copy its content into a file")}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, diag.List{o.world(err)}
	}
	if len(text) == 0 {
		return nil, diag.List{o.finding("data.empty", fmt.Sprintf("%s is empty", o.shown(file)), "remove it from "+o.Path+" or put text into it")}
	}
	return text, nil
}

// shown is a file's name as the spec would write it.
func (o *Options) shown(file string) string {
	if rel, err := filepath.Rel(o.Root, file); err == nil && o.Root != "" {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}

func (o *Options) folder() string {
	if o.Root == "" {
		return "."
	}
	return o.Root
}

func (o *Options) finding(code, summary, help string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Path: o.Path, Pos: o.Pos, Summary: summary, Help: help}
}

func (o *Options) world(err error) diag.Diagnostic {
	d := o.finding("data.file", "cannot read: "+err.Error(), "make the file readable")
	d.World = true
	return d
}
