package spec

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// bound reports whether the user's files say, beyond doubt, that the experiment
// at a path is spec.#Experiment: it is an operand of "&" in every value that is
// written for the field, directly or by reference. An embedding is not enough,
// as it opens the struct. Where this is false the schema has to be built and
// unified once more, which is a third of the cost of loading a small file.
func (r *reporter) bound(path []string) bool {
	last := len(path) - 1
	parent, depth := r.root.find(path[:last])
	if depth < last {
		return false
	}
	n, named := parent.kids[path[last]]
	if named && !n.certain {
		return false
	}
	if !named {
		// A computed label made it, if nothing but literals can have.
		if n = parent.kids[anyField]; n == nil || !literal(parent) {
			return false
		}
	}
	ix := &indexer{files: r.files}
	for _, e := range append([]ast.Expr{n.value}, n.others...) {
		if !ix.isExperiment(e, 0) {
			return false
		}
	}
	return true
}

// literal reports whether all values of a node are structs of fields and comprehensions.
func literal(n *node) bool {
	for _, e := range append([]ast.Expr{n.value}, n.others...) {
		s, ok := e.(*ast.StructLit)
		if !ok {
			return false
		}
		for _, d := range s.Elts {
			if _, embeds := d.(*ast.EmbedDecl); embeds {
				return false
			}
		}
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
