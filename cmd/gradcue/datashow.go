package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/visible"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/token"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
)

func newDataCmd(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "Look at what an experiment trains on",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDataShowCmd(a))
	return c
}

func newDataShowCmd(a *app) *cobra.Command {
	var f specFlags
	o := dataOptions{rows: 2}
	c := &cobra.Command{
		Use:   "show SPEC",
		Short: "Print the first rows of the first window: inputs, targets, weights, visible keys",
		Long: `show prints what the first update reads, position by position: the input, what is
asked for there, with which weight, and which keys the position sees. Positions
like their neighbours are left out of long rows unless --all is given.

Below each row stands how many targets are the input of the next position: a
text that is shifted twice, or not at all, shows there and in the table.`,
		Example: `  gradcue data show .
  gradcue data show . -n 8 --all | less -R`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.dataShow(f, o, args[0])
		},
	}
	f.add(c.Flags())
	c.Flags().IntVarP(&o.rows, "rows", "n", o.rows, "rows to print")
	c.Flags().BoolVar(&o.all, "all", false, "every position of long rows")
	return c
}

type dataOptions struct {
	rows int
	all  bool
}

func (a *app) dataShow(f specFlags, o dataOptions, arg string) error {
	l, err := a.one(f, arg)
	if err != nil {
		return err
	}
	if l.Experiment.Data == nil {
		return noData(l)
	}
	r, err := a.must(l, compiler.Options{})
	if err != nil {
		return err
	}
	src, list := openData(l, r.Plan)
	if err := a.asError(list); err != nil {
		return err
	}
	rows, _, err := src.Window(data.Cursor{})
	if err != nil {
		return &exit{codeFailed, err}
	}
	w := r.Plan.Run.Loss.Make(rows, r.Plan.Run.Window.BatchSize)
	p := newPage(a.stdout, a.outColor)
	p.title(r.Plan.Name, fmt.Sprintf("%s of %d in an epoch, %s, %s", plural(src.Rows(), "row"), r.Plan.Run.Window.SeqLen, plural(src.Documents(), "document"), plural(src.Tokens(), "token")))
	p.line("window 1", plural(len(rows), "row"), plural(w.Trained, "trained position"), "N = "+strconv.FormatFloat(w.N, 'f', -1, 64))
	v := viewer{page: p, tok: src.Tokenizer(), policy: r.Plan.Run.Loss, see: visible.Policy{Window: r.Plan.Run.Model.Window, Docs: !r.Plan.Run.Data.Cross}, all: o.all}
	for i := range rows[:max(0, min(o.rows, len(rows)))] {
		v.row(i, &rows[i], w.Targets[i], w.Weights[i])
	}
	return p.close()
}

// openData opens the text that an experiment trains on.
func openData(l *spec.Loaded, p *plan.Plan) (*data.Source, diag.List) {
	r := &p.Run
	return data.Open(data.Options{Data: r.Data, Files: r.Data.Train, Root: l.Dir, Loss: r.Loss, T: r.Window.SeqLen, Vocab: r.Model.Vocab, Seed: r.Seed,
		Rows: r.Window.MicroBatches * r.Window.BatchSize, Last: r.Window.Last, Path: l.Name + ".data.train", Pos: l.Where("data.train")})
}

// viewer prints rows.
type viewer struct {
	*page
	tok    token.Tokenizer
	policy loss.Policy
	see    visible.Policy
	all    bool
}

// row prints the positions of one row and what is to be said of all of them.
func (v *viewer) row(i int, r *loss.Row, targets []int32, weights []float32) {
	lo := make([]int32, len(r.IDs))
	v.see.Lo(lo, r.Docs)
	v.blank()
	v.title(fmt.Sprintf("row %d", i), "")
	show := v.chosen(r, targets, weights, lo)
	var rows [][]string
	skipped := 0
	for t := range r.IDs {
		if !show[t] {
			skipped++
			continue
		}
		rows = gapRow(rows, skipped)
		skipped = 0
		rows = append(rows, v.position(t, r, targets[t], weights[t], lo))
	}
	rows = gapRow(rows, skipped)
	v.table("  ", []column{{head: "pos", right: true}, {head: "id", right: true}, {head: "input", lead: true}, {head: "role"}, {head: "target", right: true}, {head: "asked for", lead: true},
		{head: "weight", right: true}, {head: "doc", right: true}, {head: "sees", right: true}, {head: "keys", right: true}}, rows)
	v.counts(r, targets, weights)
}

// textCells is the width of the columns of text.
const textCells = 9

// gapRow stands for positions that are left out.
func gapRow(rows [][]string, n int) [][]string {
	if n == 0 {
		return rows
	}
	return append(rows, []string{"…", "", pad(group(int64(n))+" more", textCells), "", "", pad("", textCells), "", "", "", ""})
}

func (v *viewer) position(t int, r *loss.Row, target int32, weight float32, lo []int32) []string {
	s, asked := plain, green
	if r.Roles[t] == loss.Padding {
		s = dim
	}
	id, want := strconv.Itoa(int(target)), v.text(target)
	if weight == 0 {
		asked, want = dim, "ignored"
	}
	keys, doc := visible.Count(lo, t), "·"
	sees := "nothing"
	if keys > 0 {
		sees = fmt.Sprintf("%d–%d", lo[t], t)
	}
	if r.Docs[t] >= 0 {
		doc = strconv.Itoa(int(r.Docs[t]))
	}
	return []string{strconv.Itoa(t), strconv.Itoa(int(r.IDs[t])), v.paint(s, pad(v.input(t, r), textCells)), r.Roles[t].String(),
		id, v.paint(asked, pad(want, textCells)), strconv.FormatFloat(float64(weight), 'g', 4, 32), doc, sees, strconv.Itoa(keys)}
}

func (v *viewer) input(t int, r *loss.Row) string {
	if r.Roles[t] == loss.Padding {
		return "padding"
	}
	return v.text(r.IDs[t])
}

// text is a token as a reader can tell it from others.
func (v *viewer) text(id int32) string {
	if end, ok := v.tok.EOS(); ok && id == end {
		return "<end>"
	}
	if string(v.tok.Decode(nil, id)) == " " {
		return "␣"
	}
	q := strconv.QuoteToASCII(string(v.tok.Decode(nil, id)))
	return strings.TrimSuffix(strings.TrimPrefix(q, `"`), `"`)
}

// chosen marks the positions to print: all of a short row; of a long one both
// ends, and what differs from its neighbour in more than its place.
func (v *viewer) chosen(r *loss.Row, targets []int32, weights []float32, lo []int32) []bool {
	const short, head, tail, near = 96, 16, 8, 2
	n := len(r.IDs)
	show := make([]bool, n)
	for t := range show {
		show[t] = v.all || n <= short || t < head || t >= n-tail
	}
	for t := 1; t < n; t++ {
		odd := r.Docs[t] != r.Docs[t-1] || r.Roles[t] != r.Roles[t-1] || (weights[t] == 0) != (weights[t-1] == 0) ||
			r.Docs[t] >= 0 && lo[t] != lo[t-1] && v.see.Window == 0 || weights[t] != 0 && t+1 < n && targets[t] != r.IDs[t+1]
		for k := max(0, t-near); odd && k < min(n, t+near); k++ {
			show[k] = true
		}
	}
	return show
}

// counts says how the targets of a row stand to its inputs.
func (v *viewer) counts(r *loss.Row, targets []int32, weights []float32) {
	trained, next, same, after := 0, 0, 0, 0
	for t, w := range weights {
		if w == 0 {
			continue
		}
		trained++
		next += equal(targets[t], r.IDs, t+1)
		same += equal(targets[t], r.IDs, t)
		after += equal(targets[t], r.IDs, t+2)
	}
	parts := []string{fmt.Sprintf("%d of %d positions", trained, len(weights))}
	if trained > 0 {
		parts = append(parts, fmt.Sprintf("the target is the next input at %d, the input itself at %d, the one after the next at %d", next, same, after))
	}
	v.line("trained", parts...)
}

func equal(target int32, ids []int32, t int) int {
	if t < len(ids) && ids[t] == target {
		return 1
	}
	return 0
}
