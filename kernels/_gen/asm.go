package main

import (
	"bytes"
	"fmt"
	"strings"
)

// kind is the Go type of a parameter.
type kind struct {
	name        string
	size, align int
}

// The parameter types of assembly entries.
var (
	slice   = kind{"[]float32", 24, 8}
	halves  = kind{"[]uint16", 24, 8}
	pointer = kind{"*float32", 8, 8}
	half    = kind{"*uint16", 8, 8}
	integer = kind{"int", 8, 8}
	single  = kind{"float32", 4, 4}
	double  = kind{"float64", 8, 8}
	word    = kind{"uint32", 4, 4}
)

// param is one parameter or result and its place in the frame.
type param struct {
	name   string
	kind   kind
	offset int
}

// file is a pair of generated files: assembly and declarations.
type file struct {
	name       string
	tables     string // written before the code
	asm, stubs bytes.Buffer
	consts     map[constant]bool
}

// entry is an assembly function being written.
type entry struct {
	f      *file
	name   string
	params []param
	labels int
}

// spec says what an entry is: its parameters in order, an optional result, and its meaning in Go, a line each.
type spec struct {
	name   string
	params []param
	result *param
	doc    []string
}

// p makes a parameter.
func p(name string, k kind) param { return param{name: name, kind: k} }

// layout places parameters and result as the ABI0 does and returns the size of the argument frame.
func (s *spec) layout() int {
	at := 0
	place := func(p *param) {
		at = (at + p.kind.align - 1) / p.kind.align * p.kind.align
		p.offset = at
		at += p.kind.size
	}
	for i := range s.params {
		place(&s.params[i])
	}
	if s.result != nil {
		at = (at + 7) &^ 7
		place(s.result)
	}
	return at
}

// begin writes the declaration and the head of an entry. suffix tells the tier.
func (f *file) begin(s spec, suffix string) *entry {
	s.params = append([]param(nil), s.params...)
	if s.result != nil {
		r := *s.result
		s.result = &r
	}
	size := s.layout()
	name := s.name + suffix
	for i, line := range s.doc {
		if i == 0 {
			line = name + " " + line
		}
		fmt.Fprintf(&f.stubs, "%s\n", strings.TrimRight("// "+line, " "))
	}
	result := ""
	if s.result != nil {
		result = fmt.Sprintf(" (%s %s)", s.result.name, s.result.kind.name)
		s.params = append(s.params, *s.result)
	}
	fmt.Fprintf(&f.stubs, "//\n//go:noescape\nfunc %s(%s)%s\n\n", name, s.signature(), result)
	fmt.Fprintf(&f.asm, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", name, size)
	return &entry{f: f, name: name, params: s.params}
}

// signature is the parameter list without the result.
func (s *spec) signature() string {
	var list []string
	for _, p := range s.params {
		if s.result == nil || p.name != s.result.name {
			list = append(list, p.name+" "+p.kind.name)
		}
	}
	return strings.Join(list, ", ")
}

// line writes one or more instructions.
func (e *entry) line(format string, args ...any) {
	fmt.Fprintf(&e.f.asm, "\t"+format+"\n", args...)
}

// label writes a label.
func (e *entry) label(name string) { fmt.Fprintf(&e.f.asm, "%s:\n", name) }

// fresh returns a label not used before in the entry.
func (e *entry) fresh(name string) string {
	e.labels++
	return fmt.Sprintf("%s%d", name, e.labels)
}

// arg is the frame address of a parameter; of a slice, that of its data.
func (e *entry) arg(name string) string {
	for _, p := range e.params {
		if p.name == name {
			if p.kind == slice || p.kind == halves {
				return fmt.Sprintf("%s_base+%d(FP)", name, p.offset)
			}
			return fmt.Sprintf("%s+%d(FP)", name, p.offset)
		}
	}
	panic("no parameter " + name + " of " + e.name)
}

// load puts the first parameters, in order, into registers; of a slice its data.
func (e *entry) load(registers ...string) {
	for i, r := range registers {
		e.line("MOVQ %s, %s", e.arg(e.params[i].name), r)
	}
}

// length is the frame address of the length of a slice.
func (e *entry) length(name string) string {
	for _, p := range e.params {
		if p.name == name {
			return fmt.Sprintf("%s_len+%d(FP)", name, p.offset+8)
		}
	}
	panic("no parameter " + name + " of " + e.name)
}

// end writes the return.
func (e *entry) end() {
	e.line("VZEROUPPER")
	e.line("RET")
	e.f.asm.WriteByte('\n')
}
