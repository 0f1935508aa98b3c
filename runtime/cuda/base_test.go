//go:build cuda

package cuda

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

// forBase is a plan for devices without the tensor cores of sm_80.
func forBase(p *plan.Plan) *plan.Plan {
	p.Target = BaseTarget
	if err := plan.Seal(p); err != nil {
		panic(err)
	}
	return p
}

// base trains by a plan for the base target and is the hash of all results.
func base() string { return trainedHash(forBase(small(0))) }

func trainedHash(p *plan.Plan) string {
	s, err := Engine{Library: driver()}.Open(p, exec.Options{})
	if err != nil {
		return err.Error()
	}
	all, err := trained(s, p)
	if err != nil {
		return err.Error()
	}
	h := sha256.New()
	for b := range p.Buffers {
		if x, ok := all[p.Buffers[b].Name]; ok {
			fmt.Fprintln(h, p.Buffers[b].Name, bitsOf(x))
		}
	}
	return fmt.Sprintf("%x %v", h.Sum(nil), s.Close())
}

// TestBaseTarget: a device of compute capability 7.0 or 7.5 runs a plan for it,
// with the bits of a plan for sm_80, whose modules for tensor cores it cannot load.
func TestBaseTarget(t *testing.T) {
	want := trainedHash(small(0))
	if !strings.HasSuffix(want, " <nil>") {
		t.Fatal(want)
	}
	for _, capability := range []string{"70", "75", "90"} {
		got := child(t, "base", driver(), "capability="+capability)
		if lastLine(strings.TrimSpace(got)) != want {
			t.Errorf("capability %s: %s, want %s", capability, got, want)
		}
	}
	p := small(0)
	p.Run.Precision.Products = "tf32"
	if _, err := (Engine{Library: driver()}).Open(forBase(p), exec.Options{}); err == nil || !strings.Contains(err.Error(), "products are tf32") {
		t.Errorf("tensor cores on the base target: %v", err)
	}
	got := child(t, "surroundings", driver(), "capability=75")
	if want := "--engine cuda:sm_70"; !strings.Contains(got, want) {
		t.Errorf("a plan for sm_80 on 7.5: %s, want %q", got, want)
	}
}

// TestRoom: heads as wide as the compiler lets through have room in the shared
// memory of the smallest device of a target, and products f32 in that of each.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		headDim int
		room    uint32
	}{{256, 99 << 10}, {240, 64 << 10}, {128, 64 << 10}, {64, 64 << 10}} {
		z := wide
		z.headDim = c.headDim
		for _, x := range z.cases() {
			for _, to := range []ir.DType{ir.F32, ir.BF16} {
				x, ok := stored(x, to)
				if !ok {
					continue
				}
				for _, l := range launchesOf(t, x, "f32") {
					if l.Shared > c.room {
						t.Errorf("%s of heads of %d: %s takes %d bytes of shared memory, there are %d", x.Op, c.headDim, l.Kernel, l.Shared, c.room)
					}
				}
			}
		}
	}
}

// TestWideHeads: attention of heads wider than the cases of TestEveryOp, against
// the same heads in the ref engine, up to the widest that the compiler lets through.
func TestWideHeads(t *testing.T) {
	z := sizes{batch: 1, seq: 37, width: 8, hidden: 8, vocab: 9, heads: 2, groups: 1, positions: 37, compact: 3}
	for _, headDim := range []int{120, 129, 240, 256} {
		z.headDim = headDim
		for _, c := range z.cases() {
			if c.Op != ir.OpAttention && c.Op != ir.OpAttentionGrad {
				continue
			}
			p, args, results := plantest.Single(c, 1)
			want := z.apply(t, ref.Engine{}, p, c, args, results, 0)
			got := z.apply(t, Engine{Library: driver(), Split: true}, with(p, "f32"), c, args, results, 0)
			for k := range want {
				if a := relative(got[k], want[k]); !(a <= 1e-5) {
					t.Errorf("%s of heads of %d: %s differs from ref by %.3g", c.Op, headDim, c.Op.Info().Results[k].Name, a)
				}
			}
		}
	}
}
