package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// formula evaluates products, quotients and square roots of numbers and names,
// such as 1/sqrt(headDim). A value of the spec that is a number stands for itself.
//
//	product = factor { ("*" | "/") factor }
//	factor  = number | name | "sqrt" "(" product ")" | "(" product ")"
func formula(x any, names map[string]float64) (float64, error) {
	switch v := x.(type) {
	case string:
		p := formulaParser{rest: v, names: names}
		n, err := p.product()
		if err == nil && p.next() != 0 {
			err = fmt.Errorf("%q is left over", p.rest)
		}
		return n, err
	case int:
		return float64(v), nil
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	}
	n, err := strconv.ParseFloat(fmt.Sprint(x), 64)
	if err != nil {
		return 0, fmt.Errorf("%v is not a number", x)
	}
	return n, nil
}

type formulaParser struct {
	rest  string
	names map[string]float64
}

// next is the next byte that is not a space, 0 at the end.
func (p *formulaParser) next() byte {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *formulaParser) product() (float64, error) {
	n, err := p.factor()
	for err == nil {
		op := p.next()
		if op != '*' && op != '/' {
			break
		}
		p.rest = p.rest[1:]
		var m float64
		if m, err = p.factor(); op == '*' {
			n *= m
		} else {
			n /= m
		}
	}
	return n, err
}

func (p *formulaParser) factor() (float64, error) {
	if p.next() == '(' {
		p.rest = p.rest[1:]
		n, err := p.product()
		if err == nil && p.next() != ')' {
			err = fmt.Errorf("a bracket is not closed")
		}
		p.rest = strings.TrimPrefix(p.rest, ")")
		return n, err
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	if word == "sqrt" && p.next() == '(' {
		n, err := p.factor()
		return math.Sqrt(n), err
	}
	if n, ok := p.names[word]; ok {
		return n, nil
	}
	if n, err := strconv.ParseFloat(word, 64); err == nil {
		return n, nil
	}
	if word == "" {
		return 0, fmt.Errorf("something is missing before %q", p.rest)
	}
	return 0, fmt.Errorf("%q is not a name that is known here", word)
}
