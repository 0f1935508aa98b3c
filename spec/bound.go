package spec

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// bound reports whether the user's files say, beyond doubt, that the experiment
// at a path is spec.#Experiment: it is an operand of "&" in the value, directly
// or by reference. An embedding is not enough, as it opens the struct. Only
// where this is false the schema has to be built and unified once more.
func (r *reporter) bound(path []string) bool {
	n, depth := r.root.find(path)
	if depth < len(path) || n.value == nil {
		return false
	}
	ix := &indexer{files: r.files}
	values := append([]ast.Expr{n.value}, n.others...)
	if exact := r.exact(path); exact {
		for _, e := range values {
			if ix.isExperiment(e, 0) {
				return true
			}
		}
		return false
	}
	// A computed label: any of the values may be the one that made the field.
	for _, e := range values {
		if !ix.isExperiment(e, 0) {
			return false
		}
	}
	return true
}

// exact reports whether every part of a path is written as a label of its own.
func (r *reporter) exact(path []string) bool {
	n := r.root
	for _, name := range path {
		k, ok := n.kids[name]
		if !ok || !k.certain {
			return false
		}
		n = k
	}
	return true
}

func (ix *indexer) isExperiment(e ast.Expr, depth int) bool {
	if depth >= maxDepth {
		return false
	}
	switch x := e.(type) {
	case *ast.BinaryExpr:
		return x.Op == token.AND && (ix.isExperiment(x.X, depth+1) || ix.isExperiment(x.Y, depth+1))
	case *ast.ParenExpr:
		return ix.isExperiment(x.X, depth+1)
	case *ast.Alias:
		return ix.isExperiment(x.Expr, depth+1)
	case *ast.Ident:
		for _, v := range ix.resolve(x, 0) {
			if ix.isExperiment(v, depth+1) {
				return true
			}
		}
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		pkg, ok := x.X.(*ast.Ident)
		if err != nil || !ok || name != "#Experiment" {
			return false
		}
		imp, ok := pkg.Node.(*ast.ImportSpec)
		if !ok {
			return false
		}
		path, err := strconv.Unquote(imp.Path.Value)
		path, _, _ = strings.Cut(path, "@")
		return err == nil && path == ImportPath
	}
	return false
}
