package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads what Print writes. An error begins with "line N:". Only the text
// is judged here: whether operands fit is asked of Check, so that a broken graph
// can be written down.
func Parse(text string) (*Graph, error) {
	g := &Graph{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		p := &lineParser{rest: line, g: g}
		p.skip()
		if p.rest == "" || p.rest[0] == '#' {
			continue
		}
		if err := p.node(); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return g, nil
}

// lineParser reads one line from the left.
type lineParser struct {
	rest string
	g    *Graph
}

// bare says that a value's layer is to be taken from its node.
const bare = -2

func (p *lineParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// next takes the text before any of the stop characters or a space.
func (p *lineParser) next(stops string) string {
	p.skip()
	end := strings.IndexAny(p.rest, stops+" \t\r\n")
	if end < 0 {
		end = len(p.rest)
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w
}

// peek is next without taking it.
func (p *lineParser) peek(stops string) string {
	q := lineParser{rest: p.rest}
	return q.next(stops)
}

// take removes the token when it comes next.
func (p *lineParser) take(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *lineParser) expect(token string) error {
	if !p.take(token) {
		return fmt.Errorf("found %q, expected %q", p.peek(""), token)
	}
	return nil
}

// word takes a plain or quoted word.
func (p *lineParser) word() (string, error) {
	p.skip()
	if !strings.HasPrefix(p.rest, `"`) {
		w := p.next("")
		if w == "" {
			return "", fmt.Errorf("the line ends where a name is expected")
		}
		return w, nil
	}
	q, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return "", fmt.Errorf("%s: not a quoted name", p.peek(""))
	}
	p.rest = p.rest[len(q):]
	return strconv.Unquote(q)
}

// number reads prefix and a number from a word.
func number(w, prefix string) (int, error) {
	digits, ok := strings.CutPrefix(w, prefix)
	n, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil {
		return 0, fmt.Errorf("found %q, expected %sN", w, prefix)
	}
	return int(n), nil
}

// layer reads L0, L1 …, and L-1 for outside the blocks.
func layer(w string) (int, error) {
	n, err := number(w, "L")
	if err == nil && n < -1 {
		return 0, fmt.Errorf("%s: blocks count from 0, outside them is L-1", w)
	}
	return n, err
}

func (p *lineParser) node() error {
	index := len(p.g.Nodes)
	if i, err := number(p.next("="), "n"); err != nil || i != index {
		return fmt.Errorf("the line does not begin with n%d, the number of its node", index)
	}
	n := Node{Layer: -1}
	first := len(p.g.Values)
	for !p.take("=") {
		if len(n.Results) > 0 {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		v, err := p.value()
		if err != nil {
			return err
		}
		v.Node, v.Index = index, len(n.Results)
		n.Results = append(n.Results, ID(len(p.g.Values)))
		p.g.Values = append(p.g.Values, v)
	}
	if err := p.call(&n); err != nil {
		return err
	}
	if err := p.tail(&n); err != nil {
		return err
	}
	for i := first; i < len(p.g.Values); i++ {
		if v := &p.g.Values[i]; v.Layer == bare {
			v.Layer = n.Layer
		}
	}
	p.g.Nodes = append(p.g.Nodes, n)
	return nil
}

func (p *lineParser) value() (v Value, err error) {
	want := len(p.g.Values)
	if id, err := number(p.next(",="), "v"); err != nil || id != want {
		return v, fmt.Errorf("a result is not v%d, the next ID", want)
	}
	if v.Name, err = p.word(); err != nil {
		return v, err
	}
	p.skip()
	end := strings.IndexByte(p.rest, ']') + 1
	if v.Type, err = ParseType(p.rest[:end]); err != nil {
		return v, err
	}
	p.rest = p.rest[end:]
	if v.Class, err = ParseClass(p.next(",=")); err != nil {
		return v, err
	}
	if w := p.peek(",="); w == tierNames[Host] {
		v.Tier = Host
		p.next(",=")
	}
	if w := p.peek(",="); strings.HasPrefix(w, "slot") {
		if v.Slot, err = number(p.next(",="), "slot"); err != nil {
			return v, err
		}
		v.Slot++
	}
	v.Layer = bare
	if strings.HasPrefix(p.peek(",="), "L") {
		v.Layer, err = layer(p.next(",="))
	}
	return v, err
}

func (p *lineParser) call(n *Node) (err error) {
	if n.Op, err = ParseOp(p.next("({")); err != nil {
		return err
	}
	if p.take("(") {
		for !p.take(")") {
			if len(n.Args) > 0 {
				if err := p.expect(","); err != nil {
					return err
				}
			}
			w := p.next(",)")
			if w == "_" {
				n.Args = append(n.Args, None)
				continue
			}
			id, err := number(w, "v")
			if err != nil {
				return fmt.Errorf("argument: %w or _", err)
			}
			n.Args = append(n.Args, ID(id))
		}
	} else if n.Op != OpLeaf {
		return fmt.Errorf("no ( after %s", n.Op)
	}
	if !p.take("{") {
		return nil
	}
	fields, rest, ok := strings.Cut(p.rest, "}")
	if !ok {
		return fmt.Errorf("no } after the attributes")
	}
	p.rest = rest
	n.Attr, err = parseAttr(fields)
	return err
}

func (p *lineParser) tail(n *Node) (err error) {
	w := p.peek("")
	if _, e := ParseSection(w); e == nil || n.Op != OpLeaf {
		if n.Section, err = ParseSection(p.next("")); err != nil {
			return err
		}
		if n.Phase, err = ParsePhase(p.next("")); err != nil {
			return err
		}
	}
	if strings.HasPrefix(p.peek(""), "L") {
		if n.Layer, err = layer(p.next("")); err != nil {
			return err
		}
	}
	if p.peek("") == "after" {
		p.next("")
		for _, w := range strings.Split(p.next(""), ",") {
			a, err := number(w, "n")
			if err != nil {
				return err
			}
			n.After = append(n.After, a)
		}
	}
	if p.take("@") {
		if n.Origin, err = p.word(); err != nil {
			return err
		}
	}
	if p.skip(); p.rest != "" {
		return fmt.Errorf("found %q, expected the end of the line", strings.TrimSpace(p.rest))
	}
	return nil
}
