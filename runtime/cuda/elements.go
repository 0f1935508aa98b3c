//go:build cuda

package cuda

import (
	"unsafe"

	kernel "github.com/gradcue/gradcue/kernels/cpu"
)

// encode writes the stored form of data, from byte `from` of it on, into dst:
// []float32 as f32, bf16 or f16, []int32 and []float64 as they are. Pieces begin
// at multiples of 8 bytes.
func encode(dst []byte, data any, from int64, dtype string) {
	switch d := data.(type) {
	case []float32:
		if h, ok := half(dtype); ok {
			w := elements[uint16](dst)
			kernel.Narrow(kernel.Serial{}, w, d[from/2:][:len(w)], h)
			return
		}
		copy(dst, bytesOver(d)[from:])
	case []int32:
		copy(dst, bytesOver(d)[from:])
	case []float64:
		copy(dst, bytesOver(d)[from:])
	}
}

// decode is the inverse of encode.
func decode(data any, src []byte, from int64, dtype string) {
	switch d := data.(type) {
	case []float32:
		if h, ok := half(dtype); ok {
			w := elements[uint16](src)
			kernel.Widen(kernel.Serial{}, d[from/2:][:len(w)], w, h)
			return
		}
		copy(bytesOver(d)[from:], src)
	case []int32:
		copy(bytesOver(d)[from:], src)
	case []float64:
		copy(bytesOver(d)[from:], src)
	}
}

// half is the 16-bit type of that name.
func half(dtype string) (h kernel.Half, ok bool) {
	switch dtype {
	case "bf16":
		return kernel.BF16, true
	case "f16":
		return kernel.F16, true
	}
	return 0, false
}

// elements is memory as elements of T; its base must be aligned for T.
func elements[T any](mem []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/int(unsafe.Sizeof(zero)))
}

// bytesOver is the memory of elements.
func bytesOver[T any](d []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*int(unsafe.Sizeof(zero)))
}
