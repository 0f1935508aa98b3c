package data

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/visible"
)

var policy = loss.Policy{ShiftBy: "loss", Offset: 1, IgnoreIndex: -100, Response: true, Normalize: "tokens"}

func textRow(docs []int32, ids ...int32) loss.Row {
	r := emptyRow(len(ids))
	copy(r.IDs, ids)
	copy(r.Docs, docs)
	for t, d := range docs {
		if d >= 0 {
			r.Roles[t] = loss.Text
		}
	}
	return r
}

func TestFill(t *testing.T) {
	rows := []loss.Row{textRow([]int32{0, 0, 1, 1}, 5, 6, 5, 7), textRow([]int32{2, 2, -1, -1}, 9, 6, 0, 0)}
	w := policy.Make(rows, 2)
	lim := Limits{B: 3, T: 4, Vocab: 10, Context: 4, Compact: 6, Restart: true}
	f := NewFiller(lim, visible.Policy{Docs: true})
	f.Begin()
	got, err := f.Fill(rows, w.Targets, w.Weights)
	if err != nil {
		t.Fatal(err)
	}
	want := &Batch{
		IDs:       []int32{5, 6, 5, 7, 9, 6, 0, 0, 0, 0, 0, 0},
		Targets:   []int32{6, -100, 7, -100, 6, -100, -100, -100, 0, 0, 0, 0},
		Weight:    []float32{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0},
		Lo:        []int32{0, 0, 2, 2, 0, 0, 3, 4, 1, 2, 3, 4},
		Positions: []int32{0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0},
		Row:       []int32{0, 1, 0, 2, 3, 1, -1, -1, -1, -1, -1, -1},
		Trained:   3,
		Tokens:    6,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	ids := make([]int32, 6)
	f.RowIDs(ids)
	if diff := cmp.Diff([]int32{5, 6, 7, 9, -1, -1}, ids); diff != "" {
		t.Errorf("row ids: -want +got:\n%s", diff)
	}
	lim.Restart = false
	if got, err = NewFiller(lim, visible.Policy{}).Fill(rows, w.Targets, w.Weights); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int32{0, 1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 0}, got.Positions); diff != "" {
		t.Errorf("positions of rows: -want +got:\n%s", diff)
	}
}

// TestCompactRowsBelongToTheWindow: rows go on over the micro-batches of a
// window and start again with the next one.
func TestCompactRowsBelongToTheWindow(t *testing.T) {
	f := NewFiller(Limits{B: 1, T: 2, Vocab: 10, Context: 2, Compact: 3}, visible.Policy{})
	fill := func(ids ...int32) []int32 {
		rows := []loss.Row{textRow([]int32{0, 0}, ids...)}
		w := policy.Make(rows, 1)
		b, err := f.Fill(rows, w.Targets, w.Weights)
		if err != nil {
			t.Fatal(err)
		}
		return append([]int32(nil), b.Row...)
	}
	f.Begin()
	if diff := cmp.Diff([][]int32{{0, 1}, {1, 2}}, [][]int32{fill(4, 8), fill(8, 2)}); diff != "" {
		t.Errorf("first window: -want +got:\n%s", diff)
	}
	f.Begin()
	if diff := cmp.Diff([]int32{0, 1}, fill(2, 4)); diff != "" {
		t.Errorf("second window: -want +got:\n%s", diff)
	}
}

// TestFillRefuses: numbers that would lead an engine outside a buffer are errors.
func TestFillRefuses(t *testing.T) {
	one := func(docs []int32, ids ...int32) []loss.Row { return []loss.Row{textRow(docs, ids...)} }
	both := []int32{0, 0}
	tests := []struct {
		name   string
		lim    Limits
		rows   []loss.Row
		change func(targets [][]int32, weights [][]float32)
		want   string
	}{
		{"id too big", Limits{B: 1, T: 2, Vocab: 5, Context: 2}, one(both, 5, 1), nil, "id 5 is outside"},
		{"id negative", Limits{B: 1, T: 2, Vocab: 5, Context: 2}, one(both, -1, 1), nil, "id -1 is outside"},
		{"position", Limits{B: 1, T: 2, Vocab: 5, Context: 1}, one(both, 1, 2), nil, "outside the context"},
		{"distinct ids", Limits{B: 1, T: 2, Vocab: 5, Context: 2, Compact: 1}, one(both, 1, 2), nil, "more than 1 distinct"},
		{"rows", Limits{B: 1, T: 2, Vocab: 5, Context: 2}, append(one(both, 1, 2), one(both, 1, 2)...), nil, "micro-batch of 2 rows"},
		{"length", Limits{B: 1, T: 3, Vocab: 5, Context: 3}, one(both, 1, 2), nil, "has 2 positions"},
		{"hidden keys", Limits{B: 1, T: 2, Vocab: 5, Context: 2, All: true}, one([]int32{0, 1}, 1, 2), nil, "keys before 1 are hidden"},
		{"target", Limits{B: 1, T: 2, Vocab: 5, Context: 2}, one(both, 1, 2), func(ts [][]int32, _ [][]float32) { ts[0][0] = 5 }, "target 5 is outside"},
		{"weight", Limits{B: 1, T: 2, Vocab: 5, Context: 2}, one(both, 1, 2), func(_ [][]int32, ws [][]float32) { ws[0][0] = -1 }, "weight -1"},
	}
	for _, tt := range tests {
		w := policy.Make(tt.rows, 1)
		if tt.change != nil {
			tt.change(w.Targets, w.Weights)
		}
		f := NewFiller(tt.lim, visible.Policy{Docs: true})
		if _, err := f.Fill(tt.rows, w.Targets, w.Weights); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
