package ir

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// DType is the type of a tensor's elements.
type DType uint8

// The element types. F64 exists for control values and the float64 engine; the
// spec cannot ask for it.
const (
	Invalid DType = iota
	F32
	F64
	I32
	BF16
	F16
)

var dtypeNames = [...]string{Invalid: "invalid", F32: "f32", F64: "f64", I32: "i32", BF16: "bf16", F16: "f16"}
var dtypeSizes = [...]int64{F32: 4, F64: 8, I32: 4, BF16: 2, F16: 2}

// String is the name used in specs, plans and printed graphs.
func (d DType) String() string {
	if int(d) < len(dtypeNames) {
		return dtypeNames[d]
	}
	return "dtype(" + strconv.Itoa(int(d)) + ")"
}

// Size is the number of bytes of one element, 0 for Invalid.
func (d DType) Size() int64 {
	if int(d) < len(dtypeSizes) {
		return dtypeSizes[d]
	}
	return 0
}

// Float reports whether activations and parameters can be stored in the type.
func (d DType) Float() bool { return d == F32 || d == BF16 || d == F16 }

// Half reports whether it is a 16-bit type, in which values are stored but not computed.
func (d DType) Half() bool { return d == BF16 || d == F16 }

// ParseDType is the inverse of String.
func ParseDType(s string) (DType, error) {
	for d, n := range dtypeNames {
		if n == s && DType(d) != Invalid {
			return DType(d), nil
		}
	}
	return Invalid, fmt.Errorf("unknown dtype %q", s)
}

// Type is an element type and a concrete shape; all shapes are static.
type Type struct {
	DType DType
	Shape []int
}

// Of makes a Type.
func Of(d DType, shape ...int) Type { return Type{d, shape} }

// Elems is the number of elements.
func (t Type) Elems() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= int64(d)
	}
	return n
}

// Bytes is b_i of the residency formula: the exact bytes of the tensor.
func (t Type) Bytes() int64 { return t.Elems() * t.DType.Size() }

// sane reports whether a type has elements and its bytes can be counted: plans
// from strangers name dimensions whose product leaves 64 bits.
func (t Type) sane() bool {
	n, overflow := uint64(t.DType.Size()), uint64(0)
	for _, d := range t.Shape {
		if d < 1 {
			return false
		}
		if overflow, n = bits.Mul64(n, uint64(d)); overflow != 0 || n > 1<<60 {
			return false
		}
	}
	return n > 0 && len(t.Shape) > 0
}

// Equal reports whether both types are the same.
func (t Type) Equal(u Type) bool {
	if t.DType != u.DType || len(t.Shape) != len(u.Shape) {
		return false
	}
	for i := range t.Shape {
		if t.Shape[i] != u.Shape[i] {
			return false
		}
	}
	return true
}

// String prints a type as f32[8,16].
func (t Type) String() string {
	var b strings.Builder
	b.WriteString(t.DType.String())
	b.WriteByte('[')
	for i, d := range t.Shape {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(d))
	}
	b.WriteByte(']')
	return b.String()
}

// ParseType is the inverse of String.
func ParseType(s string) (Type, error) {
	open := strings.IndexByte(s, '[')
	if open < 0 || !strings.HasSuffix(s, "]") {
		return Type{}, fmt.Errorf("type %q is not of the form dtype[n,m]", s)
	}
	d, err := ParseDType(s[:open])
	if err != nil {
		return Type{}, err
	}
	t := Type{DType: d}
	for _, f := range strings.Split(s[open+1:len(s)-1], ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 {
			return Type{}, fmt.Errorf("type %q: dimension %q is not a positive integer", s, f)
		}
		t.Shape = append(t.Shape, n)
	}
	return t, nil
}
