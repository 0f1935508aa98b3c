package ir

import (
	"fmt"
	"strings"
)

// Faults are broken invariants of a graph, in node order; each names its node.
// They are bugs of the pass that made the graph, never mistakes of a user.
type Faults []string

// Error lists the first twenty.
func (f Faults) Error() string {
	const most = 20
	if len(f) > most {
		return strings.Join(f[:most], "\n") + fmt.Sprintf("\nand %d more", len(f)-most)
	}
	return strings.Join(f, "\n")
}

// Check returns nil or the Faults of a graph. It holds that
//
//   - IDs and node numbers are dense and in order, arguments come before their use;
//   - operands, attributes and types are what the op table infers;
//   - a leaf is storage without arguments, in no one's way: its (name, layer, tier) is its own;
//   - a result stored over an argument has its tier, class and slot, no two results
//     share storage, and what a node overwrites it does not read as another argument;
//   - once a storage is overwritten in a section, only the newest ID reads it there;
//   - what is read in another section than it was made in lives in a leaf;
//   - values of the host are touched by copies alone, and copies go where their name says;
//   - section and phase fit each other, After names earlier nodes of the same section.
//
// It does not panic on any graph that Parse can make.
func Check(g *Graph) error {
	c := &checker{g: g, leaves: map[leafKey]int{}}
	for i := range c.current {
		c.current[i] = map[ID]ID{}
	}
	made := 0
	for i := range g.Nodes {
		made = c.node(i, made)
	}
	if made != len(g.Values) {
		c.i = len(g.Nodes)
		c.fault("%d values belong to no node", len(g.Values)-made)
	}
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}

type leafKey struct {
	name  string
	layer int
	tier  Tier
}

type checker struct {
	g       *Graph
	i       int
	n       *Node
	faults  Faults
	loose   bool // an ID or link is wrong, so storage cannot be followed any more
	leaves  map[leafKey]int
	current [NumSections]map[ID]ID // storage → ID that the section wrote last
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf("n%d: ", c.i)+fmt.Sprintf(format, args...))
}

// node checks one node; made is the number of values before it.
func (c *checker) node(i, made int) int {
	c.i, c.n = i, &c.g.Nodes[i]
	n := c.n
	if n.Op >= NumOps || n.Section >= NumSections || n.Phase >= NumPhases {
		c.fault("%v in %v %v is not in the tables", n.Op, n.Section, n.Phase)
		c.loose = true
		return made + len(n.Results)
	}
	if n.Layer < -1 {
		c.fault("layer %d", n.Layer)
	}
	good := c.args(made)
	for j, id := range n.Results {
		good = c.result(j, id, ID(made+j)) && good
	}
	c.loose = c.loose || !good
	if !good {
		return made + len(n.Results)
	}
	if n.Op == OpLeaf {
		c.leaf()
		return made + len(n.Results)
	}
	c.phase()
	c.after()
	if !c.types() {
		return made + len(n.Results)
	}
	c.tiers()
	if !c.loose {
		c.reads()
		c.stores()
	}
	return made + len(n.Results)
}

// args reports whether every argument is the ID of an earlier value.
func (c *checker) args(made int) bool {
	good := true
	for _, a := range c.n.Args {
		if a != None && (a < 0 || int(a) >= made) {
			c.fault("argument v%d is not made before it is used", a)
			good = false
		}
	}
	return good
}

// result reports whether value j of the node is linked to it and has a type.
func (c *checker) result(j int, id, want ID) bool {
	if id != want || int(id) >= len(c.g.Values) {
		c.fault("result %d is v%d, want v%d", j, id, want)
		return false
	}
	v := &c.g.Values[id]
	if v.Node != c.i || v.Index != j {
		c.fault("v%d says it is result %d of n%d", id, v.Index, v.Node)
		return false
	}
	if v.Class >= NumClasses || v.Tier >= NumTiers || v.Layer < -1 || v.Slot < 0 {
		c.fault("v%d has class %v, tier %v, layer %d, slot %d", id, v.Class, v.Tier, v.Layer, v.Slot-1)
		return false
	}
	if v.Slot > 0 && v.Tier != Device {
		c.fault("v%d is in a staging slot, which is on the device, and on the %v", id, v.Tier)
	}
	if !v.Type.sane() {
		c.fault("v%d has no storable type: %v", id, v.Type)
		return false
	}
	return true
}

func (c *checker) leaf() {
	n := c.n
	if len(n.Args) > 0 || len(n.After) > 0 || len(n.Results) != 1 || n.Attr != (Attr{}) || n.Phase != Storage {
		c.fault("a leaf has one result, phase storage and nothing else")
		return
	}
	v := &c.g.Values[n.Results[0]]
	key := leafKey{v.Name, v.Layer, v.Tier}
	if first, ok := c.leaves[key]; ok {
		c.fault("leaf %s of layer %d on the %v exists already as n%d", v.Name, v.Layer, v.Tier, first)
		return
	}
	c.leaves[key] = c.i
}

// phases says in which sections a phase may occur.
var phases = [NumPhases][NumSections]bool{
	Forward:   {Micro: true, Eval: true, Logits: true},
	Backward:  {Micro: true},
	Recompute: {Micro: true},
	Transfer:  {Micro: true, Update: true, Eval: true, Logits: true},
	Step:      {Update: true},
}

func (c *checker) phase() {
	n := c.n
	if !phases[n.Phase][n.Section] {
		c.fault("phase %v does not occur in section %v", n.Phase, n.Section)
	}
	if n.Op.Copies() != (n.Phase == Transfer) {
		c.fault("%v has phase %v", n.Op, n.Phase)
	}
}

func (c *checker) after() {
	for _, a := range c.n.After {
		switch {
		case a < 0 || a >= c.i:
			c.fault("after n%d, which is not earlier", a)
		case c.g.Nodes[a].Op == OpLeaf || c.g.Nodes[a].Section != c.n.Section:
			c.fault("after n%d, which does not run in section %v", a, c.n.Section)
		}
	}
}

// types reports whether arguments, attributes and result types are as inferred.
func (c *checker) types() bool {
	n := c.n
	ts, err := n.Op.Infer(n.Attr, c.g.ArgTypes(n))
	if err != nil {
		c.fault("%v: %v", n.Op, err)
		return false
	}
	if len(ts) != len(n.Results) {
		c.fault("%v has %d results, want %d", n.Op, len(n.Results), len(ts))
		return false
	}
	good := true
	for j, t := range ts {
		if got := c.g.Values[n.Results[j]].Type; !got.Equal(t) {
			c.fault("v%d %s is %v, want %v", n.Results[j], n.Op.Info().Results[j].Name, got, t)
			good = false
		}
	}
	return good
}

func (c *checker) tiers() {
	n := c.n
	args, results := Device, Device
	switch n.Op {
	case OpCopyOut:
		results = Host
	case OpCopyIn:
		args = Host
	}
	for k, a := range n.Args {
		want := args
		if n.Op.Info().Args[k].Name == "host" {
			want = Host
		}
		if a != None && c.g.Values[a].Tier != want {
			c.fault("%v reads v%d on the %v, want the %v", n.Op, a, c.g.Values[a].Tier, want)
		}
	}
	for _, r := range n.Results {
		if c.g.Values[r].Tier != results {
			c.fault("%v puts v%d on the %v, want the %v", n.Op, r, c.g.Values[r].Tier, results)
		}
	}
}

// reads checks that each argument is the newest ID of its storage.
func (c *checker) reads() {
	for _, a := range c.n.Args {
		if a == None {
			continue
		}
		s := c.g.Storage(a)
		if now, ok := c.current[c.n.Section][s]; ok && now != a {
			c.fault("v%d was overwritten by v%d in this section", a, now)
		}
		maker := &c.g.Nodes[c.g.Values[a].Node]
		if maker.Op != OpLeaf && maker.Section != c.n.Section && c.g.Nodes[c.g.Values[s].Node].Op != OpLeaf {
			c.fault("v%d was made in section %v and does not outlive it", a, maker.Section)
		}
	}
}

// stores checks the results that overwrite arguments and records them.
func (c *checker) stores() {
	n := c.n
	for j, r := range n.Results {
		k := n.Op.Over(j)
		if k < 0 {
			continue
		}
		v, under := &c.g.Values[r], &c.g.Values[n.Args[k]]
		if v.Tier != under.Tier || v.Class != under.Class || v.Slot != under.Slot {
			c.fault("v%d (%v %v slot %d) is stored over v%d (%v %v slot %d)", r, v.Class, v.Tier, v.Slot-1,
				n.Args[k], under.Class, under.Tier, under.Slot-1)
		}
		s := c.g.Storage(n.Args[k])
		for m, a := range n.Args {
			if m != k && a != None && c.g.Storage(a) == s {
				c.fault("v%d overwrites the storage of %s, which is also %s", r, n.Op.Info().Args[k].Name, n.Op.Info().Args[m].Name)
			}
		}
		c.current[n.Section][s] = r
	}
}
