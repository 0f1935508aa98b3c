package autodiff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
)

// gpt and llama are one block each, with every dimension different.
func gpt() model.Config {
	return model.Config{Family: "gpt2", Layers: 1, Heads: 2, KVHeads: 2, HeadDim: 4, Width: 8, FFN: 32, Vocab: 17, Context: 6,
		Eps: 1e-5, Tanh: true, Bias: true, QKVBias: true, Tied: true, InitStd: 0.02}
}

func llama() model.Config {
	return model.Config{Family: "llama", Layers: 1, Heads: 4, KVHeads: 2, HeadDim: 4, Width: 16, FFN: 24, Vocab: 17, Context: 6,
		Eps: 1e-5, RopeBase: 10000, InitStd: 0.02}
}

// forward is the training forward pass of a config.
func forward(t *testing.T, c model.Config, b model.Batch) (*ir.Graph, Options) {
	t.Helper()
	g := &ir.Graph{}
	l := model.NewLeaves(g, &c, b, false)
	f := model.Builder{G: g, C: &c, B: b, L: l, Section: ir.Micro, Train: true}
	f.Loss(f.Hidden())
	return g, Options{Control: l.Control, Params: l.Params, CompactRows: min(c.Vocab, b.R())}
}

// backward is the graph with its backward pass, checked.
func backward(t *testing.T, c model.Config, b model.Batch) (*ir.Graph, *Result, Options) {
	t.Helper()
	g, o := forward(t, c, b)
	r, err := Backward(g, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Check(r.Graph); err != nil {
		t.Fatal(err)
	}
	return g, r, o
}

var batch = model.Batch{B: 2, T: 3}

// TestGolden compares the printed graph of two tiny models, and where each
// parameter's gradient ends, with testdata; UPDATE=1 writes it.
func TestGolden(t *testing.T) {
	untied := gpt()
	untied.Tied, untied.Dropout = false, 0.1
	for _, c := range []struct {
		name, doc string
		cfg       model.Config
		b         model.Batch
	}{
		{"gpt2", "One block of the GPT-2 family, head tied to the table.", gpt(), batch},
		{"gpt2_untied_dropout", "One block of the GPT-2 family with a head of its own and dropout.", untied, model.Batch{B: 2, T: 3, Seed: 5}},
		{"llama", "One block of the Llama family with grouped heads and documents that do not see each other.", llama(), model.Batch{B: 2, T: 3, Lo: true, Positions: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r, o := backward(t, c.cfg, c.b)
			var grads strings.Builder
			for i, p := range o.Params {
				fmt.Fprintf(&grads, "%s: v%d over v%d\n", r.Graph.Values[p].Name, r.Grads[i], r.GradLeaf[i])
			}
			a := &txtar.Archive{Comment: []byte(c.doc + "\nWritten by UPDATE=1 go test ./compiler/autodiff.\n"),
				Files: []txtar.File{{Name: "graph", Data: []byte(ir.Print(r.Graph))}, {Name: "grads", Data: []byte(grads.String())}}}
			path := filepath.Join("testdata", c.name+".txtar")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(txtar.Format(a))); d != "" {
				t.Errorf("%s (-want +got):\n%s", path, d)
			}
			back, err := ir.Parse(string(a.Files[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(r.Graph, back, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("the golden does not parse back to the graph:\n%s", d)
			}
		})
	}
}
