package visible

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLo(t *testing.T) {
	tests := []struct {
		name   string
		policy Policy
		docs   []int32
		want   []int32
		counts []int
	}{
		{"causal", Policy{}, []int32{0, 0, 0, 0}, []int32{0, 0, 0, 0}, []int{1, 2, 3, 4}},
		{"causal across documents", Policy{}, []int32{0, 0, 1, 1}, []int32{0, 0, 0, 0}, []int{1, 2, 3, 4}},
		{"window of two keys", Policy{Window: 2}, []int32{0, 0, 0, 0}, []int32{0, 0, 1, 2}, []int{1, 2, 2, 2}},
		{"window of one key", Policy{Window: 1}, []int32{0, 0, 0}, []int32{0, 1, 2}, []int{1, 1, 1}},
		{"window longer than the row", Policy{Window: 9}, []int32{0, 0, 0}, []int32{0, 0, 0}, []int{1, 2, 3}},
		{"documents", Policy{Docs: true}, []int32{3, 3, 4, 4, 4, 7}, []int32{0, 0, 2, 2, 2, 5}, []int{1, 2, 1, 2, 3, 1}},
		{"documents and window", Policy{Docs: true, Window: 2}, []int32{0, 0, 0, 1, 1, 1}, []int32{0, 0, 1, 3, 3, 4}, []int{1, 2, 2, 1, 2, 2}},
		{"padding sees nothing", Policy{}, []int32{0, 0, -1, -1}, []int32{0, 0, 3, 4}, []int{1, 2, 0, 0}},
		{"left padding is not seen", Policy{}, []int32{-1, -1, 5, 5}, []int32{1, 2, 2, 2}, []int{0, 0, 1, 2}},
		{"an empty row", Policy{Docs: true, Window: 1}, []int32{-1, -1}, []int32{1, 2}, []int{0, 0}},
	}
	for _, tt := range tests {
		lo := make([]int32, len(tt.docs))
		tt.policy.Lo(lo, tt.docs)
		if diff := cmp.Diff(tt.want, lo); diff != "" {
			t.Errorf("%s: lo -want +got:\n%s", tt.name, diff)
		}
		counts := make([]int, len(lo))
		for i := range lo {
			counts[i] = Count(lo, i)
		}
		if diff := cmp.Diff(tt.counts, counts); diff != "" {
			t.Errorf("%s: counts -want +got:\n%s", tt.name, diff)
		}
	}
}

// TestLoIsTheFormula compares lo with the definition, pair by pair: i sees j
// when j ≤ i, both are tokens, j is in the window and, where asked, in i's document.
func TestLoIsTheFormula(t *testing.T) {
	docs := []int32{0, 0, 0, 1, 2, 2, 2, 2, 2, 3, -1, -1}
	for _, p := range []Policy{{}, {Window: 1}, {Window: 3}, {Docs: true}, {Docs: true, Window: 3}} {
		lo := make([]int32, len(docs))
		p.Lo(lo, docs)
		for i := range docs {
			for j := range docs {
				want := j <= i && docs[i] >= 0 && docs[j] >= 0 && (p.Window == 0 || i-j < p.Window) && (!p.Docs || docs[i] == docs[j])
				if got := j <= i && j >= int(lo[i]); got != want {
					t.Errorf("%+v: query %d, key %d: visible %v, want %v", p, i, j, got, want)
				}
			}
		}
	}
}
