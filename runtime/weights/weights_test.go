package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample(t testing.TB) []byte {
	var b bytes.Buffer
	w, err := NewWriter(&b, []Tensor{{Name: "a.weight", DType: F32, Shape: []int{2, 3}}, {Name: "b", DType: F64, Shape: []int{2}}, {Name: "ünï \"q\"", DType: F32}},
		map[string]string{"u": "7"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.F32([]float32{1, -2, 3, float32(math.Inf(1)), 5e-45, 6}), w.F64([]float64{math.Pi, -0.0}), w.F32([]float32{9}), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// file is a file with the given header and n bytes of data.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestRoundTrip(t *testing.T) {
	b := sample(t)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	a, p, s := make([]float32, 6), make([]float64, 2), make([]float32, 1)
	for _, err := range []error{f.ReadF32("a.weight", a), f.ReadF64("b", p), f.ReadF32("ünï \"q\"", s)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []any{[]float32{1, -2, 3, float32(math.Inf(1)), 5e-45, 6}, []float64{math.Pi, -0.0}, []float32{9}, map[string]string{"u": "7"}}
	if diff := cmp.Diff(want, []any{a, p, s, f.Meta}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !bytes.Equal(b, sample(t)) {
		t.Error("equal tensors give other bytes")
	}
	if n := binary.LittleEndian.Uint64(b); n%8 != 0 {
		t.Errorf("the data starts at byte %d, want a multiple of 8", 8+n)
	}
}

func TestLongTensor(t *testing.T) {
	data := make([]float32, 3*chunk/4+5)
	for i := range data {
		data[i] = float32(i)
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, []Tensor{{Name: "x", DType: F32, Shape: []int{len(data)}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.F32(data); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, len(data))
	if err := f.ReadF32("x", got); err != nil || !cmp.Equal(got, data) {
		t.Errorf("a tensor of several chunks came back otherwise: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "too few"},
		{"seven bytes", make([]byte, 7), "too few"},
		{"header longer than the file", file("{}", 0)[:9], "in a file of 9"},
		{"huge header", binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "in a file of 8"},
		{"no header", file("", 0), "does not start with {"},
		{"space first", file(" {}", 0), "does not start with {"},
		{"not JSON", file("{x", 0), "header"},
		{"cut off", file(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}`, 4), "header"},
		{"array", file(`[]`, 0), "does not start with {"},
		{"something after", file(`{}{}`, 0), "something follows"},
		{"twice", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2), "twice"},
		{"unknown dtype", file(`{"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}}`, 4), "does not know"},
		{"unknown field", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}}`, 1), "unknown field"},
		{"no shape", file(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1), "lacks"},
		{"one offset", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, 1), "lacks"},
		{"null", file(`{"a":null}`, 0), "lacks"},
		{"negative dimension", file(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1), "impossible"},
		{"size that overflows", file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "impossible"},
		{"dimension that overflows", file(`{"a":{"dtype":"U8","shape":[9999999999999999999],"data_offsets":[0,1]}}`, 1), "cannot unmarshal"},
		{"range of another size", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}`, 8), "in the range"},
		{"range backwards", file(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[1,0]}}`, 1), "in the range"},
		{"range below zero", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}}`, 0), "in the range"},
		{"gap", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2), "starts at byte 1"},
		{"overlap", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 3), "starts at byte 1"},
		{"data missing", file(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 3), "describes 4"},
		{"data left", file(`{}`, 1), "describes 0"},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`, 0), metadata},
	}
	for _, tt := range tests {
		_, err := Open(bytes.NewReader(tt.file), int64(len(tt.file)))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want a format error with %q", tt.name, err, tt.want)
		}
	}
}

func TestReadChecks(t *testing.T) {
	b := sample(t)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if f.ReadF32("none", nil) == nil || f.ReadF32("b", make([]float32, 2)) == nil || f.ReadF32("a.weight", make([]float32, 5)) == nil {
		t.Error("a tensor was read that is missing, of another type or of another size")
	}
	if _, err := f.Want("a.weight", F32, []int{3, 2}); err == nil {
		t.Error("a tensor of another shape was taken")
	}
	if _, err := f.Want("a.weight", F32, []int{2, 3}); err != nil {
		t.Error(err)
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, ts := range [][]Tensor{
		{{Name: "a", DType: "F33"}}, {{Name: "a", DType: F32, Shape: []int{-1}}},
		{{Name: "a", DType: F32}, {Name: "a", DType: F32}}, {{Name: metadata, DType: F32}},
	} {
		if _, err := NewWriter(&bytes.Buffer{}, ts, nil); err == nil {
			t.Errorf("%+v was written", ts)
		}
	}
	w, err := NewWriter(&bytes.Buffer{}, []Tensor{{Name: "a", DType: F32, Shape: []int{2}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.Close() == nil || w.F32(make([]float32, 1)) == nil || w.F64(make([]float64, 2)) == nil {
		t.Error("data that does not fit the header was taken")
	}
	if w.F32(make([]float32, 2)) != nil || w.F32(nil) == nil || w.Close() != nil {
		t.Error("the right data was refused, or more than that taken")
	}
}

// FuzzOpen: whatever the bytes, Open and the readers return and stay in the file.
func FuzzOpen(f *testing.F) {
	f.Add(sample(f))
	f.Add(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Add(file(`{"a":{"dtype":"F64","shape":[0,9],"data_offsets":[0,0]},"__metadata__":null}`, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("an error that is not about the format: %v", err)
			}
			return
		}
		total := int64(0)
		for _, s := range w.Tensors {
			total += s.Bytes()
			switch s.DType {
			case F32:
				err = w.ReadF32(s.Name, make([]float32, s.Elems()))
			case F64:
				err = w.ReadF64(s.Name, make([]float64, s.Elems()))
			}
			if err != nil {
				t.Errorf("%q passed the checks and cannot be read: %v", s.Name, err)
			}
		}
		if total > int64(len(b)) {
			t.Errorf("tensors of %d bytes in a file of %d", total, len(b))
		}
	})
}
