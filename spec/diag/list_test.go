package diag

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSortIsIndependentOfOrder(t *testing.T) {
	want := sample()
	want.Sort()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		got := sample()
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		got.Sort()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	}
}

func TestDedupe(t *testing.T) {
	at := Position{"a.cue", 1, 2}
	l := List{
		{Code: "x", Path: "experiments.a.m", Pos: at, Summary: "same"},
		{Code: "x", Path: "experiments.b.m", Pos: at, Summary: "same"},
		{Code: "x/1", Path: "experiments.b.m", Pos: at, Summary: "same"},
		{Code: "x", Path: "experiments.b.m", Pos: at, Summary: "other"},
		{Code: "x", Path: "p", Summary: "no position"},
		{Code: "x", Path: "q", Summary: "no position"},
	}
	got := l.Dedupe()
	if diff := cmp.Diff(List{l[0], l[3], l[4], l[5]}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if List(nil).Dedupe() != nil {
		t.Error("an empty list must stay empty")
	}
}

func TestCounts(t *testing.T) {
	l := sample()
	if l.Count(Error) != 4 || l.Count(Warning) != 1 || l.Count(Note) != 1 {
		t.Errorf("got %d errors, %d warnings, %d notes", l.Count(Error), l.Count(Warning), l.Count(Note))
	}
	if !l.HasErrors() || !l.HasWorld() {
		t.Error("the sample has errors, one of them of the world")
	}
	warned := List{{Severity: Warning, World: true}}
	if warned.HasErrors() || warned.HasWorld() {
		t.Error("a warning is not an error")
	}
}

func TestPositionString(t *testing.T) {
	tests := []struct {
		pos  Position
		want string
	}{
		{Position{}, ""},
		{Position{File: "a.cue"}, "a.cue"},
		{Position{"a.cue", 3, 0}, "a.cue:3"},
		{Position{"a.cue", 3, 4}, "a.cue:3:4"},
		{Position{"a.cue", 0, 4}, "a.cue"},
		{Position{"", 3, 4}, "3:4"},
	}
	for _, tt := range tests {
		if got := tt.pos.String(); got != tt.want {
			t.Errorf("%#v: got %q, want %q", tt.pos, got, tt.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	fields := []string{"heads", "headDim", "kvHeads", "layers", "lr", "eos", "eps"}
	tests := []struct {
		word, want string
		ok         bool
	}{
		{"layer", "layers", true},
		{"hedas", "heads", true},
		{"headsDim", "headDim", true},
		{"rl", "lr", true},
		{"kvheads", "kvHeads", true},
		{"es", "eos", true},
		{"momentum", "", false},
		{"heads", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		got, ok := Suggest(tt.word, fields)
		if got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.word, got, ok, tt.want, tt.ok)
		}
	}
}
