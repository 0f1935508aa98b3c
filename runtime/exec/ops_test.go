package exec_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/cpu"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/null"
	"github.com/gradcue/gradcue/runtime/ref"
)

// Sizes of the cases: all different, so that a swapped size shows.
const (
	batch, seq, width, hidden, vocab = 2, 6, 10, 14, 23
	rows                             = batch * seq
	heads, groups, headDim           = 4, 2, 6
	positions, compact               = 9, 7
)

func f(shape ...int) ir.Type { return ir.Of(ir.F32, shape...) }
func i(shape ...int) ir.Type { return ir.Of(ir.I32, shape...) }
func d(shape ...int) ir.Type { return ir.Of(ir.F64, shape...) }

// cases has each op at least once, and once without its optional arguments.
func cases() []plantest.Case {
	ctl, x, dy, row := d(ir.ControlLen), f(rows, width), f(rows, hidden), f(rows)
	w, vec, no := f(hidden, width), f(width), ir.Type{}
	table, ids := f(vocab, width), i(rows)
	qkv, att := f(rows, (heads+2*groups)*headDim), f(rows, heads*headDim)
	attn := ir.Attr{Heads: heads, KVHeads: groups, HeadDim: headDim, Scale: 0.4, SeqLen: seq}
	rot := ir.Attr{Heads: heads, KVHeads: groups, HeadDim: headDim, SeqLen: seq, Base: 10000}
	back := rot
	back.Inverse = true
	of := func(op ir.Op, a ir.Attr, args ...ir.Type) plantest.Case {
		return plantest.Case{Op: op, Attr: a, Args: args}
	}
	none, s := ir.Attr{}, ir.Attr{SeqLen: seq}
	return []plantest.Case{
		of(ir.OpEmbed, s, table, f(positions, width), ids, ids), of(ir.OpEmbed, none, table, no, ids, no),
		of(ir.OpEmbedGrad, none, x, ids, ctl, table),
		of(ir.OpEmbedRows, none, x, ids, ctl, f(compact, width)),
		of(ir.OpEmbedAdd, none, f(compact, width), i(compact), table),
		of(ir.OpPosGrad, s, x, ids, ctl, f(positions, width)), of(ir.OpPosGrad, s, x, no, ctl, f(positions, width)),
		of(ir.OpLayerNorm, ir.Attr{Eps: 1e-5}, x, vec, vec),
		of(ir.OpLayerNormApply, none, x, row, row, vec, vec),
		of(ir.OpLayerNormGrad, none, x, x, vec, row, row, ctl, vec, vec),
		of(ir.OpRMSNorm, ir.Attr{Eps: 1e-5}, x, vec),
		of(ir.OpRMSNormApply, none, x, row, vec),
		of(ir.OpRMSNormGrad, none, x, x, vec, row, ctl, vec),
		of(ir.OpLinear, none, x, w, f(hidden)), of(ir.OpLinear, none, x, w, no),
		of(ir.OpLinearGELU, none, x, w, f(hidden)), of(ir.OpLinearGELU, ir.Attr{Tanh: true}, x, w, no),
		of(ir.OpLinearAdd, none, x, w, f(hidden), dy), of(ir.OpLinearAdd, none, x, w, no, dy),
		of(ir.OpLinearDX, none, dy, w), of(ir.OpLinearDW, none, dy, x, ctl, w), of(ir.OpLinearDB, none, dy, ctl, f(hidden)),
		of(ir.OpGELU, none, x), of(ir.OpGELUGrad, ir.Attr{Tanh: true}, x, x),
		of(ir.OpSwiGLU, none, dy), of(ir.OpSwiGLUGrad, none, dy, f(rows, hidden/2)),
		of(ir.OpRoPE, rot, qkv, ids), of(ir.OpRoPE, back, qkv, no),
		of(ir.OpAttention, attn, qkv, ids), of(ir.OpAttention, attn, qkv, no),
		of(ir.OpAttentionGrad, attn, att, qkv, att, f(rows, heads), ids),
		of(ir.OpAdd, none, x, x),
		of(ir.OpDropout, ir.Attr{Rate: 0.3, Site: 65, Seed: 9, SeqLen: seq}, x, ctl),
		of(ir.OpHeadLoss, none, x, table, ids, row), of(ir.OpHeadLossGrad, none, x, table, ids, row, ctl, table),
		of(ir.OpHeadLogits, s, x, table, i(batch)),
		of(ir.OpNorm2, ir.Attr{Index: 2}, x, d(3)), of(ir.OpClip, ir.Attr{MaxNorm: 0.5}, d(3), ctl),
		of(ir.OpAdamW, ir.Attr{Beta1: 0.9, Beta2: 0.999, Eps: 1e-3, Decay: 0.1, LRScale: 0.5}, x, x, x, x, ctl),
		of(ir.OpSGD, ir.Attr{Decay: 0.1, LRScale: 0.5}, x, x, ctl),
		of(ir.OpSGDMomentum, ir.Attr{Decay: 0.1, LRScale: 0.5, Momentum: 0.9, Nesterov: true}, x, x, x, ctl),
		of(ir.OpCast, none, x, ir.Of(ir.BF16, rows, width)), of(ir.OpCast, none, x, ir.Of(ir.F16, rows, width)),
	}
}

// stored are the names of operands that take the storage type.
var stored = strings.Fields("x dx dy a b r w table pos gu dh qkv att datt")

// halved are the cases with 16-bit storage, of the ops that can have it.
func halved(to ir.DType) (list []plantest.Case) {
	for _, c := range cases() {
		switch c.Op {
		case ir.OpEmbedAdd, ir.OpNorm2, ir.OpClip, ir.OpAdamW, ir.OpSGD, ir.OpSGDMomentum, ir.OpCast:
			continue // f32 only, or 16 bits already
		}
		c.Args = slices.Clone(c.Args)
		for k, p := range c.Op.Info().Args {
			if c.Args[k].DType == ir.F32 && slices.Contains(stored, p.Name) {
				c.Args[k].DType = to
			}
		}
		list = append(list, c)
	}
	return list
}

// TestEveryOpStored runs each op with operands stored in 16 bits: cpu agrees
// with ref to the rounding of the type, for any number of workers to the bit.
func TestEveryOpStored(t *testing.T) {
	for to, limit := range map[ir.DType]float64{ir.BF16: 1e-2, ir.F16: 2e-3} {
		for _, c := range halved(to) {
			for _, acc := range []float64{0, 1} {
				p, args, results := plantest.Single(c, 3)
				want := apply(t, ref.Engine{}, p, c, args, results, exec.Options{}, acc)
				got := apply(t, cpu.Engine{}, p, c, args, results, exec.Options{Workers: 3}, acc)
				one := apply(t, cpu.Engine{}, p, c, args, results, exec.Options{Workers: 1}, acc)
				for k := range want {
					result := c.Op.Info().Results[k].Name
					if a := apart(got[k], want[k]); !(a <= limit) {
						t.Errorf("%s in %s, acc %v: %s differs from ref by %.3g", c.Op, to, acc, result, a)
					}
					if a := apart(got[k], one[k]); a != 0 {
						t.Errorf("%s in %s, acc %v: %s differs by %.3g between 1 and 3 workers", c.Op, to, acc, result, a)
					}
				}
			}
		}
	}
}

// values makes one argument of a case, in range where it is an index.
func values(r *rand.Rand, c plantest.Case, arg int, acc float64) any {
	n, name := int(c.Args[arg].Elems()), c.Op.Info().Args[arg].Name
	switch {
	case name == "ctl":
		return control(acc, 3)
	case c.Args[arg].DType == ir.F64:
		return []float64{1, 2, 4}
	case name == "lo": // first visible key, with an empty row
		lo := ints(r, n, 2)
		lo[seq-1] = seq
		return lo
	case name == "row":
		x := ints(r, n, compact)
		x[n-1] = -1
		return x
	case name == "rowids":
		x := ints(r, n, vocab)
		x[n-1] = -1
		return x
	case name == "positions" || name == "last":
		return ints(r, n, seq)
	case c.Args[arg].DType == ir.I32:
		return ints(r, n, vocab)
	case name == "weight":
		x := fill(r, n, 1, 0.5)
		x[1] = 0
		return x
	case name == "rstd" || name == "lse" || name == "v":
		return fill(r, n, 1.5, 0.5)
	}
	return fill(r, n, 0, 1)
}

// TestEveryOpAgrees runs each op alone through the engines with the same
// arguments: cpu within 1e-5 of ref, equal for any number of workers, and null
// content. A gradient is tried stored and continued.
func TestEveryOpAgrees(t *testing.T) {
	var seen [ir.NumOps]bool
	for _, c := range cases() {
		seen[c.Op] = true
		for _, acc := range []float64{0, 1} {
			p, args, results := plantest.Single(c, 3)
			name := c.Op.String() + " " + strings.TrimSpace(c.Attr.String())
			want := apply(t, ref.Engine{}, p, c, args, results, exec.Options{}, acc)
			got := apply(t, cpu.Engine{}, p, c, args, results, exec.Options{Workers: 3}, acc)
			one := apply(t, cpu.Engine{}, p, c, args, results, exec.Options{Workers: 1}, acc)
			apply(t, null.Engine{}, p, c, args, results, exec.Options{}, acc)
			for k := range want {
				result := c.Op.Info().Results[k].Name
				if a := apart(got[k], want[k]); !(a <= 1e-5) {
					t.Errorf("%s, acc %v: %s differs from ref by %.3g", name, acc, result, a)
				}
				if a := apart(got[k], one[k]); a != 0 {
					t.Errorf("%s, acc %v: %s differs by %.3g between 1 and 3 workers", name, acc, result, a)
				}
			}
		}
	}
	for op, ok := range seen {
		switch ir.Op(op) {
		case ir.OpLeaf, ir.OpCopyOut, ir.OpCopyIn, ir.OpCopyStage:
		default:
			if !ok {
				t.Errorf("%s has no case", ir.Op(op))
			}
		}
	}
}

// apply runs a case and returns its results; f64 ones are rounded.
func apply(t *testing.T, e exec.Engine, p *plan.Plan, c plantest.Case, args, results []int, o exec.Options, acc float64) [][]float32 {
	t.Helper()
	s := open(t, e, p, o)
	r := rand.New(rand.NewPCG(1, 2))
	for k, b := range args {
		if b >= 0 {
			write(t, s, b, values(r, c, k, acc))
		}
	}
	if err := s.Run(t.Context(), ir.Micro); err != nil {
		t.Fatalf("%s: %s: %v", e.Name(), c.Op, err)
	}
	var out [][]float32
	for _, b := range results {
		if p.Buffers[b].DType != "f64" {
			out = append(out, floats(t, p, s, b))
			continue
		}
		x := make([]float64, p.Buffers[b].Shape[0])
		if err := s.Read(b, x); err != nil {
			t.Fatal(err)
		}
		y := make([]float32, len(x))
		for j, v := range x {
			y[j] = float32(v)
		}
		out = append(out, y)
	}
	return out
}
