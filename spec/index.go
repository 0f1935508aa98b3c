package spec

import (
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// node is a place in the user's files: a field or an element of a list, found
// by its path from the top of the package. The index of a package is its root.
type node struct {
	// pos and end enclose the label of a field, or the element of a list.
	pos, end token.Pos
	// value is what stands there first, or nil; others are what stands there too.
	value  ast.Expr
	others []ast.Expr
	// certain is false where the place is under a condition, in a
	// comprehension, in a disjunction or optional.
	certain bool
	// kids are the fields and elements inside, anyField for computed labels.
	kids map[string]*node
	// names are the keys of kids in the order of the file.
	names []string
}

// anyField is the key of fields whose label is computed.
const anyField = "*"

// maxExpand and maxDepth bound the walk through references, which may be recursive.
const (
	maxExpand = 10000
	maxDepth  = 16
)

// indexer builds the index: literals first, then what references lead to, so
// that of two places of one field the one in the experiment itself is kept.
type indexer struct {
	files   []*ast.File
	later   []pending
	expands int
}

type pending struct {
	at      *node
	expr    ast.Expr
	certain bool
	depth   int
}

func index(files []*ast.File) *node {
	ix := &indexer{files: files}
	root := &node{certain: true}
	for _, f := range files {
		ix.decls(root, f.Decls, true, 0)
	}
	for len(ix.later) > 0 && ix.expands < maxExpand {
		p := ix.later[0]
		ix.later = ix.later[1:]
		ix.expands++
		for _, e := range ix.resolve(p.expr, 0) {
			ix.expr(p.at, e, p.certain, p.depth)
		}
	}
	return root
}

// kid returns the node of a name inside n, making it where it is new.
func (n *node) kid(name string, pos, end token.Pos, value ast.Expr, certain bool) *node {
	k, ok := n.kids[name]
	if !ok {
		k = &node{pos: pos, end: end, value: value}
		if n.kids == nil {
			n.kids = map[string]*node{}
		}
		n.kids[name] = k
		n.names = append(n.names, name)
	} else if value != nil && value != k.value {
		k.others = append(k.others, value)
	}
	k.certain = k.certain || certain
	return k
}

func (ix *indexer) decls(at *node, ds []ast.Decl, certain bool, depth int) {
	for _, d := range ds {
		switch x := d.(type) {
		case *ast.Field:
			ix.field(at, x, certain, depth)
		case *ast.EmbedDecl:
			ix.expr(at, x.Expr, certain, depth)
		case *ast.Comprehension:
			ix.expr(at, x.Value, false, depth)
		}
	}
}

func (ix *indexer) field(at *node, f *ast.Field, certain bool, depth int) {
	if depth >= maxDepth {
		return
	}
	label := f.Label
	if a, ok := label.(*ast.Alias); ok {
		if l, ok := a.Expr.(ast.Label); ok {
			label = l
		}
	}
	name, _, err := ast.LabelName(label)
	if err != nil || name == "" {
		name = anyField
	}
	k := at.kid(name, label.Pos(), label.End(), f.Value, certain && f.Constraint != token.OPTION)
	ix.expr(k, f.Value, certain, depth+1)
}

func (ix *indexer) expr(at *node, e ast.Expr, certain bool, depth int) {
	if depth >= maxDepth {
		return
	}
	switch x := e.(type) {
	case *ast.StructLit:
		ix.decls(at, x.Elts, certain, depth)
	case *ast.BinaryExpr:
		both := certain && x.Op == token.AND
		ix.expr(at, x.X, both, depth)
		ix.expr(at, x.Y, both, depth)
	case *ast.UnaryExpr:
		ix.expr(at, x.X, false, depth)
	case *ast.ParenExpr:
		ix.expr(at, x.X, certain, depth)
	case *ast.Alias:
		ix.expr(at, x.Expr, certain, depth)
	case *ast.ListLit:
		for i, el := range x.Elts {
			ix.expr(at.kid(strconv.Itoa(i), el.Pos(), el.End(), el, certain), el, certain, depth+1)
		}
	case *ast.Ident, *ast.SelectorExpr:
		ix.later = append(ix.later, pending{at, e, certain, depth})
	}
}

// resolve returns the expressions in the user's files that a reference stands for.
func (ix *indexer) resolve(e ast.Expr, depth int) []ast.Expr {
	if depth >= maxDepth {
		return nil
	}
	switch x := e.(type) {
	case *ast.Ident:
		switch n := x.Node.(type) {
		case nil:
			return ix.topLevel(x.Name)
		case *ast.LetClause:
			return []ast.Expr{n.Expr}
		case *ast.Alias:
			return []ast.Expr{n.Expr}
		case *ast.Field, ast.Expr:
			return ix.fields(x)
		}
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		if err != nil {
			return nil
		}
		var out []ast.Expr
		for _, s := range ix.resolve(x.X, depth+1) {
			out = append(out, member(s, name, 0)...)
		}
		return out
	}
	return nil
}

// fields returns the values of the field that an identifier was resolved to; a
// field may be written several times in its scope.
func (ix *indexer) fields(x *ast.Ident) []ast.Expr {
	switch scope := x.Scope.(type) {
	case *ast.File:
		return ix.topLevel(x.Name)
	case *ast.StructLit:
		return membersOf(scope.Elts, x.Name)
	}
	switch n := x.Node.(type) {
	case *ast.Field:
		return []ast.Expr{n.Value}
	case ast.Expr:
		return []ast.Expr{n}
	}
	return nil
}

// topLevel returns the values of a package's top-level field.
func (ix *indexer) topLevel(name string) []ast.Expr {
	var out []ast.Expr
	for _, f := range ix.files {
		out = append(out, membersOf(f.Decls, name)...)
	}
	return out
}

// member returns the values of a field inside literal structs of e.
func member(e ast.Expr, name string, depth int) []ast.Expr {
	if depth >= maxDepth {
		return nil
	}
	switch x := e.(type) {
	case *ast.StructLit:
		return membersOf(x.Elts, name)
	case *ast.BinaryExpr:
		return append(member(x.X, name, depth+1), member(x.Y, name, depth+1)...)
	case *ast.ParenExpr:
		return member(x.X, name, depth+1)
	case *ast.Alias:
		return member(x.Expr, name, depth+1)
	}
	return nil
}

func membersOf(ds []ast.Decl, name string) []ast.Expr {
	var out []ast.Expr
	for _, d := range ds {
		if f, ok := d.(*ast.Field); ok {
			if n, _, err := ast.LabelName(f.Label); err == nil && n == name {
				out = append(out, f.Value)
			}
		}
	}
	return out
}

// find returns the deepest node on the way of a path, and how many of its parts
// it covers. Where a part has no node of its own, computed labels stand in.
func (n *node) find(path []string) (*node, int) {
	if len(path) == 0 {
		return n, 0
	}
	best, depth := n, 0
	for _, name := range []string{path[0], anyField} {
		k, ok := n.kids[name]
		if !ok {
			continue
		}
		if got, d := k.find(path[1:]); d+1 > depth {
			best, depth = got, d+1
		}
	}
	return best, depth
}
