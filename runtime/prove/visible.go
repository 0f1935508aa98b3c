package prove

import (
	"fmt"
	"math"
	"slices"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/data"
)

var visibleSet = Proof{
	ID: "visible", Title: "attention sees the declared set, forward and backward",
	Formula: "P_ij > 0 ⇔ lo_i ≤ j ≤ i; dV_j of a group is the sum over its query heads",
	Doc: `The plan's attention commands run alone, with queries and keys 0, so that P_ij = 1/(number of keys that i
sees). Values that are one at one key and 0 elsewhere give P column by column; upstreams that are one at one
query give dV = Pᵀ dO row by row, added over the query heads that share a key head. Both are compared with
the formula of the visible set, pair by pair: causal, window, documents, padding. Outside the set the entries
must be exactly 0. All attention commands of the plan must have the same attributes and read the same lo.
Finds a mask that is off by one, one that differs between forward and backward, and a group sum that is
missing.`,
	run: (*bench).visible,
}

// lens is a plan of one attention and its gradient.
type lens struct {
	*rewriter
	qkv, att, datt, dqkv int
	h, g, d              int // heads, key heads, width
}

func newLens(p *plan.Plan) (*lens, error) {
	l := &lens{rewriter: rewrite(p), qkv: -1, datt: -1}
	var att, back *plan.Command
	for i := range p.Sections[ir.Micro].Commands {
		c := &p.Sections[ir.Micro].Commands[i]
		switch op, _ := ir.ParseOp(c.Op); op {
		case ir.OpAttention:
			if att != nil && (*att.Attr != *c.Attr || att.Args[op.Arg("lo")] != c.Args[op.Arg("lo")]) {
				return nil, fmt.Errorf("attention of block %d has other attributes or another visible set than the first: %+v, %+v", c.Layer-1, *c.Attr, *att.Attr)
			}
			if att == nil {
				att = c
			}
		case ir.OpAttentionGrad:
			if back != nil && (*back.Attr != *c.Attr || back.Args[op.Arg("lo")] != c.Args[op.Arg("lo")]) {
				return nil, fmt.Errorf("attention.grad of block %d has other attributes or another visible set", c.Layer-1)
			}
			if back == nil {
				back = c
			}
		}
	}
	if att == nil || back == nil {
		return nil, fmt.Errorf("the plan has no attention or no gradient of it")
	}
	if lo := ir.OpAttention.Arg("lo"); att.Args[lo] != back.Args[ir.OpAttentionGrad.Arg("lo")] {
		return nil, fmt.Errorf("attention reads visible set %d, its gradient %d", att.Args[lo], back.Args[ir.OpAttentionGrad.Arg("lo")])
	}
	l.h, l.g, l.d = att.Attr.Heads, att.Attr.KVHeads, att.Attr.HeadDim
	l.qkv, l.att = l.buffer("qkv", att.Args[0]), l.buffer("att", att.Results[0])
	lse := l.buffer("lse", att.Results[1])
	l.datt, l.dqkv = l.buffer("d.att", back.Args[0]), l.buffer("d.qkv", back.Results[0])
	l.add(ir.Micro, att, []int{l.qkv, att.Args[1]}, []int{l.att, lse})
	l.add(ir.Micro, back, []int{l.datt, l.qkv, l.att, lse, back.Args[4]}, []int{l.dqkv})
	q, err := l.seal()
	l.p = q
	return l, err
}

func (b *bench) visible(v *Verdict) error {
	l, err := newLens(b.p)
	if err != nil {
		return err
	}
	return b.with(b.o.Engine, l.p, nil, func(t *trial) error {
		// The lens has no table whose rows would say what ids there are.
		t.lim = data.LimitsOf(b.p)
		t.fill = data.NewFiller(t.lim, data.Sees(b.p))
		rows := ragged(b.p, t.lim.B, t.lim.T)
		bs, _, err := t.batches(rows)
		if err != nil {
			return err
		}
		if err := bs[0].Write(&t.p.Run.Inputs, t.s.Write); err != nil {
			return err
		}
		if err := t.s.Write(t.p.Run.Inputs.Control, t.control(1, false, 0)); err != nil {
			return err
		}
		s := &sight{lens: l, t: t, v: v, limit: limitOf(l.p.Buffers[l.att].DType, 1e-5)}
		for i := range rows {
			docs := slices.Clone(rows[i].Docs)
			if t.lim.All { // without lo even padding sees what is before it
				clear(docs)
			}
			s.docs = append(s.docs, docs)
		}
		for at := 0; at < t.lim.T; at += l.d {
			if err := s.look(at); err != nil {
				return err
			}
		}
		v.number("pairs", s.pairs)
		v.number("visible", s.seen)
		v.number("heads", fmt.Sprintf("%d of %d groups", l.h, l.g))
		v.number("largest error", s.worst)
		return nil
	})
}

// sight compares P and dV with the formula.
type sight struct {
	*lens
	t           *trial
	v           *Verdict
	docs        [][]int32
	pairs, seen int
	limit       float64 // on the relative error of an entry
	worst       float64
}

// look reads the columns [at, at+d) of P, and the same rows of it backward.
func (s *sight) look(at int) error {
	T, row := s.t.lim.T, (s.h+2*s.g)*s.d
	R := s.t.lim.B * T
	qkv, datt := make([]float64, R*row), make([]float64, R*s.h*s.d)
	for r := range R {
		e := r%T - at
		if e < 0 || e >= s.d {
			continue
		}
		for g := range s.g {
			qkv[r*row+(s.h+s.g+g)*s.d+e] = 1
		}
		for h := range s.h {
			datt[(r*s.h+h)*s.d+e] = 1
		}
	}
	if err := s.t.write(s.qkv, qkv); err != nil {
		return err
	}
	if err := s.t.write(s.datt, datt); err != nil {
		return err
	}
	if err := s.t.run(ir.Micro); err != nil {
		return err
	}
	att, err := s.t.read(s.att)
	if err != nil {
		return err
	}
	dqkv, err := s.t.read(s.dqkv)
	if err != nil {
		return err
	}
	for r := range R {
		for e := range min(s.d, T-at) {
			s.entry(r, at+e, e, att, dqkv)
		}
	}
	return nil
}

// entry checks P[i, key] of every head, and dV of row r from query key.
func (s *sight) entry(r, other, e int, att, dqkv []float64) {
	T, row := s.t.lim.T, (s.h+2*s.g)*s.d
	docs, i := s.docs[r/T], r%T
	for h := range s.h {
		s.pairs++
		s.check("P", r/T, i, other, s.weight(docs, i, other), att[(r*s.h+h)*s.d+e])
	}
	for g := range s.g {
		want := s.weight(docs, other, i) * float64(s.h/s.g)
		s.check("dV", r/T, other, i, want, dqkv[r*row+(s.h+s.g+g)*s.d+e])
	}
}

// weight is 1/(keys that i sees) if it sees j.
func (s *sight) weight(docs []int32, i, j int) float64 {
	if !s.t.sees(docs, i, j) {
		return 0
	}
	n := 0
	for k := range docs {
		if s.t.sees(docs, i, k) {
			n++
		}
	}
	return 1 / float64(n)
}

// check compares one entry; outside the set it is exactly 0.
func (s *sight) check(what string, row, query, key int, want, got float64) {
	if want == 0 {
		if got != 0 {
			s.v.fail("row %d: query %d sees key %d with %s = %.6g and must not", row, query, key, what, got)
		}
		return
	}
	if what == "P" {
		s.seen++
	}
	err := math.Abs(got-want) / want
	if !(err <= s.limit) {
		s.v.fail("row %d: query %d, key %d: %s = %.6g, expected %.6g", row, query, key, what, got, want)
	}
	s.worst = max(s.worst, err)
}
