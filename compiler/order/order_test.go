package order_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/order"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
)

// set is a set of positions in a list of commands.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// settled says for each command which commands must be done when it starts:
// those before it on its stream, and through a wait those before the record.
// A command in skip does nothing.
func settled(items []order.Item, skip int) []set {
	last := map[plan.Stream]int{}
	record := map[int]int{}
	done := make([]set, len(items))
	for i, it := range items {
		done[i] = make(set, len(items)/64+1)
		join := func(d int) {
			done[i][d/64] |= 1 << (d % 64)
			for w, bits := range done[d] {
				done[i][w] |= bits
			}
		}
		if d, ok := last[it.Stream]; ok {
			join(d)
		}
		last[it.Stream] = i
		switch it.Kind {
		case plan.Record:
			record[it.Event] = i
		case plan.Wait:
			if d, ok := record[it.Event]; ok && i != skip {
				join(d)
			}
		}
	}
	return done
}

// unsettled is the first dependency that an order does not keep, or "".
func unsettled(g *ir.Graph, items []order.Item, skip int) string {
	done := settled(items, skip)
	at := map[int]int{}
	for i, it := range items {
		if it.Node >= 0 {
			at[it.Node] = i
		}
	}
	for i, it := range items {
		if it.Node < 0 {
			continue
		}
		n := &g.Nodes[it.Node]
		needs := slices.Clone(n.After)
		for _, a := range n.Args {
			if a != ir.None && g.Nodes[g.Values[a].Node].Op != ir.OpLeaf && g.Nodes[g.Values[a].Node].Section == n.Section {
				needs = append(needs, g.Values[a].Node)
			}
		}
		for _, d := range needs {
			if k, ok := at[d]; !ok || !done[i].has(k) {
				return fmt.Sprintf("n%d (%v) does not wait for n%d (%v)", it.Node, n.Op, d, g.Nodes[d].Op)
			}
		}
	}
	return ""
}

// sound holds a section against: each node once and in graph order, on its
// stream; each event recorded once, before its waits, and waited for; every
// dependency settled, and no wait that could be left out.
func sound(t *testing.T, g *ir.Graph, sec ir.Section, items []order.Item) {
	t.Helper()
	var nodes, want []int
	recorded, waited := map[int]bool{}, map[int]bool{}
	for _, it := range items {
		switch it.Kind {
		case plan.Record:
			if recorded[it.Event] {
				t.Errorf("event %d is recorded twice", it.Event)
			}
			recorded[it.Event] = true
		case plan.Wait:
			if !recorded[it.Event] {
				t.Errorf("event %d is waited for before it is recorded", it.Event)
			}
			waited[it.Event] = true
		default:
			nodes = append(nodes, it.Node)
			n := &g.Nodes[it.Node]
			if copied := n.Phase == ir.Transfer; (it.Kind == plan.Copy) != copied || it.Stream != order.StreamOf(n.Op) {
				t.Errorf("%v is a %s on %v", n.Op, it.Kind, it.Stream)
			}
		}
	}
	for e := range recorded {
		if !waited[e] {
			t.Errorf("nobody waits for event %d", e)
		}
	}
	for i := range g.Nodes {
		if g.Nodes[i].Op != ir.OpLeaf && g.Nodes[i].Section == sec {
			want = append(want, i)
		}
	}
	if !slices.Equal(nodes, want) {
		t.Errorf("nodes %v, want %v", nodes, want)
	}
	if bad := unsettled(g, items, -1); bad != "" {
		t.Error(bad)
	}
	for i, it := range items {
		if it.Kind == plan.Wait && unsettled(g, items, i) == "" {
			t.Errorf("command %d, the wait for event %d on %v, can be left out", i, it.Event, it.Stream)
		}
	}
}

func TestExamples(t *testing.T) {
	for _, name := range []string{"quickstart", "checkpointed", "offloaded", "tiny-llama"} {
		ls, list := spec.Load(spec.Options{Dir: "../.."}, "examples/"+name)
		if list.HasErrors() {
			t.Fatal(list)
		}
		r, list, err := compiler.Compile(compiler.Source{Experiment: ls[0].Experiment}, compiler.Options{})
		if err != nil || list.HasErrors() {
			t.Fatal(err, list)
		}
		s := order.Make(r.Graph)
		for sec := range s.Sections {
			sound(t, r.Graph, ir.Section(sec), s.Sections[sec])
		}
		if t.Failed() {
			t.Fatalf("in %s", name)
		}
	}
}

// random is a graph of copies and sums with random edges.
func random(r *rand.Rand) *ir.Graph {
	g := &ir.Graph{}
	typ := ir.Of(ir.F32, 2, 2)
	device := []ir.ID{g.Leaf("x", -1, ir.Input, ir.Device, typ, "")}
	host := []ir.ID{g.Leaf("h", -1, ir.Activation, ir.Host, typ, "")}
	var nodes []int
	for i := range 4 + r.IntN(24) {
		n := ir.Node{Section: ir.Micro, Phase: ir.Transfer, Layer: -1}
		for _, d := range nodes {
			if r.IntN(8) == 0 {
				n.After = append(n.After, d)
			}
		}
		res := ir.Result{Name: "v", Layer: -1, Class: ir.Activation}
		pick := func(ids []ir.ID) ir.ID { return ids[r.IntN(len(ids))] }
		switch r.IntN(4) {
		case 0:
			n.Op, n.Args = ir.OpCopyIn, []ir.ID{pick(host)}
			device = append(device, g.Add(n, res)...)
		case 1:
			to := g.Leaf(fmt.Sprint("h", i), -1, ir.Activation, ir.Host, typ, "")
			n.Op, n.Args, res.Tier = ir.OpCopyOut, []ir.ID{pick(device), to}, ir.Host
			host = append(host, g.Add(n, res)...)
		case 2:
			n.Op, n.Args = ir.OpCopyStage, []ir.ID{pick(device)}
			device = append(device, g.Add(n, res)...)
		default:
			n.Op, n.Phase, n.Args = ir.OpAdd, ir.Forward, []ir.ID{pick(device), pick(device)}
			device = append(device, g.Add(n, res)...)
		}
		nodes = append(nodes, len(g.Nodes)-1)
	}
	return g
}

func TestRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	waits := 0
	for round := range 400 {
		g := random(r)
		if err := ir.Check(g); err != nil {
			t.Fatal(err)
		}
		items := order.Make(g).Sections[ir.Micro]
		sound(t, g, ir.Micro, items)
		if t.Failed() {
			t.Fatalf("round %d:\n%s", round, ir.Print(g))
		}
		for _, it := range items {
			if it.Kind == plan.Wait {
				waits++
			}
		}
	}
	if waits < 400 {
		t.Errorf("only %d waits in all: the graphs say nothing", waits)
	}
}

// TestOneWaitSettlesMore: the last copy on a stream is waited for, not each.
func TestOneWaitSettlesMore(t *testing.T) {
	g := &ir.Graph{}
	typ := ir.Of(ir.F32, 2, 2)
	var in []ir.ID
	for i := range 3 {
		h := g.Leaf(fmt.Sprint("h", i), -1, ir.Activation, ir.Host, typ, "")
		in = append(in, h)
	}
	copyIn := func(h ir.ID) ir.ID {
		return g.Add(ir.Node{Op: ir.OpCopyIn, Args: []ir.ID{h}, Section: ir.Micro, Phase: ir.Transfer, Layer: -1}, ir.Result{Name: "x", Layer: -1, Class: ir.Activation})[0]
	}
	a, b, c := copyIn(in[0]), copyIn(in[1]), copyIn(in[2])
	sum := func(x, y ir.ID) ir.ID {
		return g.Add(ir.Node{Op: ir.OpAdd, Args: []ir.ID{x, y}, Section: ir.Micro, Phase: ir.Forward, Layer: -1}, ir.Result{Name: "s", Layer: -1, Class: ir.Activation})[0]
	}
	sum(sum(a, b), c)
	var kinds []string
	for _, it := range order.Make(g).Sections[ir.Micro] {
		kinds = append(kinds, fmt.Sprint(it.Kind, it.Stream))
	}
	want := []string{"copyin", "copyin", "recordin", "copyin", "recordin", "waitcompute", "launchcompute", "waitcompute", "launchcompute"}
	if !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}
