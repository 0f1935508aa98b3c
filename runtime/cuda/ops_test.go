//go:build cuda

package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
	"github.com/gradcue/gradcue/runtime/exec"
	"github.com/gradcue/gradcue/runtime/ref"
)

// sizes of the cases of one round: all different, so that a swapped size shows.
type sizes struct {
	batch, seq, width, hidden, vocab int
	heads, groups, headDim           int
	positions, compact               int
}

// odd sizes stay below one tile of every kernel and fit none; wide ones are more
// than one tile, and rows are whole pieces of 16 bytes, as tensor cores want them.
var (
	odd  = sizes{2, 6, 10, 14, 23, 4, 2, 6, 9, 7}
	wide = sizes{3, 75, 72, 136, 301, 4, 2, 72, 81, 40}
)

// cases has each op at least once, and once without its optional arguments.
func (z sizes) cases() []plantest.Case {
	f := func(shape ...int) ir.Type { return ir.Of(ir.F32, shape...) }
	i := func(shape ...int) ir.Type { return ir.Of(ir.I32, shape...) }
	d := func(shape ...int) ir.Type { return ir.Of(ir.F64, shape...) }
	rows := z.batch * z.seq
	ctl, x, dy, row := d(ir.ControlLen), f(rows, z.width), f(rows, z.hidden), f(rows)
	w, vec, no := f(z.hidden, z.width), f(z.width), ir.Type{}
	table, ids := f(z.vocab, z.width), i(rows)
	qkv, att := f(rows, (z.heads+2*z.groups)*z.headDim), f(rows, z.heads*z.headDim)
	attn := ir.Attr{Heads: z.heads, KVHeads: z.groups, HeadDim: z.headDim, Scale: 0.4, SeqLen: z.seq}
	rot := ir.Attr{Heads: z.heads, KVHeads: z.groups, HeadDim: z.headDim, SeqLen: z.seq, Base: 10000}
	back := rot
	back.Inverse = true
	slim := attn // heads of the narrower kernels
	slim.HeadDim = max(2, (z.headDim+8)/16*8)
	slimQKV, slimAtt := f(rows, (z.heads+2*z.groups)*slim.HeadDim), f(rows, z.heads*slim.HeadDim)
	of := func(op ir.Op, a ir.Attr, args ...ir.Type) plantest.Case {
		return plantest.Case{Op: op, Attr: a, Args: args}
	}
	none, s, eps := ir.Attr{}, ir.Attr{SeqLen: z.seq}, ir.Attr{Eps: 1e-5}
	return []plantest.Case{
		of(ir.OpEmbed, s, table, f(z.positions, z.width), ids, ids), of(ir.OpEmbed, none, table, no, ids, no),
		of(ir.OpEmbedGrad, none, x, ids, ctl, table), of(ir.OpEmbedRows, none, x, ids, ctl, f(z.compact, z.width)),
		of(ir.OpEmbedAdd, none, f(z.compact, z.width), i(z.compact), table),
		of(ir.OpPosGrad, s, x, ids, ctl, f(z.positions, z.width)), of(ir.OpPosGrad, s, x, no, ctl, f(z.positions, z.width)),
		of(ir.OpLayerNorm, eps, x, vec, vec), of(ir.OpLayerNormApply, none, x, row, row, vec, vec),
		of(ir.OpLayerNormGrad, none, x, x, vec, row, row, ctl, vec, vec),
		of(ir.OpRMSNorm, eps, x, vec), of(ir.OpRMSNormApply, none, x, row, vec), of(ir.OpRMSNormGrad, none, x, x, vec, row, ctl, vec),
		of(ir.OpLinear, none, x, w, f(z.hidden)), of(ir.OpLinear, none, x, w, no),
		of(ir.OpLinearGELU, none, x, w, f(z.hidden)), of(ir.OpLinearGELU, ir.Attr{Tanh: true}, x, w, no),
		of(ir.OpLinearDX, none, dy, w), of(ir.OpLinearDW, none, dy, x, ctl, w), of(ir.OpLinearDB, none, dy, ctl, f(z.hidden)),
		of(ir.OpGELU, none, x), of(ir.OpGELUGrad, none, x, x), of(ir.OpGELU, ir.Attr{Tanh: true}, x), of(ir.OpGELUGrad, ir.Attr{Tanh: true}, x, x),
		of(ir.OpSwiGLU, none, dy), of(ir.OpSwiGLUGrad, none, dy, f(rows, z.hidden/2)),
		of(ir.OpRoPE, rot, qkv, ids), of(ir.OpRoPE, back, qkv, no),
		of(ir.OpAttention, attn, qkv, ids), of(ir.OpAttention, attn, qkv, no),
		of(ir.OpAttentionGrad, attn, att, qkv, att, f(rows, z.heads), ids), of(ir.OpAttentionGrad, attn, att, qkv, att, f(rows, z.heads), no),
		of(ir.OpAttention, slim, slimQKV, ids), of(ir.OpAttentionGrad, slim, slimAtt, slimQKV, slimAtt, f(rows, z.heads), ids),
		of(ir.OpAdd, none, x, x), of(ir.OpDropout, ir.Attr{Rate: 0.3, Site: 65, Seed: 9 << 33, SeqLen: z.seq}, x, ctl),
		of(ir.OpHeadLoss, none, x, table, ids, row), of(ir.OpHeadLossGrad, none, x, table, ids, row, ctl, table),
		of(ir.OpHeadLogits, s, x, table, i(z.batch)),
		of(ir.OpNorm2, ir.Attr{Index: 2}, x, d(3)), of(ir.OpNorm2, none, f(70000), d(1)), of(ir.OpClip, ir.Attr{MaxNorm: 0.5}, d(3), ctl),
		of(ir.OpAdamW, ir.Attr{Beta1: 0.9, Beta2: 0.999, Eps: 1e-3, Decay: 0.1, LRScale: 0.5}, x, x, x, x, ctl),
		of(ir.OpSGD, ir.Attr{Decay: 0.1, LRScale: 0.5}, x, x, ctl),
		of(ir.OpSGDMomentum, ir.Attr{Decay: 0.1, LRScale: 0.5, Momentum: 0.9, Nesterov: true}, x, x, x, ctl),
		of(ir.OpSGDMomentum, ir.Attr{Decay: 0.1, LRScale: 0.5, Momentum: 0.9}, x, x, x, ctl),
		of(ir.OpCast, none, x, ir.Of(ir.BF16, rows, z.width)), of(ir.OpCast, none, x, ir.Of(ir.F16, rows, z.width)),
	}
}

// storedNames are the names of operands that take the storage type.
var storedNames = strings.Fields("x dx dy a b w table pos gu dh qkv att datt")

// stored is a case with its operands stored in 16 bits; false when it has none of them.
func stored(c plantest.Case, to ir.DType) (plantest.Case, bool) {
	switch c.Op {
	case ir.OpEmbedAdd, ir.OpNorm2, ir.OpClip, ir.OpAdamW, ir.OpSGD, ir.OpSGDMomentum, ir.OpCast:
		return c, to == ir.F32
	}
	c.Args = slices.Clone(c.Args)
	for k, p := range c.Op.Info().Args {
		if c.Args[k].DType == ir.F32 && slices.Contains(storedNames, p.Name) {
			c.Args[k].DType = to
		}
	}
	return c, true
}

// operand makes one argument of a case, in range where it is an index.
func (z sizes) operand(r *rand.Rand, c plantest.Case, arg int, acc float64) any {
	n, name := int(c.Args[arg].Elems()), c.Op.Info().Args[arg].Name
	indices := func(limit int, last int32) []int32 {
		x := make([]int32, n)
		for k := range x {
			x[k] = int32(r.IntN(limit))
		}
		if last != 0 {
			x[n-1] = last
		}
		return x
	}
	switch {
	case name == "ctl":
		x := make([]float64, ir.ControlLen)
		x[plan.CtlC], x[plan.CtlAcc], x[plan.CtlScale], x[plan.CtlLR] = 0.25, acc, 2, 0.1
		x[plan.CtlBC1], x[plan.CtlBC2], x[plan.CtlU], x[plan.CtlSeq0] = 0.271, 0.003, 3, 5
		x[plan.CtlApply], x[plan.CtlGScale] = 1, 0.5
		return x
	case c.Args[arg].DType == ir.F64:
		return []float64{1, 2, 4}[:n]
	case name == "lo": // first visible key, with an empty row
		lo := indices(2, 0)
		lo[z.seq-1] = int32(z.seq)
		if z.seq > 40 {
			for k := 40; k < z.seq-1; k++ { // a second document
				lo[k] = 35
			}
		}
		return lo
	case name == "row":
		return indices(z.compact, -1)
	case name == "rowids":
		return indices(z.vocab, -1)
	case name == "positions" || name == "last":
		return indices(z.seq, 0)
	case c.Args[arg].DType == ir.I32:
		return indices(z.vocab, 0)
	case name == "weight":
		x := values(r, n, 1)
		x[1] = 0
		return x
	case name == "rstd" || name == "lse" || name == "v":
		return values(r, n, 1.5)
	}
	return values(r, n, 0)
}

// apply runs a case on arguments that are always the same.
func (z sizes) apply(t *testing.T, e exec.Engine, p *plan.Plan, c plantest.Case, args, results []int, acc float64) [][]float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	return applyTo(t, e, p, c, args, results, func(k int) any { return z.operand(r, c, k, acc) })
}

// applyTo runs a case on arguments by position and returns its results; f64 ones
// are rounded.
func applyTo(t *testing.T, e exec.Engine, p *plan.Plan, c plantest.Case, args, results []int, operand func(k int) any) (out [][]float32) {
	t.Helper()
	s, err := e.Open(p, exec.Options{})
	if err != nil {
		t.Fatalf("%s: %s: %v", e.Name(), c.Op, err)
	}
	defer s.Close()
	for k, b := range args {
		if b >= 0 {
			if err := s.Write(b, operand(k)); err != nil {
				t.Fatalf("%s: %s: %v", e.Name(), c.Op, err)
			}
		}
	}
	if err := s.Run(t.Context(), ir.Micro); err != nil {
		t.Fatalf("%s: %s: %v", e.Name(), c.Op, err)
	}
	for _, b := range results {
		n := 1
		for _, m := range p.Buffers[b].Shape {
			n *= m
		}
		x, y := make([]float64, n), make([]float32, n)
		var into any = y
		if p.Buffers[b].DType == "f64" {
			into = x
		}
		if err := s.Read(b, into); err != nil {
			t.Fatalf("%s: %s: %v", e.Name(), c.Op, err)
		}
		for j := range x {
			if p.Buffers[b].DType == "f64" {
				y[j] = float32(x[j])
			}
		}
		out = append(out, y)
	}
	return out
}

// relative is ‖a-b‖/max(‖a‖,‖b‖); equal infinities are equal.
func relative(a, b []float32) float64 {
	var diff, na, nb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if x == y {
			x, y = 0, 0
		}
		diff, na, nb = diff+(x-y)*(x-y), na+float64(a[i])*float64(a[i]), nb+float64(b[i])*float64(b[i])
	}
	if diff == 0 {
		return 0
	}
	return math.Sqrt(diff / max(na, nb))
}

// arithmetics are the storage types with the products that may be asked for, and
// how far results may be from ref: 1e-5 in f32 products, the rounding of the type
// in others and in 16 bits.
var arithmetics = []struct {
	to       ir.DType
	products string
	limit    float64
}{{ir.F32, "f32", 1e-5}, {ir.F32, "tf32", 3e-3}, {ir.BF16, "f32", 1e-2}, {ir.BF16, "bf16dot", 1e-2}, {ir.F16, "f32", 2e-3}, {ir.F16, "f16dot", 2e-3}}

// with is a plan for this engine with an arithmetic of products.
func with(p *plan.Plan, products string) *plan.Plan {
	p.Run.Precision.Products = products
	return forCUDA(p)
}

// multiplies reports whether an op has products of matrices, so that how they are
// made is a question.
func multiplies(op ir.Op) bool {
	switch op {
	case ir.OpLinear, ir.OpLinearGELU, ir.OpLinearAdd, ir.OpLinearDX, ir.OpLinearDW, ir.OpAttention, ir.OpAttentionGrad, ir.OpHeadLoss, ir.OpHeadLossGrad:
		return true
	}
	return false
}

// TestEveryOp runs each op alone, stored in each type, and compares with ref. A
// second run has the same bits. A gradient is tried stored and continued.
func TestEveryOp(t *testing.T) {
	engine := Engine{Library: driver(), Split: true}
	for _, l := range arithmetics {
		for round, z := range []sizes{odd, wide} {
			for _, c := range z.cases() {
				c, ok := stored(c, l.to)
				if l.products != "f32" && (round == 0 || !multiplies(c.Op)) {
					continue // as in f32
				}
				for acc := 0.0; ok && acc < 2; acc++ {
					if round == 1 && acc == 0 {
						continue
					}
					p, args, results := plantest.Single(c, 3)
					want := z.apply(t, ref.Engine{}, p, c, args, results, acc)
					p = with(p, l.products)
					got := z.apply(t, engine, p, c, args, results, acc)
					for k := range want {
						if a := relative(got[k], want[k]); !(a <= l.limit) {
							t.Errorf("%s%s in %s, products %s, acc %v: %s differs from ref by %.3g", c.Op, c.Attr, l.to, l.products, acc, c.Op.Info().Results[k].Name, a)
						}
					}
					if round == 1 || c.Op == ir.OpNorm2 {
						continue
					}
					again := z.apply(t, engine, p, c, args, results, acc)
					for k := range got {
						if !slices.Equal(bitsOf(got[k]), bitsOf(again[k])) {
							t.Errorf("%s in %s, acc %v: %s differs between two runs", c.Op, l.to, acc, c.Op.Info().Results[k].Name)
						}
					}
				}
			}
		}
	}
}

// TestAgain: a result that the op table can compute again has the same bits then,
// from the arguments and results as they are stored.
func TestAgain(t *testing.T) {
	engine, seen := Engine{Library: driver()}, 0
	for _, l := range arithmetics {
		for _, c := range wide.cases() {
			c, ok := stored(c, l.to)
			if !ok || len(c.Op.Info().Again) == 0 || l.products != "f32" && !multiplies(c.Op) {
				continue
			}
			p, args, results := plantest.Single(c, 1)
			r := rand.New(rand.NewPCG(3, 4))
			given, types := map[string]any{}, map[string]ir.Type{}
			for k, a := range c.Op.Info().Args {
				if types[a.Name] = c.Args[k]; c.Args[k].DType != ir.Invalid {
					given[a.Name] = wide.operand(r, c, k, 0)
				}
			}
			inferred, err := c.Op.Infer(c.Attr, c.Args)
			if err != nil {
				t.Fatal(err)
			}
			first := applyTo(t, engine, with(p, l.products), c, args, results, func(k int) any { return given[c.Op.Info().Args[k].Name] })
			for k, res := range c.Op.Info().Results {
				given[res.Name], types[res.Name] = first[k], inferred[k]
			}
			for _, a := range c.Op.Info().Again {
				again := plantest.Case{Op: a.Op, Attr: ir.Attr{Tanh: c.Attr.Tanh}}
				for _, name := range a.Args {
					again.Args = append(again.Args, types[name])
				}
				p, args, results := plantest.Single(again, 1)
				second := applyTo(t, engine, with(p, l.products), again, args, results, func(k int) any { return given[a.Args[k]] })
				if !slices.Equal(bitsOf(second[0]), bitsOf(first[c.Op.Result(a.Result)])) {
					t.Errorf("%s of %s in %s, products %s, differs when %s computes it again", a.Result, c.Op, l.to, l.products, a.Op)
				}
				seen++
			}
		}
	}
	if seen < 15 {
		t.Errorf("%d results were computed again", seen)
	}
}

// TestFused: an op that one kernel makes has the bits of its parts, made one after
// the other, in every arithmetic, for rows that fit pieces of 16 bytes and for
// others, and for tiles of both sizes.
func TestFused(t *testing.T) {
	engine := Engine{Library: driver()}
	large := sizes{batch: 1, seq: 1040, width: 24, hidden: 2056}
	for _, l := range arithmetics {
		for _, z := range []sizes{odd, wide, large} {
			rows := z.batch * z.seq
			of := func(shape ...int) ir.Type { return ir.Of(l.to, shape...) }
			made := map[string][]float32{}
			run := func(op ir.Op, a ir.Attr, args ...ir.Type) [][]float32 {
				c := plantest.Case{Op: op, Attr: a, Args: args}
				p, in, out := plantest.Single(c, 1)
				return applyTo(t, engine, with(p, l.products), c, in, out, func(k int) any {
					if x := made[op.Info().Args[k].Name]; x != nil {
						return x
					}
					return values(rand.New(rand.NewPCG(7, uint64(k))), int(args[k].Elems()), 0)
				})
			}
			same := func(what string, a, b []float32) {
				t.Helper()
				if !slices.Equal(bitsOf(a), bitsOf(b)) {
					t.Errorf("%s in %s, products %s, of %d×%d×%d: fused and unfused differ", what, l.to, l.products, rows, z.width, z.hidden)
				}
			}
			x, w, b, wide := of(rows, z.width), of(z.hidden, z.width), of(z.hidden), of(rows, z.hidden)
			y := run(ir.OpLinear, ir.Attr{}, x, w, b)[0]
			for _, tanh := range []bool{false, true} {
				both := run(ir.OpLinearGELU, ir.Attr{Tanh: tanh}, x, w, b)
				same("fc", both[0], y)
				made["x"] = y
				act := run(ir.OpGELU, ir.Attr{Tanh: tanh}, wide)[0]
				delete(made, "x")
				same("act", both[1], act)
			}
			residual := values(rand.New(rand.NewPCG(8, 9)), rows*z.hidden, 0)
			made["r"] = residual
			sum := run(ir.OpLinearAdd, ir.Attr{}, x, w, b, wide)[0]
			made["a"], made["b"] = residual, y
			same("sum", sum, run(ir.OpAdd, ir.Attr{}, wide, wide)[0])
		}
	}
}

func bitsOf(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, v := range x {
		b[i] = math.Float32bits(v)
	}
	return b
}

// TestEveryOpBound: the table has every op that is launched, and no other.
func TestEveryOpBound(t *testing.T) {
	for op := range ir.NumOps {
		want := true
		switch op {
		case ir.OpLeaf, ir.OpCopyOut, ir.OpCopyIn, ir.OpCopyStage:
			want = false
		}
		if got := table[op] != nil; got != want {
			t.Errorf("%s: bound is %v, want %v", op, got, want)
		}
	}
}
