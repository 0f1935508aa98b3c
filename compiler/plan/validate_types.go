package plan

import (
	"github.com/gradcue/gradcue/compiler/ir"
)

// maxArgs is the number of arguments of the widest op.
const maxArgs = 8

// typeTable numbers the types of a plan, so that applications of the op table
// can be remembered: the layers of a model repeat each other.
type typeTable struct {
	of      []int32 // by buffer
	types   []ir.Type
	numbers map[typeKey]int32
	applied map[application]outcome
}

type typeKey struct {
	dtype ir.DType
	rank  int
	dims  [maxRank]int
}

// application is an op on types; the number of a type stands for it, 0 for an
// absent argument.
type application struct {
	op   ir.Op
	attr ir.Attr
	args [maxArgs]int32
}

type outcome struct {
	results []int32
	work    int64
	err     error
}

func newTypeTable(buffers int) *typeTable {
	return &typeTable{of: make([]int32, buffers), types: []ir.Type{{}},
		numbers: map[typeKey]int32{}, applied: map[application]outcome{}}
}

func (t *typeTable) buffer(i int, u ir.Type) { t.of[i] = t.number(u) }

func (t *typeTable) number(u ir.Type) int32 {
	k := typeKey{dtype: u.DType, rank: len(u.Shape)}
	if copy(k.dims[:], u.Shape) < len(u.Shape) {
		return -1 // more dimensions than any buffer has
	}
	n, ok := t.numbers[k]
	if !ok {
		n = int32(len(t.types))
		t.types = append(t.types, u)
		t.numbers[k] = n
	}
	return n
}

// apply asks the op table for the results and the workspace of an op on
// buffers; an index below 0 is an absent argument.
func (t *typeTable) apply(op ir.Op, attr ir.Attr, buffers []int, workers int) outcome {
	key := application{op: op, attr: attr}
	args := make([]ir.Type, 0, maxArgs)
	for i, b := range buffers {
		n := int32(0)
		if b >= 0 {
			n = t.of[b]
		}
		if i < maxArgs {
			key.args[i] = n
		}
		args = append(args, t.types[n])
	}
	fits := len(buffers) <= maxArgs
	if o, ok := t.applied[key]; ok && fits {
		return o
	}
	types, err := op.Infer(attr, args)
	o := outcome{err: err}
	if err == nil {
		for _, u := range types {
			o.results = append(o.results, t.number(u))
		}
		o.work = op.Workspace(attr, args, workers)
	}
	if fits {
		t.applied[key] = o
	}
	return o
}
