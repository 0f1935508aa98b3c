package ir

// Rewriter builds a new graph from an old one, node by node, and remembers
// where every old result went.
type Rewriter struct {
	Old, New *Graph
	IDs      []ID  // old result → new result, None while not there
	Nodes    []int // old node → new node, -1 while not there
}

// NewRewriter starts an empty new graph.
func NewRewriter(old *Graph) *Rewriter {
	r := &Rewriter{Old: old, New: &Graph{Nodes: make([]Node, 0, len(old.Nodes)*3/2), Values: make([]Value, 0, len(old.Values)*3/2)}, IDs: make([]ID, len(old.Values)), Nodes: make([]int, len(old.Nodes))}
	for i := range r.IDs {
		r.IDs[i] = None
	}
	for i := range r.Nodes {
		r.Nodes[i] = -1
	}
	return r
}

// Map is the new name of an old result; None stays None.
func (r *Rewriter) Map(id ID) ID {
	if id == None {
		return None
	}
	return r.IDs[id]
}

// Args maps the arguments of an old node.
func (r *Rewriter) Args(n *Node) []ID {
	args := make([]ID, len(n.Args))
	for i, a := range n.Args {
		args[i] = r.Map(a)
	}
	return args
}

// Copy appends old node i unchanged but for its new arguments.
func (r *Rewriter) Copy(i int) []ID { return r.CopyWith(i, r.Args(&r.Old.Nodes[i])) }

// CopyWith appends old node i with the given new arguments.
func (r *Rewriter) CopyWith(i int, args []ID) []ID {
	n := r.Old.Nodes[i]
	old := n.Results
	n.Args = args
	n.Results = append([]ID(nil), old...)
	n.After = nil
	for _, a := range r.Old.Nodes[i].After {
		n.After = append(n.After, r.Nodes[a])
	}
	r.Nodes[i] = len(r.New.Nodes)
	for k, o := range old {
		v := r.Old.Values[o]
		v.Node, v.Index = r.Nodes[i], k
		n.Results[k] = ID(len(r.New.Values))
		r.New.Values = append(r.New.Values, v)
		r.IDs[o] = n.Results[k]
	}
	r.New.Nodes = append(r.New.Nodes, n)
	return n.Results
}

// ResultInfo is what Add needs to know to make results like those of an old node.
func (r *Rewriter) ResultInfo(n *Node) []Result {
	rs := make([]Result, len(n.Results))
	for i, id := range n.Results {
		v := &r.Old.Values[id]
		rs[i] = Result{Name: v.Name, Layer: v.Layer, Class: v.Class, Tier: v.Tier, Slot: v.Slot}
	}
	return rs
}
