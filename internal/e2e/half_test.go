package e2e

import (
	"math"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
	"github.com/gradcue/gradcue/runtime/train"
	"github.com/gradcue/gradcue/spec/shape"
)

// stored asks for 16-bit storage; f16 comes with a dynamic loss scale, bf16dot is
// bf16 with logit gradients rounded to it.
func stored(dtype shape.DType) func(*shape.Experiment) {
	return func(x *shape.Experiment) {
		kind := dtype
		if dtype == "bf16dot" {
			kind, x.Precision.Products = "bf16", "bf16dot"
		}
		x.Precision.Compute, x.Precision.Params = kind, kind
		if dtype == "f16" {
			x.Precision.LossScale = shape.LossScale{Kind: "dynamic", Value: 1024, Growth: 2, GrowthEvery: 5, Backoff: 0.5, SkipLimit: 30}
		}
	}
}

// TestStoredSameBits: with 16-bit storage too, placement, split, workers and a
// resume change no bit, since a named tensor has one value. The losses stay near
// those of f32, and the float64 engine with the same rounding agrees.
func TestStoredSameBits(t *testing.T) {
	l := example(t, "tiny-llama")
	plain := trainOn(t, cpu.Engine{}, planOf(t, l, nil), l, train.Options{Steps: 8})
	for _, dtype := range []shape.DType{"bf16", "f16", "bf16dot"} {
		t.Run(string(dtype), func(t *testing.T) {
			half := stored(dtype)
			p := planOf(t, l, half)
			base := trainOn(t, cpu.Engine{}, p, l, train.Options{Steps: 8})
			for i := range base.Losses {
				if d := math.Abs(base.Losses[i] - plain.Losses[i]); !(d < 0.03*plain.Losses[i]) {
					t.Errorf("update %d: loss %.4f, in f32 %.4f", i+1, base.Losses[i], plain.Losses[i])
				}
			}
			for tier := range base.Allocated {
				if base.Allocated[tier] != p.Arenas[tier].Bytes {
					t.Errorf("tier %d: %d bytes allocated, %d predicted", tier, base.Allocated[tier], p.Arenas[tier].Bytes)
				}
			}
			for _, change := range []func(*shape.Experiment){
				split(4),
				func(x *shape.Experiment) { x.Checkpointing.Policy = "full" },
				func(x *shape.Experiment) { x.Offload.Place.Activations, x.Offload.Place.Optimizer = "host", "host" },
				func(x *shape.Experiment) { split(2)(x); x.Checkpointing.Policy = "every"; x.Checkpointing.Every = 2 },
			} {
				same(t, base, trainOn(t, cpu.Engine{}, planOf(t, l, func(x *shape.Experiment) { half(x); change(x) }), l, train.Options{Steps: 8, Workers: 1}))
			}
			dir := t.TempDir()
			first := trainOn(t, cpu.Engine{}, p, l, train.Options{Dir: dir, Steps: 3})
			rest := trainOn(t, cpu.Engine{}, p, l, train.Options{Dir: dir, Steps: 5})
			rest.Losses = append(first.Losses, rest.Losses...)
			same(t, base, rest)
			oracle := trainOn(t, ref.Engine{}, p, l, train.Options{Steps: 2})
			if e := rel(base.Losses[:2], oracle.Losses); !(e < 1e-2) {
				t.Errorf("losses %v, float64 with the same rounding %v", base.Losses[:2], oracle.Losses)
			}
		})
	}
}

// TestStoredTiers: on every instruction set, both families train in 16 bits with
// the same bits for any number of workers and with everything recomputed in parts
// of the window; the sets of one class agree.
func TestStoredTiers(t *testing.T) {
	for _, name := range []string{"quickstart", "tiny-llama"} {
		l := example(t, name)
		for _, dtype := range []shape.DType{"bf16", "f16", "bf16dot"} {
			half := stored(dtype)
			p := planOf(t, l, half)
			changed := planOf(t, l, func(x *shape.Experiment) { half(x); split(2)(x); x.Checkpointing.Policy = "full" })
			base := map[string]train.Result{}
			for _, isa := range tiers() {
				t.Run(name+"/"+string(dtype)+"/"+isa, func(t *testing.T) {
					r := trainOn(t, onISA{isa: isa}, p, l, train.Options{Steps: 3, Workers: 3})
					if want, ok := base[exec.Class(isa)]; ok {
						same(t, want, r)
					}
					base[exec.Class(isa)] = r
					same(t, r, trainOn(t, onISA{isa: isa}, changed, l, train.Options{Steps: 3, Workers: 1}))
				})
			}
		}
	}
}

// TestStoredBytes: activations take half the bytes, parameters are stored twice.
func TestStoredBytes(t *testing.T) {
	l := example(t, "gpt2-124m")
	bytes := func(change func(*shape.Experiment)) (by plan.Moment) {
		p := planOf(t, l, change)
		ledger := p.Ledger(ir.Micro, ir.Device)
		at, _ := plan.PeakOf(ledger)
		return ledger[at]
	}
	f32, bf16 := bytes(nil), bytes(stored("bf16"))
	if a, b := f32.Total(), bf16.Total()-bf16[ir.Master]; float64(b) > 0.85*float64(a) {
		t.Errorf("%d bytes at the peak in f32, %d in bf16 beside the masters: more than 0.85", a, b)
	}
	if a, b := f32[ir.Activation], bf16[ir.Activation]; float64(b) > 0.6*float64(a) {
		t.Errorf("activations %d bytes in f32, %d in bf16: more than 0.6", a, b)
	}
	if a, b := f32[ir.Parameter], bf16[ir.Parameter]; b != a/2 || bf16[ir.Master] != a {
		t.Errorf("parameters %d bytes in f32, %d with masters of %d in bf16", a, b, bf16[ir.Master])
	}
	if f32[ir.Gradient] != bf16[ir.Gradient] {
		t.Errorf("gradients %d and %d bytes: they are f32 in both", f32[ir.Gradient], bf16[ir.Gradient])
	}
}

// TestLossScaleBacksOff: from a scale at which f16 overflows, updates are skipped
// whole until it fits; the schedule does not tick on them.
func TestLossScaleBacksOff(t *testing.T) {
	l := example(t, "tiny-llama")
	p := planOf(t, l, func(x *shape.Experiment) {
		stored("f16")(x)
		x.Precision.LossScale.Value = 1 << 40
	})
	dir := t.TempDir()
	r := trainOn(t, cpu.Engine{}, p, l, train.Options{Dir: dir, Steps: 3})
	if r.Skipped < 5 || r.U != 3 {
		t.Fatalf("%d updates, %d skipped from a scale of 2^40", r.U, r.Skipped)
	}
	t.Logf("%d skipped", r.Skipped)
}
