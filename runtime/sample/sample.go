package sample

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/kernels/cpu"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/state"
	"github.com/gradcue/gradcue/runtime/token"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec/diag"
)

// Options of Generate.
type Options struct {
	Plan    *plan.Plan // compiled for sampling
	Engine  exec.Engine
	Workers int
	Dir     string // run folder whose newest state is used

	Prompt      []byte // empty: the end of a document, or a line end where there is none
	N           int    // tokens at most; the end of a document ends earlier
	Temperature float64
	TopK        int // 0 = all
	Seed        int64
	Samples     int // texts, at most the plan's sequences; 0 = 1

	Out  io.Writer             // gets the first text while it is made, nil = nobody
	Warn func(diag.Diagnostic) // damaged states that were passed over
}

// Result is what was written.
type Result struct {
	Texts [][]byte // without the prompt
	U     int      // update whose parameters were used
}

// Generate continues the prompt. What a user can cause is a
// *train.ContentError or *train.WorldError.
func Generate(ctx context.Context, o Options) (res Result, err error) {
	if err := o.check(); err != nil {
		return res, err
	}
	s, damaged, list := state.Load(o.Dir, "")
	if list.HasErrors() {
		return res, train.Findings(list)
	}
	if s == nil {
		return res, mistake("sample.state", "", fmt.Sprintf("%s has no saved state", o.Dir), "train it first with gradcue run")
	}
	defer s.Close()
	for i := range damaged {
		if o.Warn != nil {
			o.Warn(list[i])
		}
	}
	g, err := open(&o)
	if err != nil {
		return res, err
	}
	defer func() {
		if closed := g.sess.Close(); err == nil {
			err = closed
		}
	}()
	if err := train.LoadParameters(g.sess, o.Plan, s.File); err != nil {
		return res, mistake("sample.state", "", fmt.Sprintf("the state in %s does not fit the model: %v", s.Dir, err), "sample with the spec that the run was made with")
	}
	res.U = s.U
	res.Texts, err = g.run(ctx)
	return res, err
}

func mistake(code, path, summary, help string) error {
	return &train.ContentError{List: diag.List{{Code: code, Path: path, Summary: summary, Help: help}}}
}

// check looks at what needs no state: the plan and the numbers.
func (o *Options) check() error {
	p := o.Plan
	if err := plan.Structure(p); err != nil {
		return mistake("plan.invalid", "", err.Error(), "compile the spec again")
	}
	in := &p.Run.Inputs
	if in.IDs < 0 || in.Last < 0 || in.Logits < 0 || len(p.Sections[ir.Logits].Commands) == 0 {
		return mistake("plan.sample", "", "the plan has no section logits: it was not compiled for sampling", "compile the spec for sampling")
	}
	switch {
	case o.N < 1:
		return mistake("sample.n", "", fmt.Sprintf("%d tokens are asked for, at least 1 is expected", o.N), "ask for more")
	case !(o.Temperature >= 0) || math.IsInf(o.Temperature, 0):
		return mistake("sample.temperature", "", fmt.Sprintf("the temperature is %v, a number from 0 is expected", o.Temperature), "use 0 for the likeliest text, about 1 for variety")
	case o.TopK < 0:
		return mistake("sample.topK", "", fmt.Sprintf("the %d likeliest tokens cannot be taken", o.TopK), "use 0 for all")
	case o.Samples < 0 || o.Samples > p.Run.Window.BatchSize:
		return mistake("sample.samples", "", fmt.Sprintf("%d texts are asked for, the plan makes at most %d at a time", o.Samples, p.Run.Window.BatchSize), "ask for fewer")
	}
	return nil
}

// generator is one call of Generate.
type generator struct {
	o      *Options
	sess   exec.Session
	tok    token.Tokenizer
	lim    data.Limits
	fill   *data.Filler
	texts  [][]int32 // prompt and what follows, by sample
	out    [][]byte
	ended  []bool
	last   []int32
	logits []float32
	choice choice
}

func open(o *Options) (*generator, error) {
	r := &o.Plan.Run
	name := r.Data.Tokenizer
	if name == "" { // a spec without data
		name = "bytes"
	}
	tok, err := token.New(name, r.Data.EOS)
	if err != nil {
		return nil, mistake("data.tokenizer", "data.tokenizer", err.Error(), "write tokenizer: \"bytes\"")
	}
	g := &generator{o: o, tok: tok, lim: data.LimitsOf(o.Plan), choice: choice{temperature: o.Temperature, topK: o.TopK}}
	if err := g.prompt(); err != nil {
		return nil, err
	}
	g.sess, err = o.Engine.Open(o.Plan, exec.Options{Workers: o.Workers})
	if err != nil {
		return nil, train.CannotOpen(err)
	}
	g.fill = data.NewFiller(g.lim, data.Sees(o.Plan))
	g.last = make([]int32, g.lim.B)
	g.logits = make([]float32, g.lim.B*o.Plan.Buffers[r.Inputs.Logits].Shape[1])
	return g, nil
}

// prompt makes the ids that all texts start with.
func (g *generator) prompt() error {
	ids := g.tok.Append(nil, g.o.Prompt)
	if len(ids) == 0 {
		if end, ok := g.tok.EOS(); ok {
			ids = append(ids, end)
		} else {
			ids = g.tok.Append(ids, []byte("\n"))
		}
	}
	for i, id := range ids {
		if int(id) >= g.lim.Vocab {
			return mistake("sample.prompt", "", fmt.Sprintf("token %d of the prompt is id %d, the vocabulary ends at %d", i, id, g.lim.Vocab-1), "leave it out of the prompt")
		}
	}
	n := max(1, g.o.Samples)
	g.texts, g.out, g.ended = make([][]int32, n), make([][]byte, n), make([]bool, n)
	for i := range g.texts {
		g.texts[i] = append([]int32(nil), ids...)
	}
	return nil
}

func (g *generator) run(ctx context.Context) ([][]byte, error) {
	for step := range g.o.N {
		if err := g.forward(ctx); err != nil {
			return g.out, err
		}
		going := false
		for i := range g.texts {
			if g.ended[i] {
				continue
			}
			if err := g.extend(i, step); err != nil {
				return g.out, err
			}
			going = going || !g.ended[i]
		}
		if !going {
			break
		}
	}
	return g.out, nil
}

// forward computes the logits that follow each text.
func (g *generator) forward(ctx context.Context) error {
	T, in := g.lim.T, &g.o.Plan.Run.Inputs
	rows, targets, weights := make([]loss.Row, len(g.texts)), make([][]int32, len(g.texts)), make([][]float32, len(g.texts))
	for i, ids := range g.texts {
		ids = ids[max(0, len(ids)-T):]
		r := loss.Row{IDs: make([]int32, T), Docs: make([]int32, T), Next: -1, NextDoc: -1}
		for t := copy(r.IDs, ids); t < T; t++ {
			r.Docs[t] = -1
		}
		rows[i], targets[i], weights[i] = r, make([]int32, T), make([]float32, T)
		g.last[i] = int32(len(ids) - 1)
	}
	b, err := g.fill.Fill(rows, targets, weights)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		name   string
		buffer int
		data   any
	}{{"ids", in.IDs, b.IDs}, {"lo", in.Lo, b.Lo}, {"positions", in.Positions, b.Positions}, {"last", in.Last, g.last}, {"control", in.Control, make([]float64, ir.ControlLen)}} {
		if x.buffer < 0 {
			continue
		}
		if err := g.sess.Write(x.buffer, x.data); err != nil {
			return fmt.Errorf("write %s: %w", x.name, err)
		}
	}
	if err := g.sess.Run(ctx, ir.Logits); err != nil {
		return err
	}
	if err := g.sess.Read(in.Logits, g.logits); err != nil {
		return fmt.Errorf("read logits: %w", err)
	}
	return nil
}

// numbers tells the random numbers of sampling from all others of a seed.
const numbers = 0x73616d70

// extend adds one token to a text.
func (g *generator) extend(i, step int) error {
	v := len(g.logits) / g.lim.B
	id, err := g.choice.pick(g.logits[i*v:(i+1)*v], cpu.Uniform(uint64(g.o.Seed), numbers+uint64(i), uint64(step)))
	if err != nil {
		return err
	}
	if end, ok := g.tok.EOS(); ok && id == end {
		g.ended[i] = true
		return nil
	}
	g.texts[i] = append(g.texts[i], id)
	before := len(g.out[i])
	g.out[i] = g.tok.Decode(g.out[i], id)
	if i == 0 && g.o.Out != nil {
		if _, err := g.o.Out.Write(g.out[0][before:]); err != nil {
			return fmt.Errorf("write text: %w", err)
		}
	}
	return nil
}
