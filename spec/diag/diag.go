package diag

import (
	"strconv"
	"strings"
)

// Severity says what a finding does to the run.
type Severity int

const (
	// Error means the input is refused.
	Error Severity = iota
	// Warning means the input is taken, and probably not what was meant.
	Warning
	// Note is information.
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// MarshalText writes the severity as a word, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Position is a place in a file. Line and Col count from 1, Col in characters;
// 0 means unknown. File is slash-separated, relative to the working directory
// where that is shorter than absolute.
type Position struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"column,omitempty"`
}

// IsValid reports whether the position names at least a line of a file.
func (p Position) IsValid() bool { return p.File != "" && p.Line > 0 }

// IsZero reports whether nothing is known.
func (p Position) IsZero() bool { return p == Position{} }

// String returns file:line:col without the parts that are unknown.
func (p Position) String() string {
	s := p.File
	for _, n := range []int{p.Line, p.Col} {
		if n <= 0 {
			break
		}
		if s != "" {
			s += ":"
		}
		s += strconv.Itoa(n)
	}
	return s
}

// Related is another place that a finding speaks of, such as the other operand
// of a formula.
type Related struct {
	Pos     Position `json:"position"`
	Message string   `json:"message"`
}

// Diagnostic is one finding.
type Diagnostic struct {
	// Code is the id of the rule that fired, as `gradcue explain` knows it.
	Code string `json:"code"`
	// Severity is Error unless set.
	Severity Severity `json:"severity"`
	// Path is the dotted path of the field, such as "experiment.model.kvHeads";
	// empty where the finding is about a file.
	Path string `json:"path,omitempty"`
	// Pos is where the user reads and changes it.
	Pos Position `json:"position,omitzero"`
	// End is the first position after what is meant; zero where that is one place.
	End Position `json:"end,omitzero"`
	// Summary says what was found and what was expected, in one line.
	Summary string `json:"summary"`
	// Help is one thing to do, in one line; may be empty.
	Help string `json:"help,omitempty"`
	// Related are other places that matter, in the order to read them.
	Related []Related `json:"related,omitempty"`
	// World marks a finding about the surroundings (no such file) and not about content.
	World bool `json:"world,omitempty"`
}

// Rule is the code without the detail behind a slash.
func (d Diagnostic) Rule() string {
	id, _, _ := strings.Cut(d.Code, "/")
	return id
}
