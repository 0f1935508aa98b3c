package ir

import (
	"strconv"
	"strings"
)

// The text of a graph has one line a node; blank lines and lines that begin
// with # say nothing. Words are separated by spaces, [ ] is optional and … may
// repeat:
//
//	line    = "n" NODE  value, … = call [section phase] [layer] [after] [origin]
//	value   = "v" ID name type class [tier] [slot] [layer]
//	call    = op "(" arg, … ")" [attributes]     a leaf has no brackets
//	arg     = "v" ID | "_"                       _ is an absent optional argument
//	after   = "after" "n" NODE,…
//	tier    = "host"                             device when absent
//	slot    = "slot" N                           staging slot, from 0
//	layer   = "L" N                              a node's: -1 when absent; a value's: that of its node
//	origin  = "@" word                           "" when absent
//
// as in
//
//	n9    v9 fc f32[256,3072] activation, v10 act f32[256,3072] activation = linear.gelu(v6, v7, _) {tanh} micro forward L0 after n3,n7 @model.ffn
//
// A name or origin that is no plain word is quoted as in Go. Node numbers and
// IDs count from 0 in order, so that a line can be found by what refers to it;
// "micro storage" of a leaf is not written. The columns are fixed rather than
// fitted, so that one longer name changes one line of a golden.
const (
	callColumn = 64  // where = stands unless the results are longer
	tailColumn = 112 // where the section stands unless the call is longer
)

// Print is the text of a graph; Parse reads it back, to the last field. A graph
// that breaks invariants is printed as far as it can be, for the message about it.
func Print(g *Graph) string {
	var p printer
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if i > 0 && (n.Section != g.Nodes[i-1].Section || n.Op != OpLeaf && g.Nodes[i-1].Op == OpLeaf) {
			p.out.WriteByte('\n')
		}
		p.node(g, i)
		p.out.WriteString(strings.TrimRight(string(p.line), " "))
		p.out.WriteByte('\n')
	}
	return p.out.String()
}

// PrintNode is the line of one node, without the columns: for messages.
func PrintNode(g *Graph, i int) string {
	var p printer
	p.node(g, i)
	return strings.Join(strings.Fields(string(p.line)), " ")
}

type printer struct {
	out  strings.Builder
	line []byte
}

func (p *printer) put(s string) { p.line = append(p.line, s...) }
func (p *printer) num(s string, n int) {
	p.line = strconv.AppendInt(append(p.line, s...), int64(n), 10)
}

// pad goes to a column counted in bytes; what is already past it gets one space.
func (p *printer) pad(column int) {
	p.put(" ")
	for len(p.line) < column {
		p.put(" ")
	}
}

func (p *printer) node(g *Graph, i int) {
	n := &g.Nodes[i]
	p.line = p.line[:0]
	p.num("n", i)
	p.pad(6)
	for j, r := range n.Results {
		if j > 0 {
			p.put(", ")
		}
		p.value(g, r, n.Layer)
	}
	p.pad(callColumn)
	p.put("= ")
	p.call(n)
	p.pad(tailColumn)
	if n.Op != OpLeaf || n.Section != Micro || n.Phase != Storage {
		p.put(n.Section.String() + " " + n.Phase.String() + " ")
	}
	if n.Layer != -1 {
		p.num("L", n.Layer)
		p.put(" ")
	}
	for j, a := range n.After {
		p.num([]string{"after n", ",n"}[min(j, 1)], a)
	}
	if n.Origin != "" {
		if len(n.After) > 0 {
			p.put(" ")
		}
		p.put("@" + word(n.Origin))
	}
}

func (p *printer) value(g *Graph, id ID, layer int) {
	p.num("v", int(id))
	if id < 0 || int(id) >= len(g.Values) {
		return
	}
	v := &g.Values[id]
	p.put(" " + word(v.Name) + " " + v.Type.String() + " " + v.Class.String())
	if v.Tier != Device {
		p.put(" " + v.Tier.String())
	}
	if v.Slot != 0 {
		p.num(" slot", v.Slot-1)
	}
	if v.Layer != layer {
		p.num(" L", v.Layer)
	}
}

func (p *printer) call(n *Node) {
	p.put(n.Op.String())
	if n.Op != OpLeaf || len(n.Args) > 0 {
		p.put("(")
		for i, a := range n.Args {
			if i > 0 {
				p.put(", ")
			}
			if a == None {
				p.put("_")
			} else {
				p.num("v", int(a))
			}
		}
		p.put(")")
	}
	if a := n.Attr.String(); a != "" {
		p.put(" " + a)
	}
}

// word quotes what the parser would not read as one word.
func word(s string) string {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '"' {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
