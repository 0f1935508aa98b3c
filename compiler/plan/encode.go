package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxBytes is the size of the largest encoded plan that is read.
const MaxBytes = 256 << 20

// maxObjects bounds the objects of an encoded plan, so that a small hostile
// file of empty objects cannot ask for a large amount of memory. A plan of 96
// layers has about 25,000.
const maxObjects = 1 << 20

// ErrDamaged is wrapped by the error of Decode when the content does not match
// the hashes in the file.
var ErrDamaged = errors.New("the file was changed or damaged")

// Encode writes a plan as canonical JSON and a newline: fields in the order of
// the structs, shortest numbers, no HTML escapes, no white space. Equal plans
// have equal bytes. The only error is a number that JSON cannot hold (an
// infinity or not-a-number).
func Encode(p *Plan) ([]byte, error) { return canonical(p) }

// Decode is the inverse of Encode and the only way to get a plan from bytes. It
// refuses unknown fields, data after the plan, another version, more than
// MaxBytes, and content that does not match the three hashes (ErrDamaged). It
// does not say that the plan may run: Validate does.
func Decode(data []byte) (*Plan, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("plan has more than %d MiB, the most that is read", MaxBytes>>20)
	}
	if n := bytes.Count(data, []byte{'{'}); n > maxObjects {
		return nil, fmt.Errorf("plan has %d objects, at most %d are read", n, maxObjects)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var p *Plan
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("plan: data follows the end of the plan")
	}
	if p == nil {
		return nil, errors.New("plan: the file holds null, not a plan")
	}
	if p.Version != Version {
		return nil, fmt.Errorf("plan has version %d, this program reads version %d: compile the spec again", p.Version, Version)
	}
	return p, verify(p)
}

// Read reads all of r and decodes it; no more than MaxBytes+1 are read.
func Read(r io.Reader) (*Plan, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return Decode(data)
}

// verify compares the hashes in the plan with those of its content.
func verify(p *Plan) error {
	want, err := hashes(p)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	for _, h := range []struct{ name, found, wanted string }{
		{"file", p.Hashes.File, want.File},
		{"program", p.Hashes.Program, want.Program},
		{"identity", p.Hashes.Identity, want.Identity},
	} {
		if h.found != h.wanted {
			return fmt.Errorf("plan: %s hash is %.12q, the content has %.12q: %w; compile the spec again",
				h.name, h.found, h.wanted, ErrDamaged)
		}
	}
	return nil
}

func canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
