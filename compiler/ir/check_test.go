package ir

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckRight(t *testing.T) {
	for _, g := range []*Graph{{}, small()} {
		if err := Check(g); err != nil {
			t.Errorf("%v in\n%s", err, Print(g))
		}
	}
}

// Each case edits the text of the small graph (pairs of old and new) and states
// all faults that must be found.
func TestCheckFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		edit []string
		want []string
	}{
		{"use before", []string{"linear.gelu(v0,", "linear.gelu(v8,"}, []string{"n5: argument v8 is not made before it is used"}},
		{"own result", []string{"add(v6, v6)", "add(v6, v8)"}, []string{"n7: argument v8 is not made before it is used"}},
		{"no such value", []string{"add(v6, v6)", "add(v6, v99)"}, []string{"n7: argument v99 is not made before it is used"}},
		{"arity", []string{"add(v6, v6)", "add(v6)"}, []string{"n7: add: 1 arguments, want 2"}},
		{"missing", []string{"add(v6, v6)", "add(v6, _)"}, []string{"n7: add: argument b is missing"}},
		{"operand type", []string{"add(v6, v6)", "add(v6, v0)"}, []string{"n7: add: argument b is f32[8,16], want f32[8,32]"}},
		{"result type", []string{"v8 in f32[8,32]", "v8 in f32[8,31]"}, []string{
			"n7: v8 y is f32[8,31], want f32[8,32]", "n9: gelu.grad: argument dy is f32[8,31], want f32[8,32]"}},
		{"result count", []string{"v8 in f32[8,32] activation L1 ", "v8 in f32[8,32] activation L1, v9 out f32[8,32] activation "}, []string{
			"n7: add has 2 results, want 1"}},
		{"foreign attribute", []string{"add(v6, v6)", "add(v6, v6) {tanh}"}, []string{"n7: add: attribute tanh does not belong to add"}},
		{"huge", []string{"v0 x f32[8,16]", "v0 x f32[4611686018427387904,16]"}, []string{
			"n0: v0 has no storable type: f32[4611686018427387904,16]", "n5: linear.gelu: argument x is f32[4611686018427387904,16], which is empty or too large",
			"n10: linear.dw: argument x is f32[4611686018427387904,16], which is empty or too large"}},
		{"leaf with arguments", []string{"= leaf                                          L0 @offload", "= leaf(v0) L0 @offload"}, []string{"n4: a leaf has one result, phase storage and nothing else"}},
		{"leaf that runs", []string{"= leaf                                          L0 @offload", "= leaf micro forward L0 @offload"}, []string{"n4: a leaf has one result, phase storage and nothing else"}},
		{"leaf twice", []string{"v3 control f64[32] input ", "v3 x f64[32] input "}, []string{"n3: leaf x of layer -1 on the device exists already as n0"}},
		{"phase in section", []string{"update step", "micro step"}, []string{"n11: phase step does not occur in section micro"}},
		{"forward in update", []string{"update step", "update forward"}, []string{"n11: phase forward does not occur in section update"}},
		{"copy that computes", []string{"micro transfer L0 after", "micro forward L0 after"}, []string{"n8: copy.in has phase forward"}},
		{"op that copies", []string{"micro forward L0\n", "micro transfer L0\n"}, []string{"n7: add has phase transfer"}},
		{"after itself", []string{"after n5,n7", "after n8"}, []string{"n8: after n8, which is not earlier"}},
		{"after a leaf", []string{"after n5,n7", "after n4"}, []string{"n8: after n4, which does not run in section micro"}},
		{"after another section", []string{"update step", "update step after n10"}, []string{"n11: after n10, which does not run in section update"}},
		{"host read", []string{"add(v6, v6)", "add(v6, v7)"}, []string{"n7: add reads v7 on the host, want the device"}},
		{"copy in from device", []string{"copy.in(v7)", "copy.in(v6)"}, []string{"n8: copy.in reads v6 on the device, want the host"}},
		{"copy in to host", []string{"v9 fc f32[8,32] staging slot1", "v9 fc f32[8,32] activation host"}, []string{
			"n8: copy.in puts v9 on the host, want the device", "n9: gelu.grad reads v9 on the host, want the device"}},
		{"copy out to device", []string{"v4 fc f32[8,32] activation host", "v4 fc f32[8,32] activation", "v7 fc f32[8,32] activation host", "v7 fc f32[8,32] activation"}, []string{
			"n6: copy.out reads v4 on the device, want the host", "n6: copy.out puts v7 on the device, want the host", "n8: copy.in reads v7 on the device, want the host"}},
		{"slot on the host", []string{"v4 fc f32[8,32] activation host", "v4 fc f32[8,32] activation host slot0"}, []string{
			"n4: v4 is in a staging slot, which is on the device, and on the host",
			"n6: v7 (activation host slot -1) is stored over v4 (activation host slot 0)"}},
		{"class over", []string{"weight.grad f32[32,16] gradient       = linear", "weight.grad f32[32,16] transient       = linear"}, []string{
			"n10: v11 (transient device slot -1) is stored over v2 (gradient device slot -1)"}},
		{"stale read", []string{"sgd(v1, v11, v3)", "sgd(v1, v2, v3)", "update step", "micro forward"}, []string{"n11: v2 was overwritten by v11 in this section"}},
		{"overwrites what it reads", []string{"sgd(v1, v11, v3)", "sgd(v1, v1, v3)"}, []string{"n11: v12 overwrites the storage of w, which is also g"}},
		{"transient crosses", []string{"v8 in f32[8,32]", "v8 in f32[8,32]", "sgd(v1, v11, v3) {decay=0.1 lrScale=1}        update step", "gelu(v10) eval forward", "v12 blocks.0.mlp.fc.weight f32[32,16]", "v12 y f32[8,32]"}, []string{
			"n11: v10 was made in section micro and does not outlive it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := smallText
			for i := 0; i < len(c.edit); i += 2 {
				if !strings.Contains(text, c.edit[i]) {
					t.Fatalf("nothing to edit: %q", c.edit[i])
				}
				text = strings.Replace(text, c.edit[i], c.edit[i+1], 1)
			}
			if c.name == "result count" {
				text = renumber(text)
			}
			g, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			var got Faults
			errors.As(Check(g), &got)
			if d := cmp.Diff(c.want, []string(got)); d != "" {
				t.Errorf("faults (-want +got)\n%s", d)
			}
		})
	}
}

// renumber makes room for one more value after v9.
func renumber(text string) string {
	head, tail, _ := strings.Cut(text, "n8 ")
	for v := 12; v >= 9; v-- {
		for _, end := range []string{" ", ",", ")"} {
			tail = strings.ReplaceAll(tail, fmt.Sprintf("v%d%s", v, end), fmt.Sprintf("v%d%s", v+1, end))
		}
	}
	return head + "n8 " + tail
}

// TestCheckLinks breaks what no text can say.
func TestCheckLinks(t *testing.T) {
	for _, c := range []struct {
		name, want string
		edit       func(g *Graph)
	}{
		{"op", fmt.Sprintf("n5: op(%d) in micro forward is not in the tables", NumOps), func(g *Graph) { g.Nodes[5].Op = NumOps }},
		{"section", "n5: linear.gelu in section(9) forward is not in the tables", func(g *Graph) { g.Nodes[5].Section = 9 }},
		{"phase", "n5: linear.gelu in micro phase(9) is not in the tables", func(g *Graph) { g.Nodes[5].Phase = 9 }},
		{"layer", "n5: layer -2", func(g *Graph) { g.Nodes[5].Layer = -2 }},
		{"result order", "n5: result 0 is v6, want v5", func(g *Graph) { r := g.Nodes[5].Results; r[0], r[1] = r[1], r[0] }},
		{"result beyond", "n11: result 0 is v13, want v12", func(g *Graph) { g.Nodes[11].Results[0]++ }},
		{"maker", "n7: v8 says it is result 0 of n6", func(g *Graph) { g.Values[8].Node = 6 }},
		{"index", "n7: v8 says it is result 1 of n7", func(g *Graph) { g.Values[8].Index = 1 }},
		{"class", "n7: v8 has class class(9), tier device, layer 1, slot -1", func(g *Graph) { g.Values[8].Class = NumClasses }},
		{"dtype", "n7: v8 has no storable type: invalid[8,32]", func(g *Graph) { g.Values[8].Type.DType = Invalid }},
		{"scalar", "n7: v8 has no storable type: f32[]", func(g *Graph) { g.Values[8].Type.Shape = nil }},
		{"orphan", "n12: 1 values belong to no node", func(g *Graph) { g.Values = append(g.Values, Value{}) }},
		{"argument below", "n7: argument v-7 is not made before it is used", func(g *Graph) { g.Nodes[7].Args[0] = -7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := small()
			c.edit(g)
			var got Faults
			if !errors.As(Check(g), &got) || got[0] != c.want {
				t.Errorf("faults %q, first want %q", got, c.want)
			}
		})
	}
}

func TestFaultsAreCutShort(t *testing.T) {
	f := Faults(make([]string, 25))
	if got := f.Error(); !strings.HasSuffix(got, "\nand 5 more") {
		t.Errorf("message ends %q", got[max(0, len(got)-20):])
	}
}

// TestCheckNeverPanics asks about graphs that are linked but senseless.
func TestCheckNeverPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 2000 {
		if Check(random(r)) != nil {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d of 2000 random graphs have faults", found)
	}
}
