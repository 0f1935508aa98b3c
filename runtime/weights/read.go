package weights

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// File is an open file of tensors.
type File struct {
	Tensors []Tensor // in the order of their data
	Meta    map[string]string
	r       io.ReaderAt
	data    int64 // where the data starts
	byName  map[string]int
}

// Open reads and checks the header of a file of size bytes. Errors about its
// content wrap ErrFormat.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var n [8]byte
	if size < int64(len(n)) {
		return nil, malformed("%d bytes are too few", size)
	}
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), n[:]); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	length := binary.LittleEndian.Uint64(n[:])
	if length > MaxHeader || int64(length) > size-int64(len(n)) {
		return nil, malformed("header of %d bytes in a file of %d", length, size)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(r, int64(len(n)), int64(length)), text); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	data := int64(len(n)) + int64(length)
	tensors, meta, err := parseHeader(text, size-data)
	if err != nil {
		return nil, err
	}
	f := &File{Tensors: tensors, Meta: meta, r: r, data: data, byName: map[string]int{}}
	for i, t := range tensors {
		f.byName[t.Name] = i
	}
	return f, nil
}

// Find looks a tensor up by name.
func (f *File) Find(name string) (Tensor, bool) {
	i, ok := f.byName[name]
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// Want is Find with a check: the tensor must have the given type and shape.
func (f *File) Want(name string, d DType, shape []int) (Tensor, error) {
	t, ok := f.Find(name)
	if !ok {
		return t, fmt.Errorf("tensor %q is missing", name)
	}
	if t.DType != d || !slices.Equal(t.Shape, shape) {
		return t, fmt.Errorf("tensor %q is %s%v, want %s%v", name, t.DType, t.Shape, d, shape)
	}
	return t, nil
}

// chunk is how many bytes are read or written at a time.
const chunk = 1 << 16

// ReadF32 reads a tensor of type F32 into dst, which must have its length.
func (f *File) ReadF32(name string, dst []float32) error {
	return read(f, name, F32, dst, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
}

// ReadF64 reads a tensor of type F64 into dst, which must have its length.
func (f *File) ReadF64(name string, dst []float64) error {
	return read(f, name, F64, dst, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
}

func read[E any](f *File, name string, d DType, dst []E, decode func([]byte) E) error {
	t, ok := f.Find(name)
	if !ok || t.DType != d || t.Elems() != int64(len(dst)) {
		return fmt.Errorf("tensor %q is %s%v, want %d elements of %s", name, t.DType, t.Shape, len(dst), d)
	}
	r := io.NewSectionReader(f.r, f.data+t.begin, t.Bytes())
	size := int(sizes[d])
	buf := make([]byte, min(chunk, len(dst)*size))
	for len(dst) > 0 {
		n := min(len(dst), chunk/size)
		if _, err := io.ReadFull(r, buf[:n*size]); err != nil {
			return fmt.Errorf("read tensor %q: %w", name, err)
		}
		for i := range n {
			dst[i] = decode(buf[i*size:])
		}
		dst = dst[n:]
	}
	return nil
}
