package ir

import (
	"strings"
	"testing"
)

func TestStorage(t *testing.T) {
	g := &Graph{}
	norms := g.Leaf("norms", -1, Optimizer, Device, Of(F64, 2), "optimizer.clip")
	a := g.Leaf("a", -1, Gradient, Device, Of(F32, 4), "model")
	ctl := g.Leaf("control", -1, Input, Device, control, "window")
	n := Node{Op: OpNorm2, Section: Update, Phase: Step, Layer: -1}
	id := norms
	for i := range 2 {
		n.Args, n.Attr = []ID{a, id}, Attr{Index: i}
		id = g.Add(n, Result{Name: "norms", Layer: -1, Class: Optimizer})[0]
	}
	clip := g.Add(Node{Op: OpClip, Args: []ID{id, ctl}, Section: Update, Phase: Step, Layer: -1}, Result{Name: "control", Layer: -1, Class: Input})[0]
	for _, c := range []struct{ id, want ID }{{norms, norms}, {id, norms}, {id - 1, norms}, {a, a}, {clip, ctl}} {
		if got := g.Storage(c.id); got != c.want {
			t.Errorf("v%d lives in v%d, want v%d", c.id, got, c.want)
		}
	}
	if err := Check(g); err != nil {
		t.Error(err)
	}
	if y := g.Values[clip]; y.Node != 5 || y.Index != 0 || !y.Type.Equal(control) {
		t.Errorf("value of clip is %+v", y)
	}
}

func TestAddRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		node       Node
		results    int
	}{
		{"operand", "argument b is f32[3], want f32[2]", Node{Op: OpAdd, Args: []ID{0, 1}}, 1},
		{"unknown value", "argument v9 does not exist", Node{Op: OpAdd, Args: []ID{0, 9}}, 1},
		{"results", "add has 1 results, 2 named", Node{Op: OpAdd, Args: []ID{0, 0}}, 2},
		{"leaf", "op 0 cannot be applied", Node{Op: OpLeaf}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Graph{}
			g.Leaf("a", -1, Input, Device, Of(F32, 2), "")
			g.Leaf("b", -1, Input, Device, Of(F32, 3), "")
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
				if len(g.Nodes) != 2 {
					t.Errorf("%d nodes after a refused one", len(g.Nodes))
				}
			}()
			g.Add(c.node, make([]Result, c.results)...)
		})
	}
}

func TestNames(t *testing.T) {
	for s := range NumSections {
		if got, err := ParseSection(s.String()); err != nil || got != s {
			t.Errorf("section %v: %v, %v", s, got, err)
		}
	}
	for p := range NumPhases {
		if got, err := ParsePhase(p.String()); err != nil || got != p {
			t.Errorf("phase %v: %v, %v", p, got, err)
		}
	}
	for c := range NumClasses {
		if got, err := ParseClass(c.String()); err != nil || got != c {
			t.Errorf("class %v: %v, %v", c, got, err)
		}
	}
	for r := range NumTiers {
		if got, err := ParseTier(r.String()); err != nil || got != r {
			t.Errorf("tier %v: %v, %v", r, got, err)
		}
	}
	if _, err := ParseTier("disk"); err == nil {
		t.Error("tier disk is known")
	}
}
