package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gradcue/gradcue/runtime/data"
)

// Version is the version of state.json.
const Version = 1

// State is everything besides tensors that the next update depends on, and the
// counts of a run so far.
type State struct {
	Version  int    `json:"version"`
	Identity string `json:"identity"`     // of the plan
	Engine   string `json:"engine"`       // that made it
	ISA      string `json:"isa,omitzero"` // that it was made on, where the engine has a choice

	U       int         `json:"u"`       // successful updates
	Windows int         `json:"windows"` // windows read
	Skipped int         `json:"skipped"` // updates whose gradient was not finite
	Streak  int         `json:"streak"`  // of which the last ones in a row
	Empty   int         `json:"empty"`   // windows without a trained token
	Barren  int         `json:"barren"`  // of which the last ones in a row
	Cursor  data.Cursor `json:"cursor"`  // first row of the next window
	Scale   float64     `json:"scale"`   // s of the next update
	Clean   int         `json:"clean"`   // updates applied since a dynamic s last changed
	Trained int64       `json:"trained"` // tokens in the loss so far
	Loss    *float64    `json:"loss"`    // of update U, null before the first

	Data    Data    `json:"data"`
	Tensors Tensors `json:"tensors"`
	Check   string  `json:"check"` // sha256 of the rest
}

// Data identifies the text that the cursor counts in.
type Data struct {
	Rows   int    `json:"rows"`
	Tokens int    `json:"tokens"`
	SHA256 string `json:"sha256"`
}

// Tensors identifies the file beside it.
type Tensors struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// maxState is the size of the longest state.json that is read.
const maxState = 1 << 20

// encode writes a state with its check; equal states have equal bytes.
func encode(s State) ([]byte, error) {
	s.Check = ""
	check, err := digest(s)
	if err != nil {
		return nil, err
	}
	s.Check = check
	b, err := json.MarshalIndent(s, "", "  ")
	return append(b, '\n'), err
}

// decode is the inverse of encode and refuses whatever encode cannot have written.
func decode(r io.Reader) (s State, err error) {
	b, err := io.ReadAll(io.LimitReader(r, maxState+1))
	if err != nil {
		return s, err
	}
	if len(b) > maxState {
		return s, fmt.Errorf("more than %d bytes", maxState)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	if _, err := d.Token(); err != io.EOF {
		return s, errors.New("something follows the state")
	}
	if s.Version != Version {
		return s, fmt.Errorf("version %d, this program reads version %d", s.Version, Version)
	}
	want := s.Check
	s.Check = ""
	got, err := digest(s)
	if err != nil {
		return s, err
	}
	if s.Check = want; got != want {
		return s, errors.New("the content does not match its hash")
	}
	return s, s.valid()
}

func digest(s State) (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// valid checks the ranges: a count below zero would lead a loop astray even
// though somebody computed the right hash over it.
func (s *State) valid() error {
	for _, c := range []struct {
		name string
		n    int
	}{
		{"u", s.U}, {"windows", s.Windows}, {"skipped", s.Skipped}, {"streak", s.Streak}, {"empty", s.Empty}, {"barren", s.Barren}, {"clean", s.Clean},
		{"cursor.epoch", s.Cursor.Epoch}, {"cursor.row", s.Cursor.Row}, {"data.rows", s.Data.Rows}, {"data.tokens", s.Data.Tokens},
	} {
		if c.n < 0 {
			return fmt.Errorf("%s is %d", c.name, c.n)
		}
	}
	switch {
	case s.Streak > s.Skipped || s.Barren > s.Empty || s.U+s.Skipped+s.Empty != s.Windows:
		return fmt.Errorf("%d windows are not %d updates, %d skips and %d empty ones", s.Windows, s.U, s.Skipped, s.Empty)
	case !(s.Scale > 0) || math.IsInf(s.Scale, 0):
		return fmt.Errorf("scale is %v", s.Scale)
	case s.Trained < 0 || s.Tensors.Bytes < 0:
		return errors.New("a size is below zero")
	}
	return nil
}
