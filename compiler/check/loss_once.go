package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/spec/shape"
)

var lossOnce = Rule{
	ID: "loss.once", Title: "each factor of the gradient is applied once", Formula: "division · Π factors = 1/N, for each engine",
	Doc: "Between the sum of token losses and the gradient stand the loss's own division, 1/K for K micro-batches and 1/R for R ranks. If two components apply a factor the gradient is too small, if none does it is too large. AdamW hides a constant factor, but the clip limit, ε and other engines do not. The rule multiplies all factors exactly. Without pipeline.loss.over the loss is taken for a mean over the micro-batch; ranks are looked at where a factor names R.",
	Spec: func(in *Input) (fs []Finding) {
		p := in.pipeline()
		if p.loss.Factors == nil && p.loss.CountUsed && p.loss.Over != "nothing" {
			return nil
		}
		for i, x := range p.loss.Factors {
			if _, err := parseFactor(x.Is); err != nil {
				fs = append(fs, Finding{Field: fmt.Sprintf("pipeline.loss.factors.%d.is", i), Summary: err.Error(), Help: "write a factor such as 1/K"})
			}
		}
		if len(fs) > 0 {
			return fs
		}
		for _, e := range p.engines() {
			f, ok := in.scale(&p, e).value()
			if ok && f.Cmp(big.NewRat(1, 1)) == 0 {
				continue
			}
			return []Finding{in.wrongScale(&p, e, f, ok)}
		}
		return nil
	},
}

// engines are the engines to multiply factors for: those that are listed, or
// that a factor names; "" where every factor is for all.
func (p *pipe) engines() []string {
	out := slices.Clone(p.loss.Engines)
	if len(out) == 0 {
		for _, f := range p.loss.Factors {
			out = append(out, f.Engines...)
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

// factors are the factors that are done with an engine, multiplied.
func (p *pipe) factors(engine string) (product monomial, used []shape.Factor) {
	product = unity()
	for _, f := range p.loss.Factors {
		if covers(f.Engines, engine) {
			m, _ := parseFactor(f.Is)
			product = product.times(m, 1)
			used = append(used, f)
		}
	}
	return product, used
}

// over is what the loss's own division covers.
func (p *pipe) over(used []shape.Factor) string {
	switch {
	case !p.loss.CountUsed:
		return "micro-batch"
	case p.loss.Over != "":
		return p.loss.Over
	case slices.ContainsFunc(used, func(f shape.Factor) bool { return strings.ContainsAny(f.Is, "NMn") }):
		return "nothing"
	}
	return "micro-batch"
}

// division is the loss's own division. Means that are joined by weights which
// add up to 1 are a mean over the update.
func (p *pipe) division(over string) monomial {
	if w := p.loss.Weights; w != "" && w != "equal" {
		over = "update"
	}
	d := unity()
	switch over {
	case "update":
		d = d.times(symbol('N'), -1)
	case "rank":
		d = d.times(symbol('M'), -1)
	case "micro-batch":
		d = d.times(symbol('n'), -1)
	}
	return d
}

// scale is the gradient as a multiple of the right one, (1/N) Σ w ∇ℓ, where all
// micro-batches have the same number of targets: n = N/(K·R), M = N/R. Where no
// factor names R the ranks are taken to be joined right. Where every position is
// a target, N = K·R·B·T.
func (in *Input) scale(p *pipe, engine string) monomial {
	product, used := p.factors(engine)
	total := product.times(p.division(p.over(used)), 1)
	ranks := symbol('R')
	if !slices.ContainsFunc(used, func(f shape.Factor) bool { return strings.Contains(f.Is, "R") }) {
		ranks = unity()
	}
	total = total.with('n', symbol('N').times(symbol('K'), -1).times(ranks, -1)).with('M', symbol('N').times(ranks, -1))
	total = total.times(symbol('N'), 1)
	if in.everyPosition(p) {
		total = total.with('N', symbol('K').times(symbol('B'), 1).times(symbol('T'), 1).times(ranks, 1))
	}
	return total.numbers(in)
}

func (in *Input) wrongScale(p *pipe, engine string, f *big.Rat, known bool) Finding {
	_, used := p.factors(engine)
	factors := "no factor"
	if len(used) > 0 {
		factors = "factors " + listBy(used, func(f shape.Factor) string { return f.By + " " + f.Is })
	}
	over := p.over(used)
	switch over {
	case "nothing":
		factors += ", the loss is a sum"
	default:
		factors += ", the loss is a mean over the " + over
	}
	off := "off by a factor that depends on the number of targets"
	if known {
		off = offBy(f)
	}
	with := ""
	if engine != "" {
		with = " with " + engine
	}
	w := &in.Experiment.Window
	x := Finding{Field: "pipeline.loss.factors", Related: []string{"window.microBatches", "window.replicas"}, Help: "let one component apply each factor, so that the product is 1/N"}
	x.Summary = fmt.Sprintf("the gradient%s is %s: %s (K = %d, R = %d)", with, off, factors, w.MicroBatches, w.Replicas)
	if !p.loss.CountUsed {
		x.Field, x.Help = "pipeline.loss.countUsed", "divide by the count that is handed over, and test it by doubling the count"
		x.Summary = fmt.Sprintf("the gradient%s is %s: the loss takes the count of targets and does not use it, so that nobody divides by K = %d", with, off, w.MicroBatches)
	}
	if len(used) > 1 && known && p.loss.CountUsed {
		x.Field = fmt.Sprintf("pipeline.loss.factors.%d", slices.IndexFunc(p.loss.Factors, func(f shape.Factor) bool { return f.By == used[len(used)-1].By && f.Is == used[len(used)-1].Is }))
	}
	if clip := in.Experiment.Optimizer.Clip.Norm; known && clip > 0 && f.Cmp(big.NewRat(1, 1)) > 0 {
		n, _ := f.Float64()
		x.Summary += fmt.Sprintf("; a clip at %s acts like one at %s", number(clip), number(clip/n))
	}
	return x
}
