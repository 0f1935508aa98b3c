package ir

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// signature is one right application of an op, written with symbols. The tests
// derive the wrong ones from it, and docs/ops.md prints it.
type signature struct {
	args    string // types in the order of the table, optional ones too
	attr    string
	results string
	flops   string // "" for none
	anyDim  string // dimensions that nothing else fixes: "table.0", or "x" for its whole shape
	anyType string // arguments whose element type nothing fixes
	stored  string // arguments that alone fix the storage type, so that another float type is right too
	bad     []string
}

// symbols are sizes that differ pairwise, so that a mixed-up dimension shows.
var symbols = map[string]int{"B": 3, "T": 4, "R": 12, "C": 10, "V": 11, "P": 9, "U": 5, "K": 14, "N": 15, "F": 7, "H": 4, "G": 2, "D": 6, "M": 8, "CTL": ControlLen}

const (
	packed = "f32[R,(H+2*G)*D]"
	heads  = "heads=4 kvHeads=2 headDim=6 seqLen=4"
)

// headsBad are head counts and sequences that do not fit the packed operand.
func headsBad(rest string) []string {
	return []string{
		"heads=3 kvHeads=2 headDim=6 seqLen=4 " + rest, "heads=4 kvHeads=3 headDim=6 seqLen=4 " + rest, "heads=4 headDim=6 seqLen=4 " + rest,
		"heads=4 kvHeads=2 headDim=5 seqLen=4 " + rest, "heads=4 kvHeads=2 headDim=6 seqLen=5 " + rest, "heads=4 kvHeads=2 headDim=6 " + rest,
		"heads=-4 kvHeads=-2 headDim=-6 seqLen=-4 " + rest, "",
	}
}

var signatures = [NumOps]signature{
	OpEmbed:     {args: "f32[V,C] f32[P,C] i32[R] i32[R]", attr: "seqLen=4", results: "f32[R,C]", flops: "R*C", anyDim: "table.0 pos.0", bad: []string{"", "seqLen=5", "seqLen=12"}},
	OpEmbedGrad: {args: "f32[R,C] i32[R] f64[CTL] f32[V,C]", stored: "dx", results: "f32[V,C]", flops: "R*C", anyDim: "gtable.0"},
	OpEmbedRows: {args: "f32[R,C] i32[R] f64[CTL] f32[U,C]", stored: "dx", results: "f32[U,C]", flops: "R*C", anyDim: "compact.0"},
	OpEmbedAdd:  {args: "f32[U,C] i32[U] f32[V,C]", results: "f32[V,C]", flops: "U*C", anyDim: "gtable.0"},
	OpPosGrad:   {args: "f32[R,C] i32[R] f64[CTL] f32[P,C]", attr: "seqLen=4", stored: "dx", results: "f32[P,C]", flops: "R*C", anyDim: "gpos.0", bad: []string{"", "seqLen=5", "seqLen=12"}},

	OpLayerNorm:      {args: "f32[R,C] f32[C] f32[C]", attr: "eps=1e-05", results: "f32[R,C] f32[R] f32[R]", flops: "8*R*C", anyDim: "x.0", bad: []string{"", "eps=-1"}},
	OpLayerNormApply: {args: "f32[R,C] f32[R] f32[R] f32[C] f32[C]", results: "f32[R,C]", flops: "4*R*C"},
	OpLayerNormGrad:  {args: "f32[R,C] f32[R,C] f32[C] f32[R] f32[R] f64[CTL] f32[C] f32[C]", results: "f32[R,C] f32[C] f32[C]", flops: "14*R*C"},
	OpRMSNorm:        {args: "f32[R,C] f32[C]", attr: "eps=1e-06", results: "f32[R,C] f32[R]", flops: "5*R*C", anyDim: "x.0", bad: []string{"", "eps=-1"}},
	OpRMSNormApply:   {args: "f32[R,C] f32[R] f32[C]", results: "f32[R,C]", flops: "2*R*C"},
	OpRMSNormGrad:    {args: "f32[R,C] f32[R,C] f32[C] f32[R] f64[CTL] f32[C]", results: "f32[R,C] f32[C]", flops: "10*R*C"},

	OpLinear:     {args: "f32[R,K] f32[N,K] f32[N]", results: "f32[R,N]", flops: "2*R*K*N", anyDim: "x.0"},
	OpLinearGELU: {args: "f32[R,K] f32[N,K] f32[N]", attr: "tanh", results: "f32[R,N] f32[R,N]", flops: "2*R*K*N", anyDim: "x.0"},
	OpLinearAdd:  {args: "f32[R,K] f32[N,K] f32[N] f32[R,N]", results: "f32[R,N]", flops: "2*R*K*N"},
	OpLinearDX:   {args: "f32[R,N] f32[N,K]", results: "f32[R,K]", flops: "2*R*K*N", anyDim: "dy.0 w.1"},
	OpLinearDW:   {args: "f32[R,N] f32[R,K] f64[CTL] f32[N,K]", results: "f32[N,K]", flops: "2*R*K*N"},
	OpLinearDB:   {args: "f32[R,N] f64[CTL] f32[N]", stored: "dy", results: "f32[N]", flops: "R*N", anyDim: "dy.0"},

	OpGELU:       {args: "f32[R,F]", attr: "tanh", stored: "x", results: "f32[R,F]", flops: "10*R*F", anyDim: "x"},
	OpGELUGrad:   {args: "f32[R,F] f32[R,F]", attr: "tanh", results: "f32[R,F]", flops: "16*R*F"},
	OpSwiGLU:     {args: "f32[R,2*F]", stored: "gu", results: "f32[R,F]", flops: "5*R*2*F", anyDim: "gu.0"},
	OpSwiGLUGrad: {args: "f32[R,2*F] f32[R,F]", results: "f32[R,2*F]", flops: "8*R*2*F"},
	OpRoPE:       {args: packed + " i32[R]", attr: heads + " base=10000 inverse", stored: "x", results: packed, flops: "4*R*(H+2*G)*D", bad: append(headsBad("base=10000"), heads)},

	OpAttention:     {args: packed + " i32[R]", attr: heads + " scale=0.25", stored: "qkv", results: "f32[R,H*D] f32[R,H]", flops: "4*B*H*D*T*(T+1)/2", bad: append(headsBad("scale=0.25"), heads)},
	OpAttentionGrad: {args: "f32[R,H*D] " + packed + " f32[R,H*D] f32[R,H] i32[R]", attr: heads + " scale=0.25", results: packed, flops: "10*B*H*D*T*(T+1)/2", bad: append(headsBad("scale=0.25"), heads)},

	OpAdd:     {args: "f32[R,C] f32[R,C]", results: "f32[R,C]", flops: "R*C"},
	OpDropout: {args: "f32[R,C] f64[CTL]", attr: "rate=0.1 site=65 seed=7 seqLen=4", stored: "x", results: "f32[R,C]", flops: "4*R*C", anyDim: "x.1", bad: []string{"rate=0.1", "rate=1 seqLen=4", "rate=-0.5 seqLen=4", "rate=0.1 seqLen=5"}},

	OpHeadLoss:     {args: "f32[R,C] f32[V,C] i32[R] f32[R]", results: "f32[R]", flops: "2*R*V*C", anyDim: "w.0"},
	OpHeadLossGrad: {args: "f32[R,C] f32[V,C] i32[R] f32[R] f64[CTL] f32[V,C]", results: "f32[R] f32[R,C] f32[V,C]", flops: "6*R*V*C"},
	OpHeadLogits:   {args: "f32[R,C] f32[V,C] i32[B]", attr: "seqLen=4", results: "f32[B,V]", flops: "2*B*V*C", anyDim: "w.0", bad: []string{"", "seqLen=3", "seqLen=-4"}},

	OpNorm2: {args: "f32[N,K] f64[M]", attr: "index=7", results: "f64[M]", flops: "2*N*K", anyDim: "g norms.0", bad: []string{"index=8", "index=-1"}},
	OpClip:  {args: "f64[M] f64[CTL]", attr: "maxNorm=1", results: "f64[CTL]", flops: "M", anyDim: "norms.0", bad: []string{"maxNorm=-1"}},

	OpAdamW:       {args: "f32[N,K] f32[N,K] f32[N,K] f32[N,K] f64[CTL]", attr: "beta1=0.9 beta2=0.95 eps=1e-08 decay=0.1 lrScale=1", results: "f32[N,K] f32[N,K] f32[N,K]", flops: "14*N*K"},
	OpSGD:         {args: "f32[N,K] f32[N,K] f64[CTL]", attr: "decay=0.1 lrScale=1", results: "f32[N,K]", flops: "4*N*K"},
	OpSGDMomentum: {args: "f32[N,K] f32[N,K] f32[N,K] f64[CTL]", attr: "decay=0.1 lrScale=1 momentum=0.9 nesterov", results: "f32[N,K] f32[N,K]", flops: "6*N*K"},

	OpCast: {args: "f32[N,K] bf16[N,K]", stored: "w", results: "bf16[N,K]", flops: "N*K"},

	OpCopyOut:   {args: "f32[R,C] f32[R,C]", results: "f32[R,C]"},
	OpCopyIn:    {args: "f32[R,C]", results: "f32[R,C]", anyDim: "host", anyType: "host"},
	OpCopyStage: {args: "f32[R,C]", results: "f32[R,C]", anyDim: "x", anyType: "x"},
}

var symbol = regexp.MustCompile(`[A-Z]+`)

// evaluate computes a formula over symbols.
func evaluate(t *testing.T, formula string) int64 {
	t.Helper()
	if formula == "" {
		return 0
	}
	text := symbol.ReplaceAllStringFunc(formula, func(s string) string {
		n, ok := symbols[s]
		if !ok {
			t.Fatalf("formula %q: unknown symbol %s", formula, s)
		}
		return strconv.Itoa(n)
	})
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		t.Fatalf("formula %q: %v", formula, err)
	}
	n, exact := constant.Int64Val(v.Value)
	if !exact {
		t.Fatalf("formula %q is no integer", formula)
	}
	return n
}

// typesOf reads symbolic types: "f32[R,2*F] i32[R]".
func typesOf(t *testing.T, text string) (ts []Type) {
	t.Helper()
	for _, f := range strings.Fields(text) {
		name, dims, ok := strings.Cut(strings.TrimSuffix(f, "]"), "[")
		d, err := ParseDType(name)
		if err != nil || !ok {
			t.Fatalf("type %q: %v", f, err)
		}
		u := Type{DType: d}
		for _, dim := range strings.Split(dims, ",") {
			u.Shape = append(u.Shape, int(evaluate(t, dim)))
		}
		ts = append(ts, u)
	}
	return ts
}

func attrOf(t *testing.T, text string) Attr {
	t.Helper()
	a, err := parseAttr(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// eachOp runs a test for every op that can be applied.
func eachOp(t *testing.T, f func(t *testing.T, o Op, s signature, args []Type, attr Attr)) {
	for o := range NumOps {
		if o == OpLeaf {
			continue
		}
		t.Run(o.String(), func(t *testing.T) {
			s := signatures[o]
			args := typesOf(t, s.args)
			if len(args) != len(o.Info().Args) {
				t.Fatalf("signature has %d arguments, op %d", len(args), len(o.Info().Args))
			}
			f(t, o, s, args, attrOf(t, s.attr))
		})
	}
}

// line is the signature as docs/ops.md shows it.
func (s *signature) line(o Op) string {
	info := o.Info()
	args, results := strings.Fields(s.args), strings.Fields(s.results)
	for i, p := range info.Args {
		if p.Optional {
			p.Name += "?"
		}
		args[i] = p.Name + " " + args[i]
	}
	for i, p := range info.Results {
		results[i] = p.Name + " " + results[i]
	}
	text := fmt.Sprintf("%s = %s(%s)", strings.Join(results, ", "), o, strings.Join(args, ", "))
	if len(info.Attrs) > 0 {
		text += " {" + strings.Join(info.Attrs, " ") + "}"
	}
	return symbolic(text)
}

func symbolic(s string) string { return strings.ReplaceAll(s, "*", "·") }
