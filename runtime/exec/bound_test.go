package exec_test

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/ref"
)

// TestEveryOpIsBound walks the op table: an op without a kernel in an engine
// must be noticed here and not when a plan has it.
func TestEveryOpIsBound(t *testing.T) {
	for op := range ir.NumOps {
		switch op {
		case ir.OpLeaf, ir.OpCopyOut, ir.OpCopyIn, ir.OpCopyStage:
			if ref.Bound(op) || cpu.Bound(op) {
				t.Errorf("%s is bound, but it is not launched", op)
			}
			continue
		}
		if !ref.Bound(op) {
			t.Errorf("engine ref has no kernel for %s", op)
		}
		if !cpu.Bound(op) {
			t.Errorf("engine cpu has no kernel for %s", op)
		}
	}
}
