package weights

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

const metadata = "__metadata__"

// entry is a tensor in the header. The pointers tell a field that is missing
// from one that is zero.
type entry struct {
	DType   *DType  `json:"dtype"`
	Shape   *[]int  `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// parseHeader reads the JSON of a header whose data has the given size. Tensors
// come back in the order of their data.
func parseHeader(text []byte, size int64) ([]Tensor, map[string]string, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, nil, malformed("the header does not start with {")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, nil, malformed("header: %v", err)
	}
	var tensors []Tensor
	var meta map[string]string
	seen := map[string]bool{}
	for d.More() {
		tok, err := d.Token()
		name, ok := tok.(string)
		if err != nil || !ok {
			return nil, nil, malformed("header: a name is missing: %v", err)
		}
		if seen[name] {
			return nil, nil, malformed("%q is in the header twice", name)
		}
		seen[name] = true
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, nil, malformed("%q: %v", name, err)
		}
		if name == metadata {
			if err := json.Unmarshal(raw, &meta); err != nil {
				return nil, nil, malformed("%s: %v", metadata, err)
			}
			continue
		}
		t, err := parseTensor(name, raw)
		if err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, t)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, malformed("header: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, malformed("something follows the header's object")
	}
	return tensors, meta, cover(tensors, size)
}

func parseTensor(name string, raw []byte) (t Tensor, err error) {
	var e entry
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return t, malformed("%q: %v", name, err)
	}
	if e.DType == nil || e.Shape == nil || len(e.Offsets) != 2 {
		return t, malformed("%q lacks dtype, shape or data_offsets", name)
	}
	t = Tensor{Name: name, DType: *e.DType, Shape: *e.Shape, begin: e.Offsets[0], end: e.Offsets[1]}
	element, ok := sizes[t.DType]
	if !ok {
		return t, malformed("%q has dtype %q, which the format does not know", name, t.DType)
	}
	n, ok := bytesOf(t.Shape, element)
	if !ok {
		return t, malformed("%q has the impossible shape %v", name, t.Shape)
	}
	if t.begin < 0 || t.end < t.begin || t.end-t.begin != n {
		return t, malformed("%q is %s%v, %d bytes, in the range [%d, %d)", name, t.DType, t.Shape, n, t.begin, t.end)
	}
	return t, nil
}

// cover sorts tensors by their data and wants the ranges to follow each other
// from 0 to size.
func cover(tensors []Tensor, size int64) error {
	slices.SortFunc(tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.Name, b.Name))
	})
	at := int64(0)
	for _, t := range tensors {
		if t.begin != at {
			return malformed("%q starts at byte %d, what is before it ends at %d", t.Name, t.begin, at)
		}
		at = t.end
	}
	if at != size {
		return malformed("the header describes %d bytes of data, the file has %d", at, size)
	}
	return nil
}

// writeHeader is the header of tensors whose ranges follow each other, padded
// with spaces so that the data starts at a multiple of 8.
func writeHeader(tensors []Tensor, meta map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	field := func(name string, v any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		value, err := json.Marshal(v)
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
		return err
	}
	if len(meta) > 0 {
		if err := field(metadata, meta); err != nil {
			return nil, err
		}
	}
	for _, t := range tensors {
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		if err := field(t.Name, entry{&t.DType, &shape, []int64{t.begin, t.end}}); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len() > MaxHeader {
		return nil, fmt.Errorf("header of %d bytes, at most %d can be read", b.Len(), MaxHeader)
	}
	return b.Bytes(), nil
}
