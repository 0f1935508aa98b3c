package diag

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source is a file with a tab, letters of several bytes and a CRLF end.
const source = "package exp\r\n\tname: \"größe\", heads: 5\r\nlast"

func readSource(file string) ([]byte, error) {
	if file == "a/exp.cue" {
		return []byte(source), nil
	}
	return nil, errors.New("no such file")
}

func sample() List {
	return List{
		{
			Code: "attn.heads", Path: "experiment.model.kvHeads", Pos: Position{"a/exp.cue", 2, 17}, End: Position{"a/exp.cue", 2, 22},
			Summary: "model.kvHeads (5) must divide heads (12): use one of 1, 2, 3, 4, 6, 12",
			Help:    "remove kvHeads",
			Related: []Related{{Position{"a/exp.cue", 1, 1}, "heads is stated here"}},
		},
		{Code: "spec.layers/0", Severity: Warning, Path: "experiment.x", Pos: Position{"a/exp.cue", 9, 1}, Summary: "100% wrong:\nsecond line, with commas"},
		{Code: "mem.peak", Severity: Note, Pos: Position{File: "b c/100%,x:y.cue"}, Summary: "peak <1 GiB> & more"},
		{Code: "spec.file", Summary: "gone.cue: no such file", World: true},
		{Code: "spec.syntax", Pos: Position{"/abs/é.cue", 3, 0}, Summary: "bad\x1b[31m escape"},
		{Code: "spec.value", Pos: Position{"a/exp.cue", 3, 5}, End: Position{"a/exp.cue", 3, 99}, Summary: "at the end of the line"},
	}
}

func TestWritersGolden(t *testing.T) {
	tests := []struct {
		golden string
		write  func(io.Writer, List) error
	}{
		{"text.golden", func(w io.Writer, l List) error { return Text(w, l, TextOptions{}) }},
		{"source.golden", func(w io.Writer, l List) error { return Text(w, l, TextOptions{Source: readSource}) }},
		{"color.golden", func(w io.Writer, l List) error { return Text(w, l, TextOptions{Source: readSource, Color: true}) }},
		{"json.golden", JSON},
		{"sarif.golden", func(w io.Writer, l List) error {
			return SARIF(w, l, Tool{Name: "gradcue", Version: "v0.1.0", Titles: map[string]string{"attn.heads": "heads and groups"}})
		}},
		{"github.golden", GitHub},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			var b bytes.Buffer
			if err := tt.write(&b, sample()); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", tt.golden)
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEmptyLists(t *testing.T) {
	tests := []struct {
		name  string
		write func(io.Writer, List) error
	}{
		{"json", JSON},
		{"sarif", func(w io.Writer, l List) error { return SARIF(w, l, Tool{Name: "gradcue"}) }},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		if err := tt.write(&b, nil); err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if bytes.Contains(b.Bytes(), []byte("null")) {
			t.Errorf("%s: an empty list is written as null:\n%s", tt.name, b.String())
		}
	}
}

// full fails after n bytes.
type full int

func (f full) Write(p []byte) (int, error) {
	if len(p) > int(f) {
		return int(f), io.ErrShortWrite
	}
	return len(p), nil
}

func TestWriteErrorsAreReturned(t *testing.T) {
	for name, err := range map[string]error{
		"text":   Text(full(3), sample(), TextOptions{}),
		"json":   JSON(full(3), sample()),
		"sarif":  SARIF(full(3), sample(), Tool{}),
		"github": GitHub(full(3), sample()),
	} {
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: got %v, want a short write", name, err)
		}
	}
}
