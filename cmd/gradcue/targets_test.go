package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// TestTargetsAgree: a plan for CUDA is made without a device, and but for scratch
// memory it holds what the plan for the processors holds, in the same order.
func TestTargetsAgree(t *testing.T) {
	for _, example := range []string{"quickstart", "offloaded", "checkpointed", "tiny-llama", "window"} {
		var held [2][]plan.Buffer
		for i, engine := range []string{"cpu", "cuda"} {
			a, _, errs := testApp(t)
			file := filepath.Join(a.dir, "plan.json")
			spec, err := filepath.Abs("../../examples/" + example)
			if err != nil {
				t.Fatal(err)
			}
			if code := a.main(t.Context(), []string{"plan", spec, "--engine", engine, "-o", file}); code != codeGood {
				t.Fatalf("%s for %s: code %d, %s", example, engine, code, errs)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if p.Target != target(engine) {
				t.Errorf("%s for %s: the target is %s", example, engine, p.Target)
			}
			for _, b := range p.Buffers {
				if b.Class != ir.Workspace.String() {
					b.Offset, b.In = 0, min(b.In, 1) // scratch memory moves what lies behind it, and takes numbers
					held[i] = append(held[i], b)
				}
			}
		}
		if d := cmp.Diff(held[0], held[1]); d != "" {
			t.Errorf("%s, -cpu +cuda:\n%s", example, d)
		}
	}
}
