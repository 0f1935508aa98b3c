package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// page writes aligned text: lines of a label and what it says, and tables whose
// columns are as wide as what is in them. Styles add no width.
type page struct {
	w     *bufio.Writer
	color bool
}

// labels is the width of the column of labels.
const labels = 12

func newPage(w io.Writer, color bool) *page { return &page{bufio.NewWriter(w), color} }

// close writes what is left and returns the first error of the writer.
func (p *page) close() error { return p.w.Flush() }

func (p *page) blank() { p.w.WriteByte('\n') }

func (p *page) paint(s style, text string) string { return paint(p.color, s, text) }

// title is the first line of a page.
func (p *page) title(name, about string) {
	p.w.WriteString(p.paint(bold, name))
	if about != "" {
		p.w.WriteString("  " + p.paint(dim, about))
	}
	p.w.WriteByte('\n')
}

// line is a label and the parts of a sentence, with dots between them; empty
// parts are left out.
func (p *page) line(label string, parts ...string) {
	kept := parts[:0:0]
	for _, s := range parts {
		if s != "" {
			kept = append(kept, s)
		}
	}
	fmt.Fprintf(p.w, "  %s  %s\n", p.paint(dim, pad(label, labels)), strings.Join(kept, " · "))
}

// column is how a column of a table is set.
type column struct {
	head  string
	right bool
	lead  bool // cells are of one width already and may have styles
	style style
}

// labelled is a table without heads whose first row stands beside a label.
func (p *page) labelled(label string, columns []column, rows [][]string) {
	for i := range rows {
		lead := strings.Repeat(" ", labels)
		if i == 0 {
			lead = p.paint(dim, pad(label, labels))
		}
		rows[i] = append([]string{lead}, rows[i]...)
	}
	p.table("  ", append([]column{{lead: true}}, columns...), rows)
}

// table writes rows below each other; without heads it has no line of them.
func (p *page) table(indent string, columns []column, rows [][]string) {
	width := make([]int, len(columns))
	headed := false
	for i, c := range columns {
		width[i] = utf8.RuneCountInString(c.head)
		headed = headed || c.head != ""
		for _, r := range rows {
			if c.lead {
				continue
			}
			width[i] = max(width[i], utf8.RuneCountInString(r[i]))
		}
	}
	if headed {
		heads := make([]string, len(columns))
		for i, c := range columns {
			heads[i] = c.head
		}
		p.row(indent, columns, width, heads, dim)
	}
	for _, r := range rows {
		p.row(indent, columns, width, r, plain)
	}
}

func (p *page) row(indent string, columns []column, width []int, cells []string, all style) {
	var b strings.Builder
	last := len(cells) - 1
	for last > 0 && cells[last] == "" {
		last--
	}
	b.WriteString(indent)
	for i := range last + 1 {
		if i > 0 {
			b.WriteString("  ")
		}
		text := cells[i]
		s := columns[i].style
		if all != plain {
			s = all
		}
		space := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(text)))
		switch {
		case columns[i].right:
			b.WriteString(space + p.paint(s, text))
		case i == last:
			b.WriteString(p.paint(s, text))
		default:
			b.WriteString(p.paint(s, text) + space)
		}
	}
	b.WriteByte('\n')
	p.w.WriteString(b.String())
}

// pad fills text with spaces to a width.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}
