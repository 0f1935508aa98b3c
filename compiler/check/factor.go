package check

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// symbols are what factors are made of beside numbers: K micro-batches, R ranks, C ranks that
// share a row, B rows, T positions, N targets of the update, M of a rank, n of a micro-batch.
const symbols = "KRCBTNMn"

// monomial is an exact product c · Π symbol^power.
type monomial struct {
	c     *big.Rat
	power [len(symbols)]int
}

func unity() monomial { return monomial{c: big.NewRat(1, 1)} }

func symbol(s byte) monomial {
	m := unity()
	m.power[strings.IndexByte(symbols, s)] = 1
	return m
}

// times multiplies by o to the power of sign, 1 or -1.
func (m monomial) times(o monomial, sign int) monomial {
	out := monomial{c: new(big.Rat), power: m.power}
	if sign > 0 {
		out.c.Mul(m.c, o.c)
	} else {
		out.c.Quo(m.c, o.c)
	}
	for i, p := range o.power {
		out.power[i] += sign * p
	}
	return out
}

// with replaces a symbol by a product.
func (m monomial) with(s byte, by monomial) monomial {
	i := strings.IndexByte(symbols, s)
	n := m.power[i]
	m.power[i] = 0
	for ; n > 0; n-- {
		m = m.times(by, 1)
	}
	for ; n < 0; n++ {
		m = m.times(by, -1)
	}
	return m
}

func (m monomial) of(s byte) int { return m.power[strings.IndexByte(symbols, s)] }

// numbers replaces K, R, C, B and T by those of the spec.
func (m monomial) numbers(in *Input) monomial {
	w := &in.Experiment.Window
	shards := max(1, in.pipeline().data.SequenceShards)
	for i, n := range []int64{w.MicroBatches, w.Replicas, shards, w.MicroBatchSize, w.SeqLen} {
		m = m.with(symbols[i], monomial{c: new(big.Rat).SetInt64(n)})
	}
	return m
}

// value is the monomial as a number, where no symbol is left.
func (m monomial) value() (*big.Rat, bool) { return m.c, m.power == [len(symbols)]int{} }

var errFactor = errors.New("not a product of numbers and symbols")

// parseFactor reads products and quotients of numbers and symbols, such as
// "1/(K*R)". Zero is no factor.
func parseFactor(text string) (monomial, error) {
	if len(text) > 200 {
		return unity(), fmt.Errorf("a text of %d bytes is %w", len(text), errFactor)
	}
	p := factorParser{text: strings.TrimSpace(text)}
	m := p.product()
	if p.bad || p.at < len(p.text) {
		return unity(), fmt.Errorf("%q is %w", text, errFactor)
	}
	return m, nil
}

type factorParser struct {
	text string
	at   int
	bad  bool
}

func (p *factorParser) product() monomial {
	m := p.atom()
	p.space()
	for !p.bad && p.at < len(p.text) && (p.text[p.at] == '*' || p.text[p.at] == '/') {
		sign := 1
		if p.text[p.at] == '/' {
			sign = -1
		}
		p.at++
		m = m.times(p.atom(), sign)
		p.space()
	}
	return m
}

func (p *factorParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *factorParser) atom() monomial {
	p.space()
	start := p.at
	if p.at == len(p.text) {
		p.bad = true
		return unity()
	}
	switch c := p.text[p.at]; {
	case strings.IndexByte(symbols, c) >= 0:
		p.at++
		return symbol(c)
	case c == '(':
		p.at++
		m := p.product()
		if p.at == len(p.text) || p.text[p.at] != ')' {
			p.bad = true
			return unity()
		}
		p.at++
		return m
	}
	for p.at < len(p.text) && strings.IndexByte("0123456789.", p.text[p.at]) >= 0 {
		p.at++
	}
	c, ok := new(big.Rat).SetString(p.text[start:p.at])
	if !ok || c.Sign() == 0 || p.at-start > 30 {
		p.bad = true
		return unity()
	}
	return monomial{c: c}
}

// number prints integers in full, large numbers with two digits behind the point
// and others with four significant digits.
func number(x float64) string {
	switch a := math.Abs(x); {
	case x == math.Trunc(x) && a < 1e15:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case a >= 100 && a < 1e15:
		return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

func ratNumber(r *big.Rat) string {
	f, _ := r.Float64()
	return number(f)
}

// offBy words a factor that should be 1: "8 times too large".
func offBy(f *big.Rat) string {
	if f.Cmp(big.NewRat(1, 1)) > 0 {
		return ratNumber(f) + " times too large"
	}
	return ratNumber(new(big.Rat).Inv(f)) + " times too small"
}
