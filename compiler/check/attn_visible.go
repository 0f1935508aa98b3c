package check

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/spec/shape"
)

var attnVisible = Rule{
	ID: "attn.visible", Title: "every attention back end sees the same keys",
	Formula: "causal: j ≤ i + o, o = 0 (top-left) or Tk − Tq (bottom-right); window: count = min(i + o + 1, W)",
	Doc:     `One formula fixes which keys query i sees: none after its own position, and of those before it the last W, its own included. A back end may have another convention: a window that does not count the query's own key, a causal triangle in another corner when there are more keys than queries, a window or a causal mask that one path leaves out. Each path listed under pipeline.attention.backends, in its pass and in its blocks, is compared with the formula row by row. In gradcue's own runtime every engine reads one set, made once (lo of a row), in forward and backward.`,
	Spec: func(in *Input) []Finding {
		return attention(in).visible()
	},
}

// attending is the described attention with its defaults.
type attending struct {
	*shape.AttentionPipeline
	in     *Input
	tq, tk int64
}

func attention(in *Input) *attending {
	a := &attending{part(in, func(p *shape.Pipeline) *shape.AttentionPipeline { return p.Attention }), in, 0, 0}
	a.tq, a.tk = a.Queries, a.Keys
	if a.tq == 0 {
		a.tq = in.Experiment.Window.SeqLen
	}
	if a.tk == 0 {
		a.tk = a.tq
	}
	return a
}

// view is what the queries of one path see.
type view struct {
	causal, bottomRight bool
	window              int64 // keys, the query's own included; noWindow for all
}

const noWindow = -1

// row is the keys that query i of tq sees of tk keys: [lo, hi], empty where hi < lo.
func (v view) row(i, tq, tk int64) (lo, hi int64) {
	self, last := i, tk-1
	if v.bottomRight {
		self += tk - tq
	}
	if v.causal {
		last = min(last, self)
	}
	if v.window == noWindow {
		return 0, last
	}
	if !v.causal {
		last = min(last, self+max(v.window, 1)-1)
	}
	return max(0, self-v.window+1), last
}

func keysIn(lo, hi int64) int64 { return max(0, hi-lo+1) }

// wanted is what the spec says for a block.
func (a *attending) wanted(layer int64) view {
	v := view{causal: a.Objective == "next-token", bottomRight: a.Alignment == "bottom-right", window: noWindow}
	if w := a.in.Experiment.Model.Attention.Window; w > 0 {
		v.window = w
	}
	for _, w := range a.Windows {
		if slices.Contains(w.Layers, layer) {
			v.window = noWindow
			if w.Size > 0 {
				v.window = w.Size
			}
		}
	}
	return v
}

// really is what a back end does in a block, given what is wanted there.
func really(b *shape.AttentionBackend, want view) view {
	v := want
	if b.Causal != nil {
		v.causal = *b.Causal
	}
	if b.Alignment != "" {
		v.bottomRight = b.Alignment == "bottom-right"
	}
	if b.Window.Size != nil {
		v.window = *b.Window.Size
	}
	switch {
	case !b.Window.Used:
		v.window = noWindow
	case b.Window.Counts == "own-extra" && v.window != noWindow:
		v.window++
	}
	return v
}

func (a *attending) visible() (fs []Finding) {
	if fs = a.outside(); len(fs) > 0 {
		return fs
	}
	if a.tq != a.tk && a.Alignment == "" && a.Objective == "next-token" && len(a.Backends) > 0 {
		return []Finding{a.unaligned()}
	}
	if fs = a.missing(); len(fs) > 0 {
		return fs
	}
	for i := range a.Backends {
		b := &a.Backends[i]
		for _, l := range a.layers(b) {
			if f, differs := a.compare(i, b, l); differs {
				fs = append(fs, f)
				break
			}
		}
	}
	return fs
}

// outside are blocks that the model does not have.
func (a *attending) outside() (fs []Finding) {
	n := a.in.Experiment.Model.Layers
	look := func(field string, layers shape.LayerList) {
		for k, l := range layers {
			if l >= n {
				fs = append(fs, Finding{Field: fmt.Sprintf("%s.%d", field, k), Related: []string{"model.layers"}, Help: "name blocks of the model",
					Summary: fmt.Sprintf("%s names block %d, but the blocks are 0..%d", field, l, n-1)})
			}
		}
	}
	for i, w := range a.Windows {
		look(fmt.Sprintf("pipeline.attention.windows.%d.layers", i), w.Layers)
	}
	for i := range a.Backends {
		look(fmt.Sprintf("pipeline.attention.backends.%d.layers", i), a.Backends[i].Layers)
	}
	return fs
}

// missing are blocks that are named and do not exist: what is said of them would
// be checked nowhere.
func (a *attending) missing() (fs []Finding) {
	add := func(list string, i int, layers shape.LayerList) {
		for k, l := range layers {
			if n := a.in.Experiment.Model.Layers; l >= n {
				fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.attention.%s.%d.layers.%d", list, i, k), Related: []string{"model.layers"}, Help: "name a block of the model",
					Summary: fmt.Sprintf("block %d is named, but the blocks are 0..%d", l, n-1)})
			}
		}
	}
	for i := range a.Windows {
		add("windows", i, a.Windows[i].Layers)
	}
	for i := range a.Backends {
		add("backends", i, a.Backends[i].Layers)
	}
	return fs
}

// layers are blocks of a back end, one for each window that is wanted among them.
func (a *attending) layers(b *shape.AttentionBackend) (some []int64) {
	seen := map[int64]bool{}
	for l := range a.in.Experiment.Model.Layers {
		if w := a.wanted(l).window; (len(b.Layers) == 0 || slices.Contains(b.Layers, l)) && !seen[w] {
			seen[w] = true
			some = append(some, l)
		}
	}
	return some
}

// unaligned is the finding that the two possible triangles differ.
func (a *attending) unaligned() Finding {
	count := func(bottom bool, i int64) int64 {
		v := view{causal: true, bottomRight: bottom, window: noWindow}
		return keysIn(v.row(i, a.tq, a.tk))
	}
	f := Finding{Field: "pipeline.attention.keys", Help: "set pipeline.attention.alignment to top-left or bottom-right; decoding after a prefix is bottom-right"}
	if a.Keys == 0 {
		f.Field = "pipeline.attention.queries"
	}
	f.Summary = fmt.Sprintf("%d queries and %d keys need an alignment: top-left lets the first and the last query see %d and %d keys, bottom-right %d and %d",
		a.tq, a.tk, count(false, 0), count(false, a.tq-1), count(true, 0), count(true, a.tq-1))
	return f
}

// compare finds the last row in which a back end sees other keys than wanted,
// and says how many pairs of query and key that makes over all rows.
func (a *attending) compare(i int, b *shape.AttentionBackend, layer int64) (Finding, bool) {
	want := a.wanted(layer)
	got := really(b, want)
	if got == want {
		return Finding{}, false
	}
	at, n, m := int64(-1), int64(0), int64(0)
	for r := range a.tq {
		glo, ghi := got.row(r, a.tq, a.tk)
		wlo, whi := want.row(r, a.tq, a.tk)
		n, m = n+keysIn(glo, ghi), m+keysIn(wlo, whi)
		if (glo != wlo || ghi != whi) && (keysIn(glo, ghi) > 0 || keysIn(wlo, whi) > 0) {
			at = r
		}
	}
	if at < 0 {
		return Finding{}, false
	}
	glo, ghi := got.row(at, a.tq, a.tk)
	wlo, whi := want.row(at, a.tq, a.tk)
	field, why, help := a.cause(i, b, got, want)
	where := ""
	if len(a.Windows) > 0 {
		where = fmt.Sprintf(" of block %d", layer)
	}
	if b.Pass != "both" {
		where += " in " + b.Pass
	}
	return Finding{
		Field: field, Help: help, Related: []string{"model.attention.window", "window.seqLen"},
		Summary: fmt.Sprintf("back end %s sees %s at row %d%s, the spec says %s: %s; over all rows %d pairs of query and key instead of %d",
			b.Name, keyRange(glo, ghi), at, where, keyRange(wlo, whi), why, n, m),
	}, true
}

func keyRange(lo, hi int64) string {
	if hi < lo {
		return "0 keys"
	}
	return fmt.Sprintf("%s (%d to %d)", plural(hi-lo+1, "key"), lo, hi)
}

// cause is the field that makes a back end differ, why, and what to do.
func (a *attending) cause(i int, b *shape.AttentionBackend, got, want view) (field, why, help string) {
	at := fmt.Sprintf("pipeline.attention.backends.%d", i)
	switch {
	case got.causal != want.causal:
		if want.causal {
			return at + ".causal", "it has no causal mask, but the objective is to predict the next token", "mask keys after the query on this path"
		}
		return at + ".causal", "it hides keys after the query, but the objective uses all", "remove its causal mask"
	case got.bottomRight != want.bottomRight && a.tq != a.tk:
		return at + ".alignment", fmt.Sprintf("its causal triangle lies %s, not %s", b.Alignment, a.Alignment), "shift its mask by keys − queries, or use a back end with the other convention"
	case !b.Window.Used:
		return at + ".window.used", fmt.Sprintf("it leaves out the window of %d keys", want.window), "pass the window on to this path, or do not use it"
	case b.Window.Counts == "own-extra":
		return at + ".window.counts", "its window does not count the query's own key", fmt.Sprintf("hand over %d instead of %d", max(want.window-1, 0), got.window-1)
	default:
		return at + ".window.size", "its window has another size", "hand over the window of the model"
	}
}
