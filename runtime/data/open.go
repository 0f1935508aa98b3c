package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/token"
	"github.com/gradcue/gradcue/spec/diag"
)

// Options say what to read and how to cut it.
type Options struct {
	Data  plan.Data   // documents, packing, order, tokenizer
	Files []string    // Data.Train or Data.Eval
	Root  string      // folder that relative paths start from
	Loss  loss.Policy // who shifts
	T     int         // positions of a row
	Vocab int         // ids are in [0, Vocab)
	Seed  int64       // of the order
	Rows  int         // rows of a window
	Last  string      // carry, drop, flush

	Path string        // of the list of files in the spec, for findings
	Pos  diag.Position // where the user wrote it, zero when unknown
}

// Source is the rows of a set of files.
type Source struct {
	o      Options
	tok    token.Tokenizer
	ids    *stream
	starts []int    // offset of each document in ids, and the end
	rows   [][]span // in the order of the files
	digest string

	epoch int // of order
	order []int32
}

// Open reads the files and cuts them into rows. All findings are returned, not
// the first only: data.file (missing, not a file, unreadable), data.empty,
// data.id (an id outside the vocabulary), data.short (less than a row),
// window.last (the policy drop would drop everything).
func Open(o Options) (*Source, diag.List) {
	tok, err := token.New(o.Data.Tokenizer, o.Data.EOS)
	if err != nil {
		return nil, diag.List{o.finding("data.tokenizer", err.Error(), "write tokenizer: \"bytes\"")}
	}
	if o.T < 1 || o.Rows < 1 {
		return nil, diag.List{o.finding("data.short", fmt.Sprintf("a window of %d rows of %d positions holds no token", o.Rows, o.T), "make both at least 1")}
	}
	s := &Source{o: o, tok: tok, ids: newStream(tok.Size()), epoch: -1}
	files, l := o.find()
	for _, f := range files {
		text, found := o.read(f)
		l = append(l, found...)
		l = append(l, s.add(f, text)...)
	}
	if l.HasErrors() {
		return nil, l
	}
	s.starts = append(s.starts, s.ids.len())
	if l = s.short(); l.HasErrors() {
		return nil, l
	}
	s.rows = pack(o.Data.Packing, s.starts, o.T)
	if n := len(s.rows); o.Last == "drop" && n < o.Rows {
		return nil, append(l, o.finding("window.last", fmt.Sprintf("an epoch has %d rows, a window %d: with last: \"drop\" there is no update", n, o.Rows),
			"use window.last: \"carry\" or more text"))
	}
	s.digest = s.sum()
	return s, l
}

// add appends the documents of one file.
func (s *Source) add(file string, text []byte) diag.List {
	if len(text) == 0 {
		return nil
	}
	line := 1
	var ids []int32
	for _, doc := range split(text, s.o.Data.Documents) {
		s.starts = append(s.starts, s.ids.len())
		ids = s.tok.Append(ids[:0], doc)
		if end, ok := s.tok.EOS(); ok {
			ids = append(ids, end)
		}
		for i, id := range ids {
			if id >= int32(s.o.Vocab) {
				d := s.o.finding("data.id", fmt.Sprintf("%s has id %d, the vocabulary ends at %d", s.o.shown(file), id, s.o.Vocab-1),
					fmt.Sprintf("set model.vocab to at least %d", s.tok.Size()))
				d.Related = []diag.Related{{Pos: diag.Position{File: s.o.shown(file), Line: line + newlines(doc[:min(i, len(doc))])}, Message: "the text with this id"}}
				return diag.List{d}
			}
		}
		line += newlines(doc)
		s.ids.add(ids...)
	}
	return nil
}

func newlines(text []byte) (n int) {
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}

// short refuses a text in which no position has a next token, or that does not
// fill one row of the joined stream.
func (s *Source) short() diag.List {
	n, want := s.ids.len(), 2
	if s.o.Data.Packing == "concat" {
		want = max(want, s.o.T)
	}
	if n >= want {
		return nil
	}
	return diag.List{s.o.finding("data.short", fmt.Sprintf("the text has %d tokens, one row needs %d", n, want), "add text or lower window.seqLen")}
}

// sum is a hash of what is trained on: the ids and where documents start.
func (s *Source) sum() string {
	h := sha256.New()
	var b []byte
	flush := func(limit int) {
		if len(b) >= limit {
			h.Write(b)
			b = b[:0]
		}
	}
	for i := range s.ids.len() {
		b = binary.LittleEndian.AppendUint32(b, uint32(s.ids.at(i)))
		flush(1 << 16)
	}
	for _, at := range s.starts {
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
		flush(1 << 16)
	}
	flush(0)
	return hex.EncodeToString(h.Sum(nil))
}

// Rows is the number of rows of an epoch.
func (s *Source) Rows() int { return len(s.rows) }

// Tokens is the number of ids of an epoch, ends of documents included.
func (s *Source) Tokens() int { return s.ids.len() }

// Documents is the number of documents of an epoch.
func (s *Source) Documents() int { return len(s.starts) - 1 }

// Digest identifies the ids and documents: sha256 in hexadecimal.
func (s *Source) Digest() string { return s.digest }

// Tokenizer is what made the ids.
func (s *Source) Tokenizer() token.Tokenizer { return s.tok }
