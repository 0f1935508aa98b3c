package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Most is the greatest number of lines of a file.
const Most = 450

// leaves are the packages that runtime may import from outside runtime and
// kernels; they import only the standard library and each other.
var leaves = []string{"spec/diag", "compiler/ir", "compiler/plan", "compiler/loss", "compiler/visible", "compiler/rate"}

// arrow says what the packages under a folder may import of the project and
// from other modules. An entry that ends in /... means the folder and all in it.
type arrow struct {
	from    []string
	project []string
	modules []string
}

// arrows is tried from the top; the first entry with the package counts. What is
// in none (cmd, tools, internal) may import everything.
var arrows = []arrow{
	// The op table knows the scratch space of a kernel from where the kernel does.
	{from: []string{"compiler/ir"}, project: append([]string{"kernels/scratch"}, leaves...)},
	{from: leaves, project: leaves},
	{from: []string{"spec/..."}, project: []string{"spec/..."}, modules: []string{"cuelang.org/go", "golang.org/x/mod"}},
	{from: []string{"compiler/..."}, project: []string{"spec", "spec/shape", "spec/diag", "compiler/..."}},
	{from: []string{"runtime/cuda/..."}, project: inRuntime, modules: append([]string{"gorgonia.org/cu"}, forRuntime...)},
	{from: []string{"runtime/..."}, project: inRuntime, modules: forRuntime},
	{from: []string{"kernels/..."}, project: []string{"kernels/..."}, modules: []string{"golang.org/x/sys"}},
}

var (
	inRuntime  = append([]string{"runtime/...", "kernels/..."}, leaves...)
	forRuntime = []string{"golang.org/x/sys", "golang.org/x/sync"}
)

// names that say nothing about what a package is for.
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "base", "core", "types", "shared"}

// Check returns the broken laws of a module's tree, sorted, one line each, with
// the file they were found in. It returns an error when the tree cannot be read.
func Check(tree fs.FS, module string) ([]string, error) {
	pkgs, err := read(tree)
	if err != nil {
		return nil, err
	}
	c := &court{module: module, pkgs: pkgs}
	for i := range pkgs {
		c.names(&pkgs[i])
		c.doc(&pkgs[i])
		for j := range pkgs[i].files {
			c.file(&pkgs[i], &pkgs[i].files[j])
		}
		if in(pkgs[i].dir, "runtime/...") || slices.Contains(leaves, pkgs[i].dir) {
			c.cue(&pkgs[i])
		}
	}
	slices.Sort(c.broken)
	return c.broken, nil
}

type court struct {
	module string
	pkgs   []pkg
	broken []string
}

func (c *court) breaks(where, format string, args ...any) {
	c.broken = append(c.broken, where+": "+fmt.Sprintf(format, args...))
}

// in reports whether a package is what an entry names.
func in(dir, entry string) bool {
	folder, all := strings.CutSuffix(entry, "/...")
	return dir == folder || all && strings.HasPrefix(dir, folder+"/")
}

func inAny(dir string, entries []string) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return in(dir, e) })
}

func (c *court) names(p *pkg) {
	if slices.Contains(vague, path.Base(p.dir)) {
		c.breaks(p.dir, "the name %s says nothing: name the concept", path.Base(p.dir))
	}
	if p.dir == "runtime" {
		c.breaks(p.dir, "a package here would hide the standard one")
	}
}

// doc wants the package comment in doc.go and nowhere else.
func (c *court) doc(p *pkg) {
	found := false
	for _, f := range p.files {
		switch isDoc := path.Base(f.path) == "doc.go"; {
		case isDoc:
			found = f.comment
		case f.comment && !f.generated && !f.test:
			c.breaks(f.path, "a package comment outside doc.go")
		}
	}
	if !found {
		c.breaks(p.dir, "no package comment in doc.go")
	}
}

func (c *court) file(p *pkg, f *file) {
	if f.generated {
		return
	}
	if f.inits > 0 {
		c.breaks(f.path, "func init: work at start-up that nobody asked for")
	}
	if f.test {
		return
	}
	if f.lines > Most {
		c.breaks(f.path, "%d lines, more than %d", f.lines, Most)
	}
	i := slices.IndexFunc(arrows, func(a arrow) bool { return inAny(p.dir, a.from) })
	if i < 0 {
		return
	}
	for _, name := range f.imports {
		if !c.allowed(&arrows[i], name) {
			c.breaks(f.path, "imports %s", name)
		}
	}
}

// allowed judges one import of a package under an arrow.
func (c *court) allowed(a *arrow, name string) bool {
	if dir, ok := c.own(name); ok {
		return inAny(dir, a.project)
	}
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".") || // the standard library has no dot in its first element
		slices.ContainsFunc(a.modules, func(m string) bool { return in(name, m+"/...") })
}

// own is the folder of an import of the project.
func (c *court) own(name string) (dir string, ok bool) {
	if name == c.module {
		return ".", true
	}
	return strings.CutPrefix(name, c.module+"/")
}

// cue reports how a package reaches CUE, if it does.
func (c *court) cue(p *pkg) {
	seen := map[string]bool{}
	var walk func(dir string) []string
	walk = func(dir string) []string {
		if seen[dir] {
			return nil
		}
		seen[dir] = true
		for _, name := range c.imports(dir) {
			if in(name, "cuelang.org/...") {
				return []string{dir, name}
			}
			if next, ok := c.own(name); ok {
				if chain := walk(next); chain != nil {
					return append([]string{dir}, chain...)
				}
			}
		}
		return nil
	}
	if chain := walk(p.dir); chain != nil {
		c.breaks(p.dir, "links CUE: %s", strings.Join(chain, " → "))
	}
}

// imports are those of all files of a package that are linked.
func (c *court) imports(dir string) (names []string) {
	for i := range c.pkgs {
		if c.pkgs[i].dir != dir {
			continue
		}
		for _, f := range c.pkgs[i].files {
			if !f.test {
				names = append(names, f.imports...)
			}
		}
	}
	return names
}
