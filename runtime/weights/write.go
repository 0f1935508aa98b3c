package weights

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Writer writes a file tensor by tensor, so that never more than one has to be
// in memory.
type Writer struct {
	w       io.Writer
	tensors []Tensor
	next    int
	buf     []byte
}

// NewWriter writes the header of the tensors, whose Name, DType and Shape are
// used; their data must follow in the same order. Equal arguments give equal bytes.
func NewWriter(w io.Writer, tensors []Tensor, meta map[string]string) (*Writer, error) {
	ts := make([]Tensor, len(tensors))
	at := int64(0)
	seen := map[string]bool{metadata: true}
	for i, t := range tensors {
		n, ok := bytesOf(t.Shape, sizes[t.DType])
		if !ok || sizes[t.DType] == 0 || seen[t.Name] {
			return nil, fmt.Errorf("tensor %q of type %s%v cannot be written", t.Name, t.DType, t.Shape)
		}
		seen[t.Name] = true
		t.begin, t.end = at, at+n
		ts[i], at = t, at+n
	}
	h, err := writeHeader(ts, meta)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(h)))); err != nil {
		return nil, err
	}
	if _, err := w.Write(h); err != nil {
		return nil, err
	}
	return &Writer{w: w, tensors: ts, buf: make([]byte, 0, chunk)}, nil
}

// F32 writes the data of the next tensor, which must be of type F32.
func (w *Writer) F32(data []float32) error {
	return write(w, F32, data, func(b []byte, v float32) []byte {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	})
}

// F64 writes the data of the next tensor, which must be of type F64.
func (w *Writer) F64(data []float64) error {
	return write(w, F64, data, func(b []byte, v float64) []byte {
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	})
}

func write[E any](w *Writer, d DType, data []E, encode func([]byte, E) []byte) error {
	if w.next == len(w.tensors) {
		return fmt.Errorf("more data than the %d tensors of the header", len(w.tensors))
	}
	t := w.tensors[w.next]
	if t.DType != d || t.Elems() != int64(len(data)) {
		return fmt.Errorf("tensor %q is %s%v, got %d elements of %s", t.Name, t.DType, t.Shape, len(data), d)
	}
	w.next++
	for len(data) > 0 {
		n := min(len(data), chunk/int(sizes[d]))
		w.buf = w.buf[:0]
		for _, v := range data[:n] {
			w.buf = encode(w.buf, v)
		}
		if _, err := w.w.Write(w.buf); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// Close wants all tensors to have been written; it does not close the file.
func (w *Writer) Close() error {
	if w.next != len(w.tensors) {
		return fmt.Errorf("%d of %d tensors were written", w.next, len(w.tensors))
	}
	return nil
}
