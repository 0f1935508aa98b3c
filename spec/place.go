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
	out := diag.Position{File: p.name(q.Filename), Line: q.Line, Col: q.Column}
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
