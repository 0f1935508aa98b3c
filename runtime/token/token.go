package token

import "fmt"

// Tokenizer turns text into ids and back.
type Tokenizer interface {
	// Name is the name that a spec gives it.
	Name() string
	// Size is the number of ids: every id is in [0, Size).
	Size() int
	// EOS is the id that ends a document; ok is false when there is none.
	EOS() (id int32, ok bool)
	// Append appends the ids of a text, without an end.
	Append(ids []int32, text []byte) []int32
	// Decode appends the text of ids; the end of a document has none, nor has an
	// id outside [0, Size).
	Decode(text []byte, ids ...int32) []byte
}

// New finds a tokenizer by the name in a spec; eos gives it an end of document.
func New(name string, eos bool) (Tokenizer, error) {
	if name != "bytes" {
		return nil, fmt.Errorf("tokenizer %q does not exist: use bytes", name)
	}
	return Bytes{End: eos}, nil
}

// Bytes is the tokenizer whose ids are the values of bytes.
type Bytes struct {
	End bool // id 256 ends a document
}

// byteEnd is the end of a document: the first number that is not a byte.
const byteEnd = 256

// Name is "bytes".
func (Bytes) Name() string { return "bytes" }

// Size is 256, or 257 with an end.
func (b Bytes) Size() int {
	if b.End {
		return byteEnd + 1
	}
	return byteEnd
}

// EOS is 256 where there is an end.
func (b Bytes) EOS() (int32, bool) { return byteEnd, b.End }

// Append appends one id a byte.
func (Bytes) Append(ids []int32, text []byte) []int32 {
	for _, c := range text {
		ids = append(ids, int32(c))
	}
	return ids
}

// Decode appends one byte an id below 256.
func (Bytes) Decode(text []byte, ids ...int32) []byte {
	for _, id := range ids {
		if id >= 0 && id < byteEnd {
			text = append(text, byte(id))
		}
	}
	return text
}
