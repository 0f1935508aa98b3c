package ir

import "fmt"

// ID names one result of one node. IDs are dense: side tables are slices.
type ID int32

// None stands for an absent optional argument.
const None ID = -1

// Section is a part of the timeline. Micro runs once per micro-batch that has a
// trained position, Update once per window, Eval once per held-out micro-batch.
type Section uint8

// The sections in the order in which a plan lists them.
const (
	Micro Section = iota
	Update
	Eval
	Logits
	NumSections
)

var sectionNames = [...]string{Micro: "micro", Update: "update", Eval: "eval", Logits: "logits"}

func (s Section) String() string { return nameOf(sectionNames[:], s, "section") }

// Phase says which part of the mathematics a node belongs to.
type Phase uint8

// The phases.
const (
	Storage Phase = iota // a leaf: parameters, gradients, inputs
	Forward
	Backward
	Recompute
	Transfer
	Step // the effective update
	NumPhases
)

var phaseNames = [...]string{"storage", "forward", "backward", "recompute", "transfer", "step"}

func (p Phase) String() string { return nameOf(phaseNames[:], p, "phase") }

// Tier is where a value is stored.
type Tier uint8

// The tiers. The CPU engine treats its first arena as the device.
const (
	Device Tier = iota
	Host
	NumTiers
)

var tierNames = [...]string{"device", "host"}

func (t Tier) String() string { return nameOf(tierNames[:], t, "tier") }

// Class is the row of the memory ledger that a value counts in.
type Class uint8

// The classes. Transient holds the gradients of activations and everything
// else that lives inside backward; Workspace is scratch of one command and the
// only class that depends on target and workers.
const (
	Parameter Class = iota
	Gradient
	Optimizer
	Master
	Activation
	Transient
	Workspace
	Staging
	Input
	NumClasses
)

var classNames = [...]string{"parameter", "gradient", "optimizer", "master", "activation", "transient", "workspace", "staging", "input"}

func (c Class) String() string { return nameOf(classNames[:], c, "class") }

// ParseClass is the inverse of Class.String.
func ParseClass(s string) (Class, error) { return parseName[Class](classNames[:], s, "class") }

// ParseTier is the inverse of Tier.String.
func ParseTier(s string) (Tier, error) { return parseName[Tier](tierNames[:], s, "tier") }

// ParsePhase is the inverse of Phase.String.
func ParsePhase(s string) (Phase, error) { return parseName[Phase](phaseNames[:], s, "phase") }

// ParseSection is the inverse of Section.String.
func ParseSection(s string) (Section, error) {
	return parseName[Section](sectionNames[:], s, "section")
}

// nameOf also names what is no value of T: a broken graph must be printable.
func nameOf[T ~uint8](names []string, v T, what string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", what, v)
}

func parseName[T ~uint8](names []string, s, what string) (T, error) {
	for i, n := range names {
		if n == s {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q", what, s)
}

// Value is one result of a node.
type Value struct {
	Type  Type
	Name  string // local name: ln1, qkv, fc …; canonical name for a leaf
	Layer int    // block the name belongs to, -1 outside the blocks
	Class Class
	Tier  Tier
	Slot  int // staging slot + 1 when the value lives in one, 0 otherwise
	Node  int // index of its node
	Index int // which result of the node
}

// Node is one application of an op.
type Node struct {
	Op      Op
	Args    []ID
	Results []ID
	Attr    Attr
	Section Section
	Phase   Phase
	Layer   int    // block whose work this is, -1 outside the blocks
	Origin  string // spec path that caused it
	After   []int  // nodes that must have completed first, beyond the data dependencies
}

// Graph is the append-only list of nodes with their values.
type Graph struct {
	Nodes  []Node
	Values []Value
}

// Result describes a value to be made by Add.
type Result struct {
	Name  string
	Layer int
	Class Class
	Tier  Tier
	Slot  int
}

// Add appends a node; result types come from the op table. It panics when the
// arguments do not fit the op, which is a bug of the pass that calls it.
func (g *Graph) Add(n Node, results ...Result) []ID {
	info := n.Op.Info()
	types, err := g.infer(n)
	if err != nil {
		panic(fmt.Sprintf("ir: %s: %v", info.Name, err))
	}
	if len(results) != len(types) {
		panic(fmt.Sprintf("ir: %s has %d results, %d named", info.Name, len(types), len(results)))
	}
	idx := len(g.Nodes)
	n.Results = make([]ID, len(types))
	for i, r := range results {
		n.Results[i] = ID(len(g.Values))
		g.Values = append(g.Values, Value{Type: types[i], Name: r.Name, Layer: r.Layer, Class: r.Class,
			Tier: r.Tier, Slot: r.Slot, Node: idx, Index: i})
	}
	g.Nodes = append(g.Nodes, n)
	return n.Results
}

// Leaf appends storage that outlives the sections: a parameter, its gradient, a
// moment, an input.
func (g *Graph) Leaf(name string, layer int, class Class, tier Tier, t Type, origin string) ID {
	idx := len(g.Nodes)
	id := ID(len(g.Values))
	g.Values = append(g.Values, Value{Type: t, Name: name, Layer: layer, Class: class, Tier: tier, Node: idx})
	g.Nodes = append(g.Nodes, Node{Op: OpLeaf, Results: []ID{id}, Phase: Storage, Layer: layer, Origin: origin})
	return id
}

// Prefix is a new graph with the first n nodes of g and room for as many again.
// IDs stay what they are.
func (g *Graph) Prefix(n int) *Graph {
	values := 0
	for i := range g.Nodes[:n] {
		values += len(g.Nodes[i].Results)
	}
	return &Graph{Nodes: append(make([]Node, 0, 2*n), g.Nodes[:n]...), Values: append(make([]Value, 0, 2*values), g.Values[:values]...)}
}

// ArgTypes are the types of a node's arguments; an absent one is the zero Type.
func (g *Graph) ArgTypes(n *Node) []Type {
	ts := make([]Type, len(n.Args))
	for i, a := range n.Args {
		if a != None {
			ts[i] = g.Values[a].Type
		}
	}
	return ts
}

// ResultTypes are the types of a node's results.
func (g *Graph) ResultTypes(n *Node) []Type {
	ts := make([]Type, len(n.Results))
	for i, r := range n.Results {
		ts[i] = g.Values[r].Type
	}
	return ts
}

func (g *Graph) infer(n Node) ([]Type, error) {
	for _, a := range n.Args {
		if a != None && (a < 0 || int(a) >= len(g.Values)) {
			return nil, fmt.Errorf("argument v%d does not exist", a)
		}
	}
	return n.Op.Infer(n.Attr, g.ArgTypes(&n))
}

// Storage is the value whose memory id lives in: id itself, or the argument
// that its result is declared to be stored over, followed to the end.
func (g *Graph) Storage(id ID) ID {
	for {
		v := &g.Values[id]
		n := &g.Nodes[v.Node]
		over := n.Op.Over(v.Index)
		if over < 0 || over >= len(n.Args) || n.Args[over] == None {
			return id
		}
		id = n.Args[over]
	}
}

// Storages is Storage of every value, found in one walk.
func (g *Graph) Storages() []ID {
	roots := make([]ID, len(g.Values))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for k, r := range n.Results {
			roots[r] = r
			if over := n.Op.Over(k); over >= 0 && over < len(n.Args) && n.Args[over] != None {
				roots[r] = roots[n.Args[over]]
			}
		}
	}
	return roots
}
