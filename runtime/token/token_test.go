package token

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBytesRoundTrip(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, text := range [][]byte{nil, []byte("a\x00é\r\n"), all} {
		var b Bytes
		ids := b.Append(nil, text)
		if len(ids) != len(text) {
			t.Errorf("%q: %d ids, want %d", text, len(ids), len(text))
		}
		if got := b.Decode(nil, ids...); !bytes.Equal(got, text) {
			t.Errorf("%q decodes to %q", text, got)
		}
	}
}

func TestBytesIDsAreValues(t *testing.T) {
	if diff := cmp.Diff([]int32{9, 65, 255}, Bytes{}.Append([]int32{9}, []byte{65, 255})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEnd(t *testing.T) {
	for _, tt := range []struct {
		eos  bool
		size int
	}{{false, 256}, {true, 257}} {
		tok, err := New("bytes", tt.eos)
		if err != nil {
			t.Fatal(err)
		}
		id, ok := tok.EOS()
		if ok != tt.eos || ok && id != 256 || tok.Size() != tt.size {
			t.Errorf("eos %v: id %d, %v, size %d, want 256, %v, %d", tt.eos, id, ok, tok.Size(), tt.eos, tt.size)
		}
	}
	if got := (Bytes{End: true}).Decode(nil, 'a', 256, -1, 1<<30, 'b'); string(got) != "ab" {
		t.Errorf("ids without text decode to %q, want ab", got)
	}
}

func TestUnknownName(t *testing.T) {
	if _, err := New("bpe", false); err == nil {
		t.Error("an unknown tokenizer was accepted")
	}
}
