package ir

import (
	"fmt"
	"slices"
	"strings"
)

// Op is one operation of the table.
type Op uint8

// The ops, in the order of the table.
const (
	OpLeaf Op = iota
	OpEmbed
	OpEmbedGrad
	OpEmbedRows
	OpEmbedAdd
	OpPosGrad
	OpLayerNorm
	OpLayerNormApply
	OpLayerNormGrad
	OpRMSNorm
	OpRMSNormApply
	OpRMSNormGrad
	OpLinear
	OpLinearGELU
	OpLinearAdd
	OpLinearDX
	OpLinearDW
	OpLinearDB
	OpGELU
	OpGELUGrad
	OpSwiGLU
	OpSwiGLUGrad
	OpRoPE
	OpAttention
	OpAttentionGrad
	OpAdd
	OpDropout
	OpHeadLoss
	OpHeadLossGrad
	OpHeadLogits
	OpNorm2
	OpClip
	OpAdamW
	OpSGD
	OpSGDMomentum
	OpCast
	OpCopyOut
	OpCopyIn
	OpCopyStage
	NumOps
)

// Param is a named argument or result of an op.
type Param struct {
	Name     string
	Optional bool   // argument: may be absent
	Over     string // result: name of the argument it is stored over

	// Anew: the argument is not read in the first micro-batch of a window that
	// runs, in which the result begins.
	Anew bool

	// Direct: a kernel for the CPU target reads or writes the operand as it is
	// stored, so that no f32 copy of 16-bit elements is reserved.
	Direct bool

	over int // position of that argument, -1 for none
}

// Again names the cheapest op that reproduces one result, to the bit, from
// other arguments and results of the node (by name).
type Again struct {
	Result string
	Op     Op
	Args   []string
}

// Info is the row of an op in the table.
type Info struct {
	Name    string
	Doc     string
	Args    []Param
	Results []Param
	Attrs   []string // attribute fields that the op reads
	Again   []Again

	shape func(s *shapes) []Type
	flops func(s *shapes) int64
	work  func(s *shapes, workers int) int64
}

// row is the written form of Info: "x w b?" and "dx gw'=gw+". direct are the
// operands with Direct, by name; all for every one.
type row struct {
	name, args, results, attrs, doc string
	direct                          string
	shape                           func(*shapes) []Type
	flops                           func(*shapes) int64
	work                            func(*shapes, int) int64
	again                           []Again
}

var table = expand(rows())

func expand(rs [NumOps]row) (t [NumOps]Info) {
	for i, r := range rs {
		t[i] = Info{Name: r.name, Doc: r.doc, Args: params(r.args, r.direct), Results: params(r.results, r.direct),
			Attrs: strings.Fields(r.attrs), Again: r.again, shape: r.shape, flops: r.flops, work: r.work}
		for k := range t[i].Results {
			p := &t[i].Results[k]
			p.over = find(t[i].Args, p.Over)
		}
	}
	return t
}

func params(s, direct string) (ps []Param) {
	names := strings.Fields(direct)
	for _, f := range strings.Fields(s) {
		name, over, _ := strings.Cut(f, "=")
		over, anew := strings.CutSuffix(over, "+")
		bare := strings.TrimSuffix(name, "?")
		ps = append(ps, Param{Name: bare, Optional: bare != name, Over: over, Anew: anew, Direct: direct == "all" || slices.Contains(names, bare)})
	}
	return ps
}

// Info is the op's row in the table.
func (o Op) Info() *Info { return &table[o] }

// String is the op's name.
func (o Op) String() string {
	if o >= NumOps {
		return fmt.Sprintf("op(%d)", uint8(o))
	}
	return table[o].Name
}

// ParseOp finds an op by name.
func ParseOp(name string) (Op, error) {
	for i := range table {
		if table[i].Name == name {
			return Op(i), nil
		}
	}
	return 0, fmt.Errorf("unknown op %q", name)
}

// Arg is the position of the named argument, -1 when the op has none of that name.
func (o Op) Arg(name string) int { return find(table[o].Args, name) }

// Result is the position of the named result, -1 when the op has none of that name.
func (o Op) Result(name string) int { return find(table[o].Results, name) }

func find(ps []Param, name string) int {
	for i, p := range ps {
		if p.Name == name {
			return i
		}
	}
	return -1
}

// Over is the argument position that result i is stored over, -1 when it has storage of its own.
func (o Op) Over(i int) int {
	if i >= len(table[o].Results) {
		return -1
	}
	return table[o].Results[i].over
}

// shapes is what shape rules and costs read: arguments by name.
type shapes struct {
	info *Info
	attr Attr
	args []Type
	err  error
}

// has reports whether the named argument is present.
func (s *shapes) has(name string) bool {
	i := find(s.info.Args, name)
	return i >= 0 && i < len(s.args) && s.args[i].DType != Invalid
}

// arg is the type of the named argument; the zero Type when absent.
func (s *shapes) arg(name string) Type {
	if !s.has(name) {
		return Type{}
	}
	return s.args[find(s.info.Args, name)]
}

// dim is dimension i of the named argument, 1 when there is none, so that a
// rule can go on after the mismatch that want has recorded.
func (s *shapes) dim(name string, i int) int {
	t := s.arg(name)
	if i >= len(t.Shape) {
		return 1
	}
	return t.Shape[i]
}

// want records the first mismatch of a present argument.
func (s *shapes) want(name string, d DType, shape ...int) {
	if !s.has(name) || s.err != nil {
		return
	}
	if w := Of(d, shape...); !s.arg(name).Equal(w) {
		s.err = fmt.Errorf("argument %s is %v, want %v", name, s.arg(name), w)
	}
}

// rank records a mismatch when the argument does not have n dimensions of d.
func (s *shapes) rank(name string, d DType, n int) {
	if !s.has(name) || s.err != nil {
		return
	}
	if t := s.arg(name); t.DType != d || len(t.Shape) != n {
		s.err = fmt.Errorf("argument %s is %v, want %v with %d dimensions", name, t, d, n)
	}
}

// fail records a violated relation between attributes and shapes.
func (s *shapes) fail(ok bool, format string, args ...any) {
	if !ok && s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Infer is the shape rule: the types of the results, or what does not fit. It
// never panics, whatever it is given: plans from strangers are checked with it.
func (o Op) Infer(attr Attr, args []Type) ([]Type, error) {
	if o >= NumOps || o == OpLeaf {
		return nil, fmt.Errorf("op %d cannot be applied", o)
	}
	if err := o.foreign(attr); err != nil {
		return nil, err
	}
	s, err := o.shapes(attr, args)
	if err != nil {
		return nil, err
	}
	ts := table[o].shape(s)
	if s.err != nil {
		return nil, s.err
	}
	for i, t := range ts {
		if !t.sane() {
			return nil, fmt.Errorf("result %s would be %v, which is empty or too large", table[o].Results[i].Name, t)
		}
	}
	return ts, nil
}

func (o Op) shapes(attr Attr, args []Type) (*shapes, error) {
	info := &table[o]
	if len(args) != len(info.Args) {
		return nil, fmt.Errorf("%d arguments, want %d", len(args), len(info.Args))
	}
	for i, p := range info.Args {
		if args[i].DType == Invalid && !p.Optional {
			return nil, fmt.Errorf("argument %s is missing", p.Name)
		}
		if args[i].DType != Invalid && !args[i].sane() {
			return nil, fmt.Errorf("argument %s is %v, which is empty or too large", p.Name, args[i])
		}
	}
	return &shapes{info: info, attr: attr, args: args}, nil
}

// foreign wants the attribute to have no field set that the op does not read.
func (o Op) foreign(attr Attr) error {
	if attr == (Attr{}) {
		return nil
	}
	names, _ := attr.fields()
	for _, n := range names {
		if !slices.Contains(table[o].Attrs, n) {
			return fmt.Errorf("attribute %s does not belong to %s", n, table[o].Name)
		}
	}
	return nil
}

// FLOPs counts floating-point operations of one application: two for a
// multiply-add, a few for each element of an elementwise op.
func (o Op) FLOPs(attr Attr, args []Type) int64 {
	s, err := o.shapes(attr, args)
	if err != nil || table[o].flops == nil {
		return 0
	}
	return table[o].flops(s)
}
