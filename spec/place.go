package spec

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/token"

	"github.com/gradcue/gradcue/spec/diag"
)

// placer turns CUE's positions into those of package diag: names relative to
// the working directory, columns in characters. It is for one goroutine.
type placer struct {
	dir   string
	lines map[string][]string
	names map[string]string
}

func newPlacer(dir string) placer {
	return placer{dir: dir, lines: map[string][]string{}, names: map[string]string{}}
}

// name is the file name that the user reads: relative to the working directory
// where that is shorter; a file of the embedded spec by its import path.
func (p *placer) name(file string) string {
	if inside, err := filepath.Rel(filepath.Join(virtualRoot(p.dir), "spec"), file); err == nil && filepath.IsLocal(inside) {
		return ImportPath + "/" + filepath.ToSlash(inside)
	}
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(file)
	}
	rel, err := filepath.Rel(p.dir, file)
	if err != nil || len(rel) > len(file) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

// at converts a position; CUE counts columns in bytes.
func (p *placer) at(pos token.Pos) diag.Position {
	if !pos.IsValid() {
		return diag.Position{}
	}
	q := pos.Position()
	name, ok := p.names[q.Filename]
	if !ok {
		name = p.name(q.Filename)
		p.names[q.Filename] = name
	}
	out := diag.Position{File: name, Line: q.Line, Col: q.Column}
	lines, ok := p.lines[q.Filename]
	if !ok {
		if data, err := os.ReadFile(q.Filename); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		p.lines[q.Filename] = lines
	}
	if q.Line <= len(lines) && q.Column > 0 {
		line := lines[q.Line-1]
		out.Col = utf8.RuneCountInString(line[:min(q.Column-1, len(line))]) + 1
	}
	return out
}

// span is the place of a node: its start, and the end of what is written there
// as far as it is on the same line.
func (p *placer) span(n *node) (start, end diag.Position) {
	start = p.at(n.pos)
	for _, pos := range n.ends() {
		if e := p.at(pos); e.File == start.File && e.Line == start.Line && e.Col > start.Col {
			return start, e
		}
	}
	return start, diag.Position{}
}

// ends are the ends of a node, the farthest first.
func (n *node) ends() []token.Pos {
	if n.value == nil {
		return []token.Pos{n.end}
	}
	return []token.Pos{n.value.End(), n.end}
}

// places are the positions of a package's fields without the files that they
// were found in, which a loaded experiment must not keep: they lead to the whole
// syntax of the schema, a megabyte for each package. They may be read by many
// goroutines.
type places struct {
	at   diag.Position
	kids map[string]*places
}

func (p *placer) places(n *node) *places {
	out := &places{at: p.at(n.pos)}
	if len(n.kids) > 0 {
		out.kids = make(map[string]*places, len(n.kids))
	}
	for name, k := range n.kids {
		out.kids[name] = p.places(k)
	}
	return out
}

// find is find of the nodes that the places are of.
func (x *places) find(path []string) (*places, int) {
	if len(path) == 0 {
		return x, 0
	}
	best, depth := x, 0
	for _, name := range []string{path[0], anyField} {
		if k, ok := x.kids[name]; ok {
			if got, d := k.find(path[1:]); d+1 > depth {
				best, depth = got, d+1
			}
		}
	}
	return best, depth
}
