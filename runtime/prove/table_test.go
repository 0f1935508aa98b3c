package prove

import (
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
)

// TestTargetTable: mistakes that leave sums and shapes as they are must be found
// by position. The row is two documents of text that end in an end token, and
// one position of padding.
func TestTargetTable(t *testing.T) {
	row := loss.Row{IDs: []int32{5, 6, 9, 7, 8, 9, 0}, Docs: []int32{0, 0, 0, 1, 1, 1, -1}, Next: -1, NextDoc: -1,
		Roles: []loss.Role{loss.Text, loss.Text, loss.EOS, loss.Text, loss.Text, loss.EOS, loss.Padding}}
	right := data.Batch{IDs: row.IDs, Targets: []int32{6, 9, -100, 8, 9, -100, -100}, Weight: []float32{1, 1, 0, 1, 1, 0, 0}, Row: []int32{0, 1, 2, 3, 4, 2, -1}}
	rowIDs := []int32{5, 6, 9, 7, 8}
	for _, c := range []struct {
		name  string
		spoil func(b *data.Batch)
		want  string
	}{
		{"right", func(*data.Batch) {}, ""},
		{"shifted twice", func(b *data.Batch) { b.Targets = []int32{9, -100, -100, 9, -100, -100, -100} }, "trained on 9, the next token is 6"},
		{"not shifted", func(b *data.Batch) { b.Targets = []int32{5, 6, -100, 7, 8, -100, -100} }, "trained on 5, the next token is 6"},
		{"mask moved once more, the same sum", func(b *data.Batch) {
			b.Weight, b.Targets = []float32{0, 1, 1, 0, 1, 1, 0}, []int32{-100, 9, 7, -100, 9, 0, -100}
		}, "id 5 → 6 is not trained and must be"},
		{"across documents", func(b *data.Batch) { b.Weight[2], b.Targets[2] = 1, 7 }, "must not be"},
		{"an end is not trained", func(b *data.Batch) { b.Weight[4], b.Targets[4] = 0, -100 }, "8 → 9 is not trained"},
		{"padding is trained", func(b *data.Batch) { b.Weight[5], b.Targets[5] = 1, 0 }, "must not be"},
		{"a target without weight", func(b *data.Batch) { b.Targets[2] = 7 }, "ignore index"},
		{"another input", func(b *data.Batch) { b.IDs[1] = 4 }, "input 4 was written"},
		{"another row of the compact gradient", func(b *data.Batch) { b.Row[3] = 4 }, "compact gradient"},
	} {
		b := clone(&right)
		c.spoil(&b)
		v := &Verdict{Status: OK}
		p := &plan.Plan{}
		p.Run.Loss = loss.Policy{ShiftBy: "loss", Offset: 1, IgnoreIndex: -100, EOS: "first", Normalize: "tokens"}
		p.Run.Window = plan.Window{MicroBatches: 1, BatchSize: 1, SeqLen: 7}
		n := 0.0
		for _, w := range b.Weight {
			n += float64(w)
		}
		tab := table{v: v, p: p}
		tab.window([]loss.Row{row}, &written{batches: []data.Batch{b}, c: []float64{float64(float32(1 / n))}, seq0: []int{0}, rowIDs: rowIDs, scale: 1})
		got := strings.Join(v.Details, "; ")
		if (c.want == "") != (v.Status == OK) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s: %q, want %q", c.name, v.Status, got, c.want)
		}
	}
}

// TestWrongDivisor: c is s/N of the weights that were written, and a row with
// trained positions is run.
func TestWrongDivisor(t *testing.T) {
	row := loss.Row{IDs: []int32{5, 6}, Docs: []int32{0, 0}, Next: -1, NextDoc: -1, Roles: []loss.Role{loss.Text, loss.Text}}
	b := data.Batch{IDs: row.IDs, Targets: []int32{6, -100}, Weight: []float32{1, 0}}
	p := &plan.Plan{}
	p.Run.Loss = loss.Policy{ShiftBy: "loss", Offset: 1, IgnoreIndex: -100, Normalize: "tokens"}
	p.Run.Window = plan.Window{MicroBatches: 2, BatchSize: 1, SeqLen: 2}
	for _, c := range []struct {
		name string
		w    written
		want string
	}{
		{"right", written{batches: []data.Batch{b, b}, c: []float64{0.5, 0.5}, seq0: []int{0, 1}, scale: 1}, ""},
		{"mean of means", written{batches: []data.Batch{b, b}, c: []float64{1, 1}, seq0: []int{0, 1}, scale: 1}, "c is 1"},
		{"lost", written{batches: []data.Batch{b}, c: []float64{1}, seq0: []int{0}, scale: 1}, "row 1 of a window has trained positions"},
	} {
		v := &Verdict{Status: OK}
		tab := table{v: v, p: p}
		tab.window([]loss.Row{row, row}, &c.w)
		if got := strings.Join(v.Details, "; "); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSteppedTwice: an optimizer that steps a tied table once for each name.
func TestSteppedTwice(t *testing.T) {
	p := &plan.Plan{Buffers: make([]plan.Buffer, 5), Sections: make([]plan.Section, 4)}
	p.Run.Params = []plan.Param{{Name: "embed.weight", Buffer: 0, Grad: 1, State: []int{2, 3}}}
	step := plan.Command{Kind: plan.Launch, Op: "adamw", Args: []int{0, 1, 2, 3, 4}, Results: []int{0, 2, 3}}
	norm := plan.Command{Kind: plan.Launch, Op: "norm2", Args: []int{1, 4}, Results: []int{4}}
	for _, c := range []struct {
		name     string
		commands []plan.Command
		want     string
	}{
		{"right", []plan.Command{norm, step}, ""},
		{"stepped twice", []plan.Command{norm, step, step}, "stepped 2 times"},
		{"not stepped", []plan.Command{norm}, "stepped 0 times"},
		{"counted twice", []plan.Command{norm, norm, step}, "enters the norm 2 times"},
		{"moments swapped", []plan.Command{norm, {Kind: plan.Launch, Op: "adamw", Args: []int{0, 1, 3, 2, 4}}}, "not its saved moment"},
	} {
		p.Sections[1].Commands = c.commands
		v := &Verdict{Status: OK}
		v.once(p)
		if got := strings.Join(v.Details, "; "); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
