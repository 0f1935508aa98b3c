package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Source returns the content of a file by the name a Position has; an error
// means that no source line is shown.
type Source func(file string) ([]byte, error)

// TextOptions are the options of Text; the zero value writes without source
// lines and without colour.
type TextOptions struct {
	// Source, if set, is asked for the files whose lines are shown.
	Source Source
	// Color writes ANSI escapes.
	Color bool
}

// Text writes findings for a terminal, in the order of the list. One finding is
//
//	file:line:col: path: summary [code]
//	    the line of the source
//	    ^
//	  see file:line:col: message of a related place
//	help: one thing to do
//
// where a severity other than error stands before the path.
func Text(w io.Writer, l List, o TextOptions) error {
	b := bufio.NewWriter(w)
	t := text{w: b, o: o, lines: map[string][]string{}}
	for _, d := range l {
		t.one(d)
	}
	return b.Flush()
}

type text struct {
	w     *bufio.Writer
	o     TextOptions
	lines map[string][]string
}

const (
	bold, red, yellow, blue, cyan = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[34m", "\x1b[36m"
	reset                         = "\x1b[0m"
)

func (t *text) paint(color, s string) string {
	if !t.o.Color || s == "" {
		return s
	}
	return color + s + reset
}

func (t *text) one(d Diagnostic) {
	if p := oneLine(d.Pos.String()); p != "" {
		fmt.Fprintf(t.w, "%s: ", t.paint(bold, p))
	}
	if d.Severity != Error {
		fmt.Fprintf(t.w, "%s: ", t.paint(t.color(d), d.Severity.String()))
	}
	if d.Path != "" {
		fmt.Fprintf(t.w, "%s: ", oneLine(d.Path))
	}
	t.w.WriteString(t.paint(t.color(d), oneLine(d.Summary)))
	if d.Code != "" {
		fmt.Fprintf(t.w, " [%s]", d.Rule())
	}
	t.w.WriteByte('\n')
	t.snippet(d)
	for _, r := range d.Related {
		fmt.Fprintf(t.w, "  see %s: %s\n", oneLine(r.Pos.String()), oneLine(r.Message))
	}
	if d.Help != "" {
		fmt.Fprintf(t.w, "%s %s\n", t.paint(cyan, "help:"), oneLine(d.Help))
	}
}

func (t *text) color(d Diagnostic) string {
	switch d.Severity {
	case Error:
		return red
	case Warning:
		return yellow
	}
	return blue
}

// snippet writes the source line of a finding and a caret under what is meant.
// Tabs are kept in both lines, so that the caret stands right at any tab width.
func (t *text) snippet(d Diagnostic) {
	line, ok := t.line(d.Pos)
	if !ok {
		return
	}
	fmt.Fprintf(t.w, "    %s\n", line)
	if d.Pos.Col <= 0 {
		return
	}
	var pad strings.Builder
	n := 1
	for _, r := range line {
		if n == d.Pos.Col {
			break
		}
		if r != '\t' {
			r = ' '
		}
		pad.WriteRune(r)
		n++
	}
	mark := "^"
	if d.End.Line == d.Pos.Line && d.End.Col > d.Pos.Col+1 {
		width := min(d.End.Col, len([]rune(line))+1) - d.Pos.Col
		mark += strings.Repeat("~", max(0, width-1))
	}
	fmt.Fprintf(t.w, "    %s%s\n", pad.String(), t.paint(t.color(d), mark))
}

// line returns one line of a source file without its end.
func (t *text) line(p Position) (string, bool) {
	if t.o.Source == nil || !p.IsValid() {
		return "", false
	}
	lines, ok := t.lines[p.File]
	if !ok {
		if data, err := t.o.Source(p.File); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		t.lines[p.File] = lines
	}
	if p.Line > len(lines) {
		return "", false
	}
	line := strings.ToValidUTF8(strings.TrimRight(lines[p.Line-1], "\r"), "\uFFFD")
	return strings.Map(printable, line), true
}

// oneLine keeps a message from breaking the line-oriented format, or the terminal.
func oneLine(s string) string {
	return strings.Map(printable, strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(s))
}

// printable replaces control characters other than a tab, which could act on a terminal.
func printable(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}
