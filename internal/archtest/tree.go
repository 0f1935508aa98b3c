package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// file is one .go file of the tree.
type file struct {
	path      string // relative to the root, with slashes
	lines     int
	imports   []string
	test      bool
	generated bool
	comment   bool // has a package comment
	inits     int
}

// pkg is one folder with .go files.
type pkg struct {
	dir   string // relative to the root, "." for the root itself
	files []file
}

// read parses all packages of the tree in the order of their folders. It skips
// what the go command skips: testdata, vendor and names that begin with . or _.
func read(tree fs.FS) ([]pkg, error) {
	var pkgs []pkg
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		f, err := readFile(tree, p)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pkgs, func(q pkg) bool { return q.dir == path.Dir(p) })
		if i < 0 {
			i = len(pkgs)
			pkgs = append(pkgs, pkg{dir: path.Dir(p)})
		}
		pkgs[i].files = append(pkgs[i].files, f)
		return nil
	})
	slices.SortFunc(pkgs, func(a, b pkg) int { return strings.Compare(a.dir, b.dir) })
	return pkgs, err
}

func readFile(tree fs.FS, p string) (file, error) {
	src, err := fs.ReadFile(tree, p)
	if err != nil {
		return file{}, err
	}
	ast, err := parser.ParseFile(token.NewFileSet(), p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return file{}, fmt.Errorf("parse: %w", err)
	}
	f := file{path: p, lines: bytes.Count(src, []byte("\n")), test: strings.HasSuffix(p, "_test.go"), generated: generated(ast), comment: ast.Doc != nil, inits: inits(ast)}
	for _, i := range ast.Imports {
		s, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return file{}, fmt.Errorf("import %s: %w", i.Path.Value, err)
		}
		f.imports = append(f.imports, s)
	}
	return f, nil
}

func generated(f *ast.File) bool { return ast.IsGenerated(f) }

func inits(f *ast.File) (n int) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			n++
		}
	}
	return n
}
