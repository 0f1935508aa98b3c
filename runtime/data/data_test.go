package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec/diag"
)

// write makes a folder with files and returns options that read all of them.
func write(t *testing.T, files map[string]string) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Options{
		Data:  plan.Data{Tokenizer: "bytes", Documents: "file", Packing: "concat", Order: "sequential"},
		Files: []string{"*.txt"}, Root: dir, Loss: loss.Policy{ShiftBy: "loss", Offset: 1}, T: 4, Vocab: 256, Rows: 2, Last: "carry",
		Path: "data.train", Pos: diag.Position{File: "exp.cue", Line: 7, Col: 3},
	}
}

func open(t *testing.T, o Options) *Source {
	t.Helper()
	s, l := Open(o)
	if l.HasErrors() {
		t.Fatalf("open: %+v", l)
	}
	return s
}

// show prints a row as its bytes (_ for padding, $ for the end of a document)
// with a bar where the document changes, and what follows behind a slash.
func show(r loss.Row) string {
	var b strings.Builder
	char := func(id int32, role loss.Role) {
		switch role {
		case loss.Padding:
			b.WriteByte('_')
		case loss.EOS:
			b.WriteByte('$')
		default:
			b.WriteByte(byte(id))
		}
	}
	for i, id := range r.IDs {
		if i > 0 && r.Docs[i] != r.Docs[i-1] && r.Docs[i] >= 0 {
			b.WriteByte('|')
		}
		char(id, r.Roles[i])
	}
	if r.Next >= 0 {
		b.WriteByte('/')
		char(r.Next, r.NextRole)
	}
	return b.String()
}

func showAll(rows []loss.Row) (out []string) {
	for _, r := range rows {
		out = append(out, show(r))
	}
	return out
}

func TestPacking(t *testing.T) {
	files := map[string]string{"a.txt": "abcdef", "b.txt": "gh", "c.txt": "i"}
	tests := []struct {
		mode, shift string
		eos         bool
		want        []string
	}{
		{"concat", "loss", false, []string{"abcd", "ef|gh", "i___"}},
		{"concat", "data", false, []string{"abcd/e", "ef|gh/i", "i___"}},
		{"concat", "loss", true, []string{"abcd", "ef$|g", "h$|i$"}},
		{"concat", "data", true, []string{"abcd/e", "ef$|g/h", "h$|i$"}},
		{"none", "loss", false, []string{"abcd", "ef__", "gh__", "i___"}},
		{"none", "data", false, []string{"abcd/e", "ef__", "gh__", "i___"}},
		{"none", "loss", true, []string{"abcd", "ef$_", "gh$_", "i$__"}},
		{"segments", "loss", false, []string{"abcd", "ef|gh", "i___"}},
		{"segments", "data", false, []string{"abcd/e", "ef|gh", "i___"}},
		{"segments", "loss", true, []string{"abcd", "ef$_", "gh$_", "i$__"}},
	}
	for _, tt := range tests {
		o := write(t, files)
		o.Data.Packing, o.Data.EOS, o.Loss.ShiftBy, o.Vocab = tt.mode, tt.eos, tt.shift, 257
		s := open(t, o)
		if diff := cmp.Diff(tt.want, showAll(s.First(99))); diff != "" {
			t.Errorf("%s, shift by %s, eos %v: -want +got:\n%s", tt.mode, tt.shift, tt.eos, diff)
		}
	}
}

// TestTrainedPairsDoNotDependOnShiftOwner: over a whole epoch of the joined
// stream, a shift by data trains one pair more a row than a shift by the loss,
// and both train only neighbours of the text.
func TestTrainedPairsDoNotDependOnShiftOwner(t *testing.T) {
	text := "the cat sat on the mat"
	for _, shift := range []string{"loss", "data"} {
		o := write(t, map[string]string{"a.txt": text})
		o.Loss = loss.Policy{ShiftBy: shift, Offset: 1, Response: true, Normalize: "tokens"}
		s := open(t, o)
		rows := s.First(s.Rows())
		w := o.Loss.Make(rows, 1)
		want := len(text) - 1
		if shift == "loss" {
			want -= (len(text) - 1) / o.T // the pairs that a row border cuts
		}
		if w.Trained != want {
			t.Errorf("shift by %s: %d trained, want %d", shift, w.Trained, want)
		}
		for i, r := range rows {
			for p, m := range w.Weights[i] {
				if pair := string(rune(r.IDs[p])) + string(rune(w.Targets[i][p])); m != 0 && !strings.Contains(text, pair) {
					t.Errorf("shift by %s: row %d position %d trains %q, which is not in the text", shift, i, p, pair)
				}
			}
		}
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		by, text string
		want     []string
	}{
		{"file", "a\n\nb", []string{"a\n\nb"}},
		{"line", "a\nb\nc", []string{"a\n", "b\n", "c"}},
		{"line", "\n\na\n\nb\n", []string{"\n\na\n\n", "b\n"}},
		{"line", "a\r\nb\r\n", []string{"a\r\n", "b\r\n"}},
		{"line", "\n \n", []string{"\n \n"}},
		{"paragraph", "a\nb\n\nc\n\n\nd", []string{"a\nb\n\n", "c\n\n\n", "d"}},
		{"paragraph", "a\r\n\r\nb", []string{"a\r\n\r\n", "b"}},
		{"paragraph", "\na\n \t\nb\n", []string{"\na\n \t\n", "b\n"}},
	}
	for _, tt := range tests {
		var got []string
		for _, d := range split([]byte(tt.text), tt.by) {
			got = append(got, string(d))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s of %q: -want +got:\n%s", tt.by, tt.text, diff)
		}
		if strings.Join(got, "") != tt.text {
			t.Errorf("%s of %q: the documents joined are %q", tt.by, tt.text, strings.Join(got, ""))
		}
	}
}

func TestFilesAreSortedAndOnce(t *testing.T) {
	o := write(t, map[string]string{"b.txt": "bb", "a.txt": "aa", "sub/c.txt": "cc", "odd[1].txt": "dd"})
	for _, tt := range []struct {
		files []string
		want  string
	}{
		{[]string{"*.txt"}, "aabbdd"},
		{[]string{"b.txt", "*.txt"}, "bbaadd"},
		{[]string{"sub/*.txt", "a.txt"}, "ccaa"},
		{[]string{"odd[1].txt"}, "dd"},
		{[]string{filepath.Join(o.Root, "a.txt"), "sub/../a.txt", "b.txt"}, "aabb"},
	} {
		o.Files, o.T = tt.files, 2
		s := open(t, o)
		got := strings.ReplaceAll(strings.Join(showAll(s.First(9)), ""), "|", "")
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.files, got, tt.want)
		}
	}
}

func TestWindowPolicies(t *testing.T) {
	tests := []struct {
		last string
		want []string // windows of two rows over an epoch of three
		next []Cursor
	}{
		{"carry", []string{"abcd efgh", "ij__ abcd", "efgh ij__", "abcd efgh"}, []Cursor{{0, 2}, {1, 1}, {2, 0}, {2, 2}}},
		{"drop", []string{"abcd efgh", "abcd efgh", "abcd efgh", "abcd efgh"}, []Cursor{{0, 2}, {1, 2}, {2, 2}, {3, 2}}},
		{"flush", []string{"abcd efgh", "ij__ ____", "abcd efgh", "ij__ ____"}, []Cursor{{0, 2}, {1, 0}, {1, 2}, {2, 0}}},
	}
	for _, tt := range tests {
		o := write(t, map[string]string{"a.txt": "abcdefghij"})
		o.Last = tt.last
		s := open(t, o)
		var c Cursor
		for i, want := range tt.want {
			rows, next, err := s.Window(c)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(showAll(rows), " "); got != want || next != tt.next[i] {
				t.Errorf("%s, window %d: got %q and %v, want %q and %v", tt.last, i, got, next, want, tt.next[i])
			}
			c = next
		}
	}
}

// TestCarryIsAStreamOfRows: with carry, windows of any size read the same rows
// one after another, and the cursor after n rows is At(n).
func TestCarryIsAStreamOfRows(t *testing.T) {
	read := func(rows int) (out []string) {
		o := write(t, map[string]string{"a.txt": strings.Repeat("0123456789", 3)})
		o.Data.Order, o.Rows, o.Seed = "shuffle", rows, 5
		s := open(t, o)
		var c Cursor
		for n := 0; n < 60; n += rows {
			if s.At(n) != c {
				t.Errorf("after %d rows the cursor is %v, want %v", n, c, s.At(n))
			}
			w, next, err := s.Window(c)
			if err != nil {
				t.Fatal(err)
			}
			out, c = append(out, showAll(w)...), next
		}
		return out
	}
	want := read(1)
	for _, rows := range []int{2, 3, 10, 20} {
		if diff := cmp.Diff(want, read(rows)[:60]); diff != "" {
			t.Errorf("windows of %d rows: -want +got:\n%s", rows, diff)
		}
	}
}

func TestOrderOfEpochs(t *testing.T) {
	o := write(t, map[string]string{"a.txt": strings.Repeat("abcdefghijklmnopqrstuvwxyz", 4)})
	o.Data.Order, o.Rows, o.Seed = "shuffle", 26, 7
	epoch := func(s *Source, e int) []string {
		rows, _, err := s.Window(Cursor{Epoch: e})
		if err != nil {
			t.Fatal(err)
		}
		return showAll(rows)
	}
	s := open(t, o)
	zero, one := epoch(s, 0), epoch(s, 1)
	if cmp.Equal(zero, one) {
		t.Error("two epochs have the same order")
	}
	a, b, sorted := slices.Clone(zero), slices.Clone(one), showAll(s.First(26))
	slices.Sort(a)
	slices.Sort(b)
	slices.Sort(sorted)
	if !cmp.Equal(a, sorted) || !cmp.Equal(b, sorted) {
		t.Error("an epoch does not have each row once")
	}
	// A source opened later, or one that has read other epochs, has the same order.
	if diff := cmp.Diff(one, epoch(open(t, o), 1)); diff != "" {
		t.Errorf("a new source orders epoch 1 otherwise:\n%s", diff)
	}
	if diff := cmp.Diff(zero, epoch(s, 0)); diff != "" {
		t.Errorf("going back to epoch 0 orders it otherwise:\n%s", diff)
	}
	o.Seed = 8
	if cmp.Equal(zero, epoch(open(t, o), 0)) {
		t.Error("two seeds have the same order")
	}
}

func TestPermutationIsFair(t *testing.T) {
	counts := map[string]int{}
	for epoch := range 6000 {
		counts[fmt.Sprint(permutation(3, 1, epoch))]++
	}
	for p, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("order %s was drawn %d times of 6000, want about 1000", p, n)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d orders of 3 rows, want 6", len(counts))
	}
}

func TestFindings(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		change func(*Options)
		code   string
		text   string
	}{
		{"missing file", nil, func(o *Options) { o.Files = []string{"gone.txt"} }, "data.file", "there is no file gone.txt"},
		{"no match", nil, func(o *Options) { o.Files = []string{"*.md"} }, "data.file", `no file matches "*.md"`},
		{"bad pattern", nil, func(o *Options) { o.Files = []string{"a[.txt"} }, "data.file", "is not a pattern"},
		{"folder", map[string]string{"d/x.txt": "x"}, func(o *Options) { o.Files = []string{"d"} }, "data.file", "d is a folder"},
		{"empty", map[string]string{"e.txt": ""}, nil, "data.empty", "e.txt is empty"},
		{"short", map[string]string{"a.txt": "abc"}, nil, "data.short", "the text has 3 tokens, one row needs 4"},
		{"short document", map[string]string{"a.txt": "a"}, func(o *Options) { o.Data.Packing = "none" }, "data.short", "the text has 1 tokens, one row needs 2"},
		{"id", map[string]string{"a.txt": "ab\nc\xff"}, func(o *Options) { o.Vocab = 128 }, "data.id", "a.txt has id 255, the vocabulary ends at 127"},
		{"end id", map[string]string{"a.txt": "abcd"}, func(o *Options) { o.Data.EOS = true }, "data.id", "a.txt has id 256, the vocabulary ends at 255"},
		{"drop drops all", map[string]string{"a.txt": "abcdefgh"}, func(o *Options) { o.Last, o.Rows = "drop", 3 }, "window.last", "an epoch has 2 rows, a window 3"},
		{"tokenizer", nil, func(o *Options) { o.Data.Tokenizer = "bpe" }, "data.tokenizer", `tokenizer "bpe" does not exist`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := write(t, tt.files)
			if tt.change != nil {
				tt.change(&o)
			}
			_, l := Open(o)
			if len(l) != 1 {
				t.Fatalf("%d findings, want 1: %+v", len(l), l)
			}
			d := l[0]
			if d.Code != tt.code || !strings.Contains(d.Summary, tt.text) || d.World || d.Help == "" || d.Path != "data.train" || d.Pos != o.Pos {
				t.Errorf("got %+v, want %s with %q, a help and the place", d, tt.code, tt.text)
			}
		})
	}
}

func TestAllFindingsAtOnce(t *testing.T) {
	o := write(t, map[string]string{"e.txt": ""})
	o.Files = []string{"gone", "e.txt", "*.md"}
	if _, l := Open(o); len(l) != 3 {
		t.Errorf("%d findings, want 3: %+v", len(l), l)
	}
}

func TestIDNamesItsLine(t *testing.T) {
	o := write(t, map[string]string{"a.txt": "ab\ncd\ne\xff\n"})
	o.Vocab = 128
	for _, by := range []string{"file", "line"} {
		o.Data.Documents = by
		_, l := Open(o)
		if len(l) != 1 || len(l[0].Related) != 1 || l[0].Related[0].Pos.Line != 3 {
			t.Errorf("by %s: got %+v, want line 3 as a related place", by, l)
		}
	}
}

func TestDigest(t *testing.T) {
	sum := func(text, documents string) string {
		o := write(t, map[string]string{"a.txt": text})
		o.Data.Documents = documents
		return open(t, o).Digest()
	}
	base := sum("abcd\nefgh", "file")
	if base != sum("abcd\nefgh", "file") {
		t.Error("equal text has two digests")
	}
	if base == sum("abcd\nefgx", "file") || base == sum("abcd\nefgh", "line") {
		t.Error("other text or documents have the same digest")
	}
}

func TestCursorIsChecked(t *testing.T) {
	s := open(t, write(t, map[string]string{"a.txt": "abcdefgh"}))
	for _, c := range []Cursor{{-1, 0}, {0, -1}, {0, 3}} {
		if _, _, err := s.Window(c); err == nil {
			t.Errorf("cursor %v was accepted", c)
		}
	}
}

func TestWideStream(t *testing.T) {
	for _, vocab := range []int{1 << 16, 1<<16 + 1} {
		s := newStream(vocab)
		s.add(0, 7, int32(vocab-1))
		if s.len() != 3 || s.at(0) != 0 || s.at(1) != 7 || s.at(2) != int32(vocab-1) {
			t.Errorf("vocabulary %d: got %d, %d, %d", vocab, s.at(0), s.at(1), s.at(2))
		}
	}
}
