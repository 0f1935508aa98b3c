package main

import (
	"math/rand/v2"
	"slices"

	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

// The sample that vet --data looks at: the first windows, then windows that
// start at random rows, each cut to windowRows. A text of no more rows is looked
// at as a whole.
const (
	firstWindows  = 2
	randomWindows = 6
	windowRows    = 64
)

// vetData is what the rules find in the text of an experiment. What only the
// text shows stands at data.train.
func vetData(l *spec.Loaded) diag.List {
	x := l.Experiment
	if x.Data == nil {
		return nil
	}
	src, list := openText(l)
	if list.HasErrors() {
		return list
	}
	rows, err := sampleOf(src, uint64(x.Seed))
	if err != nil {
		return append(list, diag.Diagnostic{Code: "data.short", Path: l.Name + ".data.train", Pos: l.Where("data.train"), Summary: err.Error()})
	}
	c := model.FromSpec(x)
	in := &check.Input{Experiment: x, Model: &c, Where: l.Where, Prefix: l.Name}
	known := check.Spec(in)
	at := l.Where("data.train")
	for _, d := range check.Data(in, check.Sample{Rows: rows, Batch: int(x.Window.MicroBatchSize)}) {
		if !slices.ContainsFunc(known, func(k diag.Diagnostic) bool { return same(k, d) }) {
			d.Related = append([]diag.Related{{Pos: d.Pos, Message: d.Path + " decides this"}}, d.Related...)
			d.Pos, d.End, d.Path = at, diag.Position{}, l.Name+".data.train"
		}
		list = append(list, d)
	}
	return list
}

// same reports whether two findings are one, perhaps with other numbers.
func same(a, b diag.Diagnostic) bool { return a.Code == b.Code && a.Path == b.Path }

// withSample joins findings with those that have the numbers of a sample, which
// replace the same ones without.
func withSample(l, sample diag.List) diag.List {
	l = slices.DeleteFunc(l, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(sample, func(s diag.Diagnostic) bool { return same(d, s) && d.Pos == s.Pos })
	})
	return append(l, sample...)
}

// openText opens the text of an experiment that need not be compiled.
func openText(l *spec.Loaded) (*data.Source, diag.List) {
	x := l.Experiment
	d, m, w := x.Data, &x.Mask, &x.Window
	return data.Open(data.Options{
		Data: plan.Data{Train: d.Train, Eval: d.Eval, Format: d.Format, Tokenizer: d.Tokenizer, Documents: d.Documents, Order: d.Order, EOS: d.EOS, Packing: m.Packing.Mode},
		Loss: loss.Policy{ShiftBy: m.Shift.By, Offset: int(m.Shift.Offset)}, Files: d.Train, Root: l.Dir, T: int(w.SeqLen), Vocab: int(x.Model.Vocab), Seed: x.Seed,
		Rows: int(w.MicroBatches * w.MicroBatchSize), Last: w.Last, Path: l.Name + ".data.train", Pos: l.Where("data.train")})
}

// sampleOf reads the rows to look at. The same seed reads the same rows.
func sampleOf(src *data.Source, seed uint64) (rows []loss.Row, err error) {
	if most := (firstWindows + randomWindows) * windowRows; src.Rows() <= most {
		return src.First(most), nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	next := data.Cursor{}
	for i := range firstWindows + randomWindows {
		if i >= firstWindows {
			next = data.Cursor{Row: r.IntN(src.Rows())}
		}
		var w []loss.Row
		if w, next, err = src.Window(next); err != nil {
			return nil, err
		}
		rows = append(rows, w[:min(len(w), windowRows)]...)
	}
	return rows, nil
}
