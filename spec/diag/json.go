package diag

import (
	"encoding/json"
	"io"
)

// JSONVersion is the version of the document that JSON writes; it grows when a
// field changes its meaning or goes.
const JSONVersion = 1

type document struct {
	Version     int  `json:"version"`
	Errors      int  `json:"errors"`
	Warnings    int  `json:"warnings"`
	Diagnostics List `json:"diagnostics"`
}

// JSON writes {"version", "errors", "warnings", "diagnostics"} with the fields
// of Diagnostic; severity is "error", "warning" or "note".
func JSON(w io.Writer, l List) error {
	if l == nil {
		l = List{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document{JSONVersion, l.Count(Error), l.Count(Warning), l})
}
