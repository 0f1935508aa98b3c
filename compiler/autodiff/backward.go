package autodiff

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
)

// Options are what the sweep cannot read off the graph.
type Options struct {
	Control     ir.ID
	Params      []ir.ID // in canonical order
	CompactRows int     // rows of the compact embedding gradient: min(V, K·B·T)
	Row         ir.ID   // input that maps positions to compact rows, ir.None to create it when needed
}

// Result is the graph with its backward pass.
type Result struct {
	Graph     *ir.Graph
	TokenLoss ir.ID   // f32[R]
	GradLeaf  []ir.ID // storage of each parameter's gradient, in the order of Params
	Grads     []ir.ID // its value after one micro-batch; equal to the leaf where nothing reaches it
	Row       ir.ID   // i32[R] input, ir.None without a shared table
	Compact   ir.ID   // storage of the compact gradient, ir.None without a shared table
	Table     int     // index in Params of the shared table
}

// Backward returns a new graph: that of g up to its loss, whose node must be the
// last and a head.loss, then the loss with its gradient and the sweep.
func Backward(g *ir.Graph, o Options) (*Result, error) {
	last := len(g.Nodes) - 1
	if last < 0 || g.Nodes[last].Op != ir.OpHeadLoss {
		return nil, fmt.Errorf("the last node is not the loss")
	}
	s := &sweep{g: g.Prefix(last), o: o, terms: make([]ir.ID, len(g.Values)), grad: map[ir.ID]int{}, uses: useCounts(g)}
	for i := range s.terms {
		s.terms[i] = ir.None
	}
	s.res = &Result{Graph: s.g, Row: ir.None, Compact: ir.None, Table: -1}
	for i, p := range o.Params {
		v := s.g.Values[p]
		leaf := s.g.Leaf(v.Name+".grad", v.Layer, ir.Gradient, ir.Device, ir.Of(ir.F32, v.Type.Shape...), s.g.Nodes[v.Node].Origin)
		s.res.GradLeaf = append(s.res.GradLeaf, leaf)
		s.res.Grads = append(s.res.Grads, leaf)
		s.grad[p] = i
	}
	s.loss(&g.Nodes[last])
	for i := last - 1; i >= 0; i-- {
		n := &g.Nodes[i]
		if n.Op == ir.OpLeaf || n.Section != ir.Micro || !s.reached(n) {
			continue
		}
		rule := Rules[n.Op]
		if rule.VJP == nil {
			return nil, fmt.Errorf("%s has no gradient: %s", n.Op, rule.None)
		}
		s.n = n
		rule.VJP(s)
	}
	return s.res, nil
}

// sweep is the state of the reverse pass. IDs of the forward graph are the same
// in the new graph, since only the loss, which is last, was left out.
type sweep struct {
	g     *ir.Graph
	o     Options
	n     *ir.Node      // forward node whose VJP is being emitted
	terms []ir.ID       // by forward ID: sum of the cotangents so far
	grad  map[ir.ID]int // parameter → index in Params
	uses  []int         // by ID: how many nodes read it
	res   *Result
}

func useCounts(g *ir.Graph) []int {
	uses := make([]int, len(g.Values))
	for i := range g.Nodes {
		for _, a := range g.Nodes[i].Args {
			if a != ir.None {
				uses[a]++
			}
		}
	}
	return uses
}

func (s *sweep) reached(n *ir.Node) bool {
	for _, r := range n.Results {
		if s.terms[r] != ir.None {
			return true
		}
	}
	return false
}

// arg and result name operands of the forward node.
func (s *sweep) arg(name string) ir.ID    { return s.n.Args[s.n.Op.Arg(name)] }
func (s *sweep) result(name string) ir.ID { return s.n.Results[s.n.Op.Result(name)] }

// cot is the upstream gradient of a result.
func (s *sweep) cot(result string) ir.ID { return s.terms[s.result(result)] }

// send adds a term to the gradient of an argument; the second term is summed at
// once, in the order in which terms arise.
func (s *sweep) send(arg string, term ir.ID) {
	x := s.arg(arg)
	if s.terms[x] == ir.None {
		s.terms[x] = term
		return
	}
	v := &s.g.Values[x]
	s.terms[x] = s.emit(ir.OpAdd, ir.Attr{}, []ir.ID{s.terms[x], term}, ir.Result{Name: "d." + v.Name, Layer: v.Layer, Class: ir.Transient})[0]
}

// d names the gradient of an argument.
func (s *sweep) d(arg string) ir.Result {
	v := &s.g.Values[s.arg(arg)]
	return ir.Result{Name: "d." + v.Name, Layer: v.Layer, Class: ir.Transient}
}

// gradOf is the chain so far of the gradient of a parameter argument, with the
// result that continues it.
func (s *sweep) gradOf(arg string) (ir.ID, ir.Result) {
	i := s.param(arg)
	v := &s.g.Values[s.res.GradLeaf[i]]
	return s.res.Grads[i], ir.Result{Name: v.Name, Layer: v.Layer, Class: ir.Gradient}
}

// continued records the new end of a parameter's chain.
func (s *sweep) continued(arg string, id ir.ID) { s.res.Grads[s.param(arg)] = id }

// param is the index in Params of a parameter argument. It panics where a
// weight is none of them: its gradient would go into another one's.
func (s *sweep) param(arg string) int {
	i, ok := s.grad[s.arg(arg)]
	if !ok {
		panic(fmt.Sprintf("autodiff: %s of %s, %s, is not a parameter", arg, s.n.Op, s.g.Values[s.arg(arg)].Name))
	}
	return i
}

func (s *sweep) emit(op ir.Op, a ir.Attr, args []ir.ID, results ...ir.Result) []ir.ID {
	return s.g.Add(ir.Node{Op: op, Args: args, Attr: a, Section: ir.Micro, Phase: ir.Backward, Layer: s.n.Layer, Origin: s.n.Origin}, results...)
}

// loss replaces the loss node by the fused loss with gradient.
func (s *sweep) loss(n *ir.Node) {
	s.n = n
	gw, gwOut := s.gradOf("w")
	rs := s.emit(ir.OpHeadLossGrad, ir.Attr{}, []ir.ID{s.arg("x"), s.arg("w"), s.arg("targets"), s.arg("weight"), s.o.Control, gw},
		ir.Result{Name: "loss", Layer: -1, Class: ir.Input}, s.d("x"), gwOut)
	s.res.TokenLoss = rs[0]
	s.send("x", rs[1])
	s.continued("w", rs[2])
}
