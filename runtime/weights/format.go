package weights

import (
	"errors"
	"math/bits"
)

// ErrFormat is wrapped by every error about the content of a file.
var ErrFormat = errors.New("not a safetensors file")

// MaxHeader is the longest header that is read, in bytes; the format's own limit.
const MaxHeader = 100_000_000

// DType is an element type by the name in the format.
type DType string

// The element types that can be read and written.
const (
	F32 DType = "F32"
	F64 DType = "F64"
	I32 DType = "I32"
)

// sizes are the bytes of an element of every type that the format knows.
var sizes = map[DType]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1,
	"U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, I32: 4, F32: 4,
	"U64": 8, "I64": 8, F64: 8,
}

// Tensor describes one tensor of a file.
type Tensor struct {
	Name  string
	DType DType
	Shape []int
	begin int64 // of the data, from the start of the data
	end   int64
}

// Bytes is the size of the tensor's data.
func (t Tensor) Bytes() int64 { return t.end - t.begin }

// Elems is the number of elements.
func (t Tensor) Elems() int64 { return t.Bytes() / sizes[t.DType] }

// bytesOf is the size of a shape in bytes; ok is false for a dimension below
// zero and for a size that does not fit.
func bytesOf(shape []int, element int64) (n int64, ok bool) {
	n = element
	for _, d := range shape {
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if d < 0 || hi != 0 || lo > 1<<62 {
			return 0, false
		}
		n = int64(lo)
	}
	return n, true
}
