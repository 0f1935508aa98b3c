package prove

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/train"
)

var targets = Proof{
	ID: "targets", Title: "the trained positions are the declared set",
	Formula: "m_t = 1 ⇔ a trained token of the same document follows t in the row; its target is that token",
	Doc: `The training loop runs on the null engine, and what it writes is compared with the rows of the text,
position by position: sets, not counts. Every trained position t asks for the id at t+offset of its own row;
no target crosses a document unless the policy says so; every position that may be trained is; ends of
documents are targets exactly as mask.eos says; padding and the ignore index carry weight 0; the rows of the
compact embedding gradient are the window's ids; and c = s/N with N the sum of the weights that were written.
Finds a shift that is made twice or not at all, a mask that is moved once too often, lost ends, trained
padding, a wrong divisor.`,
	run: (*bench).targets,
}

// written is what the loop wrote for a window.
type written struct {
	batches []data.Batch
	c       []float64 // the factor c of each micro-batch
	seq0    []int
	rowIDs  []int32
	scale   float64
}

// record returns a spy on an engine and the windows that it sees.
func record(e exec.Engine) (*spy, *[]written) {
	var all []written
	var now written
	last := map[int]any{}
	s := &spy{Engine: e}
	s.written = func(_ *plan.Plan, buffer int, x any) {
		switch d := x.(type) {
		case []int32:
			last[buffer] = append([]int32(nil), d...)
		case []float32:
			last[buffer] = append([]float32(nil), d...)
		case []float64:
			last[buffer] = append([]float64(nil), d...)
		}
	}
	s.before = func(p *plan.Plan, _ exec.Session, sec ir.Section) error {
		in := &p.Run.Inputs
		ints := func(b int) []int32 {
			x, _ := last[b].([]int32)
			return x
		}
		ctl, _ := last[in.Control].([]float64)
		switch sec {
		case ir.Micro:
			w, _ := last[in.Weight].([]float32)
			now.batches = append(now.batches, data.Batch{IDs: ints(in.IDs), Targets: ints(in.Targets), Lo: ints(in.Lo), Row: ints(in.Row), Weight: w})
			now.c, now.seq0, now.scale = append(now.c, ctl[plan.CtlC]), append(now.seq0, int(ctl[plan.CtlSeq0])), ctl[plan.CtlScale]
		case ir.Update:
			now.rowIDs = ints(in.RowIDs)
			all = append(all, now)
			now = written{}
		}
		return nil
	}
	return s, &all
}

// mostWindows bounds the rows that are looked at.
const mostWindows = 256

func (b *bench) targets(v *Verdict) error {
	src, err := b.source(b.p, b.o.Root)
	if err != nil {
		return err
	}
	windows := min(mostWindows, (src.Rows()+total(b.p)-1)/total(b.p), b.p.Run.Rate.Updates)
	e, seen := record(null.Engine{})
	if _, err := b.train(e, b.p, train.Options{Steps: windows}); err != nil {
		return err
	}
	t := table{v: v, p: b.p}
	cursor, at := data.Cursor{}, 0
	for at < len(*seen) {
		rows, next, err := src.Window(cursor)
		if err != nil {
			return err
		}
		cursor = next
		if t.barren(rows) {
			continue
		}
		t.window(rows, &(*seen)[at])
		at++
	}
	t.done(at)
	return nil
}

// table compares what was written with rows.
type table struct {
	v *Verdict
	p *plan.Plan

	positions, trained, ends, copies, crossing int
}

func (t *table) done(windows int) {
	v := t.v
	v.number("windows", windows)
	v.number("positions", t.positions)
	v.number("trained", t.trained)
	v.number("ends of documents", t.ends)
	v.number("across documents", t.crossing)
	v.number("own id", fmt.Sprintf("%.1f %%", 100*float64(t.copies)/float64(max(1, t.trained))))
	v.number("shift by", t.p.Run.Loss.ShiftBy)
	if o := t.p.Run.Loss.Offset; o != 0 && o != 1 {
		v.fail("the targets are moved by %d positions, at most 1 is one shift", o)
	}
	if windows == 0 || t.trained == 0 {
		v.fail("nothing was trained in %d windows", windows)
	}
}

// follows is the token that position i of a row is asked for, by the policy.
func (t *table) follows(r *loss.Row, i int) (id int32, role loss.Role, doc int32, ok bool) {
	at := i + t.p.Run.Loss.Offset
	switch {
	case at < len(r.IDs):
		return r.IDs[at], r.Roles[at], r.Docs[at], r.Docs[at] >= 0
	case t.p.Run.Loss.ShiftBy == "data" && at == len(r.IDs) && r.Next >= 0:
		return r.Next, r.NextRole, r.NextDoc, true
	}
	return 0, loss.Padding, -1, false
}

// asks reports whether position i must be trained, and on which id.
func (t *table) asks(r *loss.Row, i int) (id int32, yes bool) {
	pol := &t.p.Run.Loss
	id, role, doc, ok := t.follows(r, i)
	if !ok || r.Docs[i] < 0 || doc != r.Docs[i] && !pol.CrossDocs {
		return id, false
	}
	switch role {
	case loss.Prompt:
		return id, pol.Prompt
	case loss.Response:
		return id, pol.Response
	case loss.EOS:
		before := i + pol.Offset - 1
		again := before >= 0 && before < len(r.Roles) && r.Roles[before] == loss.EOS
		return id, pol.EOS == "all" || pol.EOS == "first" && !again
	}
	return id, role == loss.Text
}

// barren reports whether the loop skips a window: nothing in it is trained.
func (t *table) barren(rows []loss.Row) bool {
	for i := range rows {
		for at := range rows[i].IDs {
			if _, yes := t.asks(&rows[i], at); yes {
				return false
			}
		}
	}
	return true
}

// window compares the rows of a window with what was written for it.
func (t *table) window(rows []loss.Row, w *written) {
	B, T := t.p.Run.Window.BatchSize, t.p.Run.Window.SeqLen
	n := 0.0
	seen := make([]bool, len(rows))
	for k := range w.batches {
		b := &w.batches[k]
		for i := range B {
			if r := w.seq0[k] + i; r < len(rows) {
				seen[r] = true
				t.row(&rows[r], b, i*T, w.rowIDs)
			}
		}
		for _, x := range b.Weight {
			n += float64(x)
		}
	}
	for r := range rows {
		if !seen[r] && !t.barren(rows[r:r+1]) {
			t.v.fail("row %d of a window has trained positions and was not run", r)
		}
	}
	if got, want := w.c, float64(float32(w.scale/whole(n, t.p))); len(got) > 0 && got[0] != want {
		t.v.fail("c is %.9g, s/N = %g/%g is %.9g", got[0], w.scale, n, want)
	}
}

// whole is N: a sum of fractions counts sequences or micro-batches.
func whole(n float64, p *plan.Plan) float64 {
	if p.Run.Loss.Normalize == "tokens" {
		return n
	}
	return float64(int(n + 0.5))
}

// row compares one row with the arrays that start at an offset.
func (t *table) row(r *loss.Row, b *data.Batch, at int, rowIDs []int32) {
	pol := &t.p.Run.Loss
	for i, id := range r.IDs {
		pos := fmt.Sprintf("position %d of a row", i)
		if r.Docs[i] >= 0 {
			t.positions++
			if b.IDs[at+i] != id {
				t.v.fail("%s: input %d was written, the text has %d", pos, b.IDs[at+i], id)
			}
			if row := int32(-1); b.Row != nil {
				if row = b.Row[at+i]; row < 0 || int(row) >= len(rowIDs) || rowIDs[row] != id {
					t.v.fail("%s: row %d of the compact gradient is not that of the input %d", pos, row, id)
				}
			}
		}
		want, asked := t.asks(r, i)
		switch on := b.Weight[at+i] != 0; {
		case on != asked && asked:
			t.v.fail("%s: id %d → %d is not trained and must be", pos, id, want)
		case on != asked:
			t.v.fail("%s: id %d is trained on %d and must not be", pos, id, b.Targets[at+i])
		case !on && int(b.Targets[at+i]) != pol.IgnoreIndex && r.Docs[i] >= 0:
			t.v.fail("%s: target %d without weight, expected the ignore index %d", pos, b.Targets[at+i], pol.IgnoreIndex)
		case on && b.Targets[at+i] != want:
			t.v.fail("%s: id %d is trained on %d, the next token is %d", pos, id, b.Targets[at+i], want)
		case on:
			t.count(r, i, want)
		}
	}
}

func (t *table) count(r *loss.Row, i int, target int32) {
	t.trained++
	_, role, doc, _ := t.follows(r, i)
	if role == loss.EOS {
		t.ends++
	}
	if doc != r.Docs[i] {
		t.crossing++
	}
	if target == r.IDs[i] {
		t.copies++
	}
}
