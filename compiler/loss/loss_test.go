package loss

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// row reads "10 11 |20 E .": ids, | starts a document, a prefix p or r gives
// the role, e the end of a document, . padding. next is the id after the row
// in the same notation, empty for none.
func row(t *testing.T, text, next string) Row {
	t.Helper()
	r := Row{Next: -1, NextDoc: -1}
	doc := int32(0)
	read := func(f string) (id int32, role Role, d int32) {
		if strings.HasPrefix(f, "|") {
			doc, f = doc+1, f[1:]
		}
		if f == "." {
			return 0, Padding, -1
		}
		role = Text
		switch f[0] {
		case 'p':
			role, f = Prompt, f[1:]
		case 'r':
			role, f = Response, f[1:]
		case 'e':
			role, f = EOS, f[1:]
		}
		if _, err := fmt.Sscan(f, &id); err != nil {
			t.Fatalf("%q: %v", f, err)
		}
		return id, role, doc
	}
	for _, f := range strings.Fields(text) {
		id, role, d := read(f)
		r.IDs, r.Roles, r.Docs = append(r.IDs, id), append(r.Roles, role), append(r.Docs, d)
	}
	if next != "" {
		r.Next, r.NextRole, r.NextDoc = read(next)
	}
	return r
}

// pairs lists the trained positions of a window as row.position:input→target: a
// set of positions, which a wrong mask with the right count cannot match.
func pairs(w Window, rows []Row) string {
	var out []string
	for i := range rows {
		for t, m := range w.Weights[i] {
			if m != 0 {
				out = append(out, fmt.Sprintf("%d.%d:%d→%d", i, t, rows[i].IDs[t], w.Targets[i][t]))
			}
		}
	}
	return strings.Join(out, " ")
}

func TestMakeTable(t *testing.T) {
	loss := Policy{ShiftBy: "loss", Offset: 1, IgnoreIndex: -100, Response: true, EOS: "first", Normalize: "tokens"}
	with := func(change func(*Policy)) Policy {
		p := loss
		change(&p)
		return p
	}
	byData := with(func(p *Policy) { p.ShiftBy = "data" })
	type in struct{ text, next string }
	tests := []struct {
		name   string
		policy Policy
		rows   []in
		want   string
	}{
		{"two rows, one shift, no pair across rows (B01)", loss,
			[]in{{"10 11 12 13 14 15", ""}, {"20 21 22 23 24 25", ""}},
			"0.0:10→11 0.1:11→12 0.2:12→13 0.3:13→14 0.4:14→15 1.0:20→21 1.1:21→22 1.2:22→23 1.3:23→24 1.4:24→25"},
		{"packed documents shift like padded ones (B06)", loss, []in{{"1 2 3 |11 12", ""}}, "0.0:1→2 0.1:2→3 0.3:11→12"},
		{"the same documents padded (B06)", loss, []in{{"1 2 3 . .", ""}, {"|11 12 . . .", ""}}, "0.0:1→2 0.1:2→3 1.0:11→12"},
		{"no target across documents (B07)", loss, []in{{"1 2 3 |4 5 |6 7 8 9", ""}},
			"0.0:1→2 0.1:2→3 0.3:4→5 0.5:6→7 0.6:7→8 0.7:8→9"},
		{"across documents where that is said", with(func(p *Policy) { p.CrossDocs = true }), []in{{"1 2 |3", ""}}, "0.0:1→2 0.1:2→3"},
		{"padding with the id of EOS does not hide EOS (B09)", loss, []in{{"p1 p2 r3 r4 e9 . .", ""}}, "0.1:2→3 0.2:3→4 0.3:4→9"},
		{"the mask is on targets (B12)", loss, []in{{"p1 p2 p3 r4 e9", ""}}, "0.2:3→4 0.3:4→9"},
		{"the first answer token is trained (B13)", byData, []in{{"p1 p2 p3 r4", "r5"}}, "0.2:3→4 0.3:4→5"},
		{"prompt trained too", with(func(p *Policy) { p.Prompt = true }), []in{{"p1 p2 r3", ""}}, "0.0:1→2 0.1:2→3"},
		{"prompt only", with(func(p *Policy) { p.Prompt, p.Response = true, false }), []in{{"p1 p2 r3 r4", ""}}, "0.0:1→2"},
		{"data shifts: the last position has a target", byData, []in{{"1 2 3", "4"}, {"4 5 6", ""}},
			"0.0:1→2 0.1:2→3 0.2:3→4 1.0:4→5 1.1:5→6"},
		{"data shifts: not into the next document", byData, []in{{"1 2", "|3"}}, "0.0:1→2"},
		{"loss shifts: what follows the row is not looked at", loss, []in{{"1 2", "3"}}, "0.0:1→2"},
		{"offset 0 copies", with(func(p *Policy) { p.Offset = 0 }), []in{{"1 2 .", ""}}, "0.0:1→1 0.1:2→2"},
		{"offset 0 and the first end", with(func(p *Policy) { p.Offset = 0 }), []in{{"1 e9 e9", ""}}, "0.0:1→1 0.1:9→9"},
		{"first end only", loss, []in{{"1 e9 e9", ""}}, "0.0:1→9"},
		{"all ends", with(func(p *Policy) { p.EOS = "all" }), []in{{"1 e9 e9", ""}}, "0.0:1→9 0.1:9→9"},
		{"no ends", with(func(p *Policy) { p.EOS = "none" }), []in{{"1 2 e9 e9", ""}}, "0.0:1→2"},
		{"ragged rows", loss, []in{{"1 2 3 .", ""}, {"|4 . . .", ""}, {". . . .", ""}}, "0.0:1→2 0.1:2→3"},
		{"one token trains nothing", loss, []in{{"1", ""}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rows []Row
			for _, r := range tt.rows {
				rows = append(rows, row(t, r.text, r.next))
			}
			w := tt.policy.Make(rows, 1)
			if diff := cmp.Diff(tt.want, pairs(w, rows)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			n := len(strings.Fields(tt.want))
			if w.Trained != n || w.N != float64(n) {
				t.Errorf("trained %d, N %g, want %d", w.Trained, w.N, n)
			}
			for i := range rows {
				for p, m := range w.Weights[i] {
					if (m == 0) != (w.Targets[i][p] == -100) {
						t.Errorf("position %d.%d: weight %g with target %d", i, p, m, w.Targets[i][p])
					}
				}
			}
		})
	}
}

// TestNormalize checks weights and N of a window of micro-batches of two rows
// with 3+1 and 2+0 trained tokens, and a third without any.
func TestNormalize(t *testing.T) {
	var rows []Row
	for _, s := range []string{"1 2 3 4", "5 6 . .", "1 2 3 .", "7 . . .", ". . . .", "8 . . ."} {
		rows = append(rows, row(t, s, ""))
	}
	third, fourth := float32(1)/3, float32(0.25)
	tests := []struct {
		unit    string
		n       float64
		weights [][]float32
	}{
		{"tokens", 6, [][]float32{{1, 1, 1, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, make([]float32, 4), make([]float32, 4), make([]float32, 4)}},
		{"sequences", 3, [][]float32{{third, third, third, 0}, {1, 0, 0, 0}, {0.5, 0.5, 0, 0}, make([]float32, 4), make([]float32, 4), make([]float32, 4)}},
		{"microbatch-mean", 2, [][]float32{{fourth, fourth, fourth, 0}, {fourth, 0, 0, 0}, {0.5, 0.5, 0, 0}, make([]float32, 4), make([]float32, 4), make([]float32, 4)}},
	}
	for _, tt := range tests {
		p := Policy{ShiftBy: "loss", Offset: 1, IgnoreIndex: -1, Response: true, Normalize: tt.unit}
		w := p.Make(rows, 2)
		if diff := cmp.Diff(tt.weights, w.Weights); diff != "" {
			t.Errorf("%s: weights -want +got:\n%s", tt.unit, diff)
		}
		if w.N != tt.n || w.Trained != 6 {
			t.Errorf("%s: N %g, trained %d, want %g and 6", tt.unit, w.N, w.Trained, tt.n)
		}
	}
}

// TestWeightsSumToN: the weights of a window add up to N whatever the unit, so
// that a mean is a mean.
func TestWeightsSumToN(t *testing.T) {
	var rows []Row
	for n := 1; n <= 40; n++ {
		rows = append(rows, row(t, strings.Repeat("1 ", n)+strings.Repeat(". ", 40-n), ""))
	}
	for _, unit := range []string{"tokens", "sequences", "microbatch-mean"} {
		w := Policy{ShiftBy: "loss", Offset: 1, Response: true, Normalize: unit}.Make(rows, 4)
		sum := 0.0
		for _, ws := range w.Weights {
			for _, m := range ws {
				sum += float64(m)
			}
		}
		if math.Abs(sum-w.N) > 1e-6*w.N {
			t.Errorf("%s: weights sum to %v, N is %v", unit, sum, w.N)
		}
	}
}

// TestSplitDoesNotChangeTokens: the same rows in other micro-batches have the
// same targets, weights and N.
func TestSplitDoesNotChangeTokens(t *testing.T) {
	rows := []Row{row(t, "1 2 3", ""), row(t, "4 . .", ""), row(t, "5 6 .", ""), row(t, "7 8 9", "")}
	p := Policy{ShiftBy: "loss", Offset: 1, Response: true, Normalize: "tokens"}
	want := p.Make(rows, 1)
	for _, batch := range []int{2, 3, 4} {
		if diff := cmp.Diff(want, p.Make(rows, batch)); diff != "" {
			t.Errorf("micro-batches of %d: -want +got:\n%s", batch, diff)
		}
	}
}

func TestEmptyWindow(t *testing.T) {
	w := Policy{ShiftBy: "loss", Offset: 1, Normalize: "sequences"}.Make([]Row{row(t, ". .", "")}, 1)
	if w.N != 0 || w.Trained != 0 {
		t.Errorf("N %g, trained %d, want 0", w.N, w.Trained)
	}
}
