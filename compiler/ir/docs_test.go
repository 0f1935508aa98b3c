package ir

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const opsPage = "../../docs/ops.md"

// TestOpsPage keeps docs/ops.md equal to the op table; UPDATE=1 writes it.
func TestOpsPage(t *testing.T) {
	want := opsText()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(opsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(opsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/ops.md is not what the op table says: run UPDATE=1 go test ./compiler/ir")
	}
}

const opsHead = `<!-- Generated from the op table by UPDATE=1 go test ./compiler/ir; do not edit. -->

# Operations

Every command of a plan applies one of these. The lines are those of printed
graphs: results on the left, arguments on the right, attributes in braces.

- A trailing ? marks an argument that may be absent, written _ in a graph.
- A result with a stroke is stored over an argument, such as gw' over gw. It is
  the same memory: a chain of additions into a gradient is a chain of arguments
  and results.
- ctl is the control buffer: what changes between two runs of a section is read
  from there, such as whether a gradient is stored or continued.

Sizes: B sequences of T tokens in R = B·T rows, token order. C width, V
vocabulary, P learned positions, F feed-forward width, H query heads over G
key/value heads of width D, K inputs and N outputs of a product, U distinct ids
of a window, M parameter tensors. CTL = %d.

FLOPs count two for a multiply-add and a few for each element of elementwise
work; attention counts the causal triangle.
`

func opsText() string {
	var b strings.Builder
	fmt.Fprintf(&b, opsHead, ControlLen)
	for o := range NumOps {
		info, s := o.Info(), &signatures[o]
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", o, info.Doc)
		if o == OpLeaf {
			continue
		}
		fmt.Fprintf(&b, "\n    %s\n", s.line(o))
		var facts []string
		if s.flops != "" {
			facts = append(facts, "FLOPs: "+symbolic(s.flops)+".")
		}
		for i, r := range info.Results {
			if k := o.Over(i); k >= 0 {
				facts = append(facts, fmt.Sprintf("Overwrites %s with %s.", info.Args[k].Name, r.Name))
			}
		}
		for _, a := range info.Again {
			facts = append(facts, fmt.Sprintf("%s can be made again, to the bit, by %s(%s).", a.Result, a.Op, strings.Join(a.Args, ", ")))
		}
		if len(facts) > 0 {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(facts, " "))
		}
	}
	return b.String()
}
