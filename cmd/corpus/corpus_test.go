package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// committed is the folder the quickstart reads; the command in doc.go writes it.
const committed = "../../examples/quickstart/corpus"

// TestCommittedFiles runs the command of doc.go and compares every byte with the committed files.
func TestCommittedFiles(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-seed", "1", "-bytes", "300000", "-o", dir}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	for _, name := range []string{"train.txt", "eval.txt"} {
		if !bytes.Equal(read(t, dir, name), read(t, committed, name)) {
			t.Errorf("%s differs from the committed file; run the command of doc.go and commit what it writes", name)
		}
	}
}

// TestFormat checks what readers of the files rely on: ASCII, one story a line, one blank line between, sizes.
func TestFormat(t *testing.T) {
	for name, limit := range map[string]int{"train.txt": 300000, "eval.txt": 20000} {
		b := read(t, committed, name)
		if len(b) > limit || len(b) < limit-1000 {
			t.Errorf("%s: found %d bytes, expected %d or up to 1000 less", name, len(b), limit)
		}
		for i, c := range b {
			if c != '\n' && (c < ' ' || c > '~') {
				t.Fatalf("%s: byte %d is %#x, expected printable ASCII", name, i, c)
			}
		}
		if bytes.Contains(b, []byte("\n\n\n")) || !bytes.HasSuffix(b, []byte(".\n")) && !bytes.HasSuffix(b, []byte("\"\n")) {
			t.Errorf("%s: expected stories separated by one blank line and one line end after the last", name)
		}
	}
}

// TestLanguage checks the sentences by what can be checked: no rest of a template, articles, word count, no story twice
// and no story of the held-out text in the training text.
func TestLanguage(t *testing.T) {
	train, eval := string(read(t, committed, "train.txt")), string(read(t, committed, "eval.txt"))
	all := train + "\n" + eval
	for _, wrong := range []string{`[][{}|]`, `\b[Aa] [aeiou]`, `\b[Aa]n [^aeiou]`, `  `, ` \n`, ` [,.!?]`, `[.!?][a-zA-Z]`, `[.!?] [a-z]`} {
		if m := regexp.MustCompile(".{0,30}" + wrong + ".{0,30}").FindString(strings.ReplaceAll(all, "\" ", "\"")); m != "" {
			t.Errorf("found %q, expected nothing that matches %s", m, wrong)
		}
	}
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`[a-z]+`).FindAllString(strings.ToLower(all), -1) {
		words[w] = true
	}
	if len(words) < 300 || len(words) > 400 {
		t.Errorf("found %d different words, expected 300 to 400", len(words))
	}
	seen := map[string]bool{}
	for _, s := range strings.Split(all, "\n\n") {
		if seen[s] {
			t.Errorf("told twice: %s", s)
		}
		seen[s] = true
	}
}

// TestPronouns checks that a story names at most one girl and one boy, and uses only the pronouns of those it names.
func TestPronouns(t *testing.T) {
	for _, s := range strings.Split(string(read(t, committed, "train.txt")), "\n\n") {
		g, b := named(s, girls), named(s, boys)
		if g > 1 || b > 1 || g+b == 0 {
			t.Errorf("found %d girls and %d boys, expected at most one of each and somebody: %s", g, b, s)
		}
		if g == 0 && regexp.MustCompile(`\b([Ss]he|[Hh]er)\b`).MatchString(s) {
			t.Errorf("she without a girl: %s", s)
		}
		if b == 0 && regexp.MustCompile(`\b([Hh]e|[Hh]im|[Hh]is)\b`).MatchString(s) {
			t.Errorf("he without a boy: %s", s)
		}
	}
}

// named counts the names that occur in s.
func named(s string, names []string) int {
	n := 0
	for _, name := range names {
		if strings.Contains(s, name) {
			n++
		}
	}
	return n
}

// TestPlots bounds the sentences of a story from the grammar itself: a beat without the empty alternative always gives
// one, any other beat at most one.
func TestPlots(t *testing.T) {
	for i, p := range plots() {
		least := 0
		for _, b := range p {
			always := 1
			for _, template := range b {
				if template == "" {
					always = 0
				}
				if strings.Count(template, "[") != strings.Count(template, "]") {
					t.Errorf("plot %d: brackets of %q do not pair", i, template)
				}
			}
			least += always
		}
		if least < 5 || len(p) > 12 {
			t.Errorf("plot %d: found %d to %d sentences, expected 5 to 12", i, least, len(p))
		}
	}
}

// TestRand compares the generator with the published first outputs of SplitMix64 for seed 1234567.
func TestRand(t *testing.T) {
	r := &rng{state: 1234567}
	got := []uint64{r.next(), r.next(), r.next(), r.next(), r.next()}
	want := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestText checks that the limit holds to the byte and that a seed is the whole of the state.
func TestText(t *testing.T) {
	whole := text(7, 5000)
	for _, limit := range []int{0, 10, len(whole) - 1, len(whole)} {
		got := text(7, limit)
		if len(got) > limit || !bytes.HasPrefix(whole, got) {
			t.Errorf("text(7, %d): found %d bytes, expected at most the limit and a beginning of text(7, 5000)", limit, len(got))
		}
	}
	if !bytes.Equal(text(7, len(whole)), whole) {
		t.Error("text(7, n) with n its own size: expected the same bytes")
	}
	if bytes.Equal(text(8, 5000), whole) {
		t.Error("seeds 7 and 8: expected different bytes")
	}
}

// TestUsage lists the command lines that are refused, each with exit code 2 and one thing to do.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"argument", []string{"x"}, "remove it"},
		{"equal seeds", []string{"-seed", "3", "-evalseed", "3"}, "change one"},
		{"negative size", []string{"-bytes", "-1"}, "bytes >= 0"},
		{"unknown flag", []string{"-x"}, "not defined"},
		{"no folder", []string{"-o", filepath.Join(t.TempDir(), "none")}, "write train.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(c.args, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("found exit %d and %q, expected exit 2 and %q", code, stderr.String(), c.want)
			}
		})
	}
}

// read returns a file's bytes.
func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
