package prove

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
	"github.com/gradcue/gradcue/runtime/state"
	"github.com/gradcue/gradcue/runtime/train"
)

var resume = Proof{
	ID: "resume", Title: "a run that was cut is the run that was not",
	Formula: "n + m updates = n, save, load, m: losses, θ and moments to the bit, for every n",
	Doc: `The first rows of the text become a text of their own, once so short that an epoch ends exactly between
two updates, once so that it ends inside a window. Four updates are made at once, and with a cut after 1, 2
and 3 of them, each half a run of its own on the same folder. Losses, the parameter hash and the file of
parameters and moments must be the same. Finds state that is not saved, a cursor that loses or repeats rows,
an order of the data that depends on where a run started, a schedule that starts again.`,
	run: (*bench).resume,
}

const resumeUpdates = 4

func (b *bench) resume(v *Verdict) error {
	W := total(b.p)
	updates := min(resumeUpdates, b.p.Run.Rate.Updates)
	cuts := 0
	for _, c := range []struct {
		name string
		rows int
	}{{"border", 2 * W}, {"inside", 2*W + max(1, W/2)}} {
		file := "text-" + c.name + ".txt"
		if err := b.excerpt(file, c.rows); err != nil {
			return err
		}
		p, err := b.plan(Variant{Train: []string{file}})
		if err != nil {
			return err
		}
		epoch, err := b.epoch(p)
		if err != nil {
			return err
		}
		want, sum, err := b.pieces(p, c.name, updates)
		if err != nil {
			return err
		}
		for n := 1; n < updates; n++ {
			got, s, err := b.pieces(p, fmt.Sprintf("%s-%d", c.name, n), n, updates-n)
			if err != nil {
				return fmt.Errorf("cut after update %d: %w", n, err)
			}
			cuts++
			v.resumed(fmt.Sprintf("epoch of %d rows, cut after update %d", epoch, n), &want, &got, sum, s)
		}
		v.number("epoch", fmt.Sprintf("%.4g windows", float64(epoch)/float64(W)))
	}
	v.number("updates", updates)
	v.number("cuts", cuts)
	if cuts == 0 {
		return v.without("the schedule has one update: there is nothing to cut")
	}
	return nil
}

// resumed compares a run in pieces with the whole one.
func (v *Verdict) resumed(what string, want, got *train.Result, sum, s string) {
	for i, l := range want.Losses {
		if i >= len(got.Losses) || math.Float64bits(got.Losses[i]) != math.Float64bits(l) {
			v.fail("%s: losses %v, the whole run has %v", what, got.Losses, want.Losses)
			break
		}
	}
	if want.ParamHash != got.ParamHash {
		v.fail("%s: parameters %.12s, the whole run has %.12s", what, got.ParamHash, want.ParamHash)
	}
	if sum != s {
		v.fail("%s: the saved tensors are %.12s, of the whole run %.12s", what, s, sum)
	}
}

// pieces makes calls of the loop on one folder; the result has the losses of
// all of them, and the hash of the saved tensors.
func (b *bench) pieces(p *plan.Plan, name string, steps ...int) (res train.Result, sum string, err error) {
	dir := filepath.Join(b.o.Dir, "run-"+name)
	var losses []float64
	for _, n := range steps {
		if res, err = b.train(b.o.Engine, p, train.Options{Dir: dir, Root: b.o.Dir, Steps: n}); err != nil {
			return res, "", err
		}
		losses = append(losses, res.Losses...)
	}
	res.Losses = losses
	s, _, list := state.Load(dir, p.Hashes.Identity)
	if err := train.Findings(list); err != nil {
		return res, "", err
	}
	if s == nil {
		return res, "", fmt.Errorf("%s has no saved state", dir)
	}
	sum = s.Tensors.SHA256
	return res, sum, s.Close()
}

// excerpt writes the text of the first rows of an epoch.
func (b *bench) excerpt(file string, rows int) error {
	src, err := b.source(b.p, b.o.Root)
	if err != nil {
		return err
	}
	var text []byte
	for _, r := range src.First(rows) {
		for i, id := range r.IDs {
			if r.Docs[i] >= 0 && r.Roles[i] != loss.EOS {
				text = src.Tokenizer().Decode(text, id)
			}
		}
	}
	return os.WriteFile(filepath.Join(b.o.Dir, file), text, 0o644)
}

func (b *bench) source(p *plan.Plan, root string) (*data.Source, error) {
	r := &p.Run
	src, list := data.Open(data.Options{Data: r.Data, Files: r.Data.Train, Root: root, Loss: r.Loss, T: r.Window.SeqLen, Vocab: data.LimitsOf(p).Vocab,
		Seed: r.Seed, Rows: total(p), Last: r.Window.Last})
	return src, train.Findings(list)
}

// epoch is the number of rows of a text in the folder of the proofs.
func (b *bench) epoch(p *plan.Plan) (int, error) {
	src, err := b.source(p, b.o.Dir)
	if err != nil {
		return 0, err
	}
	return src.Rows(), nil
}
