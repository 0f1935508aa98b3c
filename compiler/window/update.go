package window

import (
	"path"

	"github.com/gradcue/gradcue/compiler/autodiff"
	"github.com/gradcue/gradcue/compiler/ir"
)

// Group overrides decay and rate of the parameters whose name matches one of
// its patterns; the first group that matches counts.
type Group struct {
	Params []string // path.Match patterns of canonical names
	Decay  *float64
	Scale  float64
}

// Optimizer is the update rule with its constants.
type Optimizer struct {
	Kind              string // adamw, sgd
	Beta1, Beta2, Eps float64
	Momentum          float64
	Nesterov          bool
	Decay             float64 // on tensors with two or more dimensions
	Groups            []Group
	MaxNorm           float64 // clip by global norm, 0 = off
}

// Moments is the number of state tensors of a parameter.
func (o *Optimizer) Moments() int {
	switch {
	case o.Kind == "adamw":
		return 2
	case o.Momentum != 0:
		return 1
	}
	return 0
}

// For returns decay and rate factor of a parameter.
func (o *Optimizer) For(name string, dims int) (decay, scale float64) {
	decay, scale = o.Decay, 1
	if dims < 2 {
		decay = 0
	}
	for _, g := range o.Groups {
		for _, p := range g.Params {
			if ok, _ := path.Match(p, name); ok {
				if g.Decay != nil {
					decay = *g.Decay
				}
				return decay, g.Scale
			}
		}
	}
	return decay, scale
}

// Result is the graph with its update.
type Result struct {
	Graph  *ir.Graph
	State  [][]ir.ID // moments of each parameter
	Master []ir.ID   // f32 copy of each parameter that is stored in 16 bits, ir.None for the others
	RowIDs ir.ID     // i32[rows] input, ir.None without a compact gradient
}

// Append returns a new graph: that of a backward pass with the update after it.
// IDs of the old graph stay valid.
func Append(b *autodiff.Result, params []ir.ID, control ir.ID, o *Optimizer) *Result {
	g := b.Graph.Prefix(len(b.Graph.Nodes))
	r := &Result{Graph: g, RowIDs: ir.None}
	grads := b.Grads
	if b.Compact != ir.None {
		grads = addCompact(g, b, r)
	}
	names := []string{"m", "v"}
	if o.Kind == "sgd" {
		names = []string{"momentum"}
	}
	for _, p := range params {
		v := g.Values[p]
		var state []ir.ID
		for _, n := range names[:o.Moments()] {
			state = append(state, g.Leaf(v.Name+"."+n, v.Layer, ir.Optimizer, ir.Device, full(v.Type), g.Nodes[v.Node].Origin))
		}
		master := ir.None
		if v.Type.DType != ir.F32 {
			master = g.Leaf(v.Name+".master", v.Layer, ir.Master, ir.Device, full(v.Type), "precision.master")
		}
		r.Master = append(r.Master, master)
		r.State = append(r.State, state)
	}
	norms := g.Leaf("norms", -1, ir.Optimizer, ir.Device, ir.Of(ir.F64, len(params)), "optimizer.clip")
	for i := range params {
		norms = step(g, ir.OpNorm2, "optimizer.clip", -1, ir.Attr{Index: i}, []ir.ID{grads[i], norms}, named("norms", -1, ir.Optimizer))[0]
	}
	ctl := step(g, ir.OpClip, "optimizer.clip", -1, ir.Attr{MaxNorm: o.MaxNorm}, []ir.ID{norms, control}, named("control", -1, ir.Input))[0]
	for i, p := range params {
		apply(g, o, p, grads[i], r.Master[i], r.State[i], ctl)
	}
	return r
}

// addCompact emits the one addition of the compact embedding gradient.
func addCompact(g *ir.Graph, b *autodiff.Result, r *Result) []ir.ID {
	grads := append([]ir.ID(nil), b.Grads...)
	rows := g.Values[b.Compact].Type.Shape[0]
	r.RowIDs = g.Leaf("rowids", -1, ir.Input, ir.Device, ir.Of(ir.I32, rows), "window")
	v := g.Values[grads[b.Table]]
	grads[b.Table] = step(g, ir.OpEmbedAdd, "model.tied", -1, ir.Attr{}, []ir.ID{b.Compact, r.RowIDs, grads[b.Table]}, named(v.Name, -1, ir.Gradient))[0]
	return grads
}

// full is the type of a tensor that is kept in f32.
func full(t ir.Type) ir.Type { return ir.Of(ir.F32, t.Shape...) }

// apply emits the optimizer of one parameter. One that is stored in 16 bits has
// its update made on the master copy, from which it is rounded again.
func apply(g *ir.Graph, o *Optimizer, p, grad, master ir.ID, state []ir.ID, ctl ir.ID) {
	v := g.Values[p]
	target, class := p, ir.Parameter
	if master != ir.None {
		target, class = master, ir.Master
	}
	a := ir.Attr{}
	a.Decay, a.LRScale = o.For(v.Name, len(v.Type.Shape))
	args := append([]ir.ID{target, grad}, state...)
	args = append(args, ctl)
	results := []ir.Result{named(g.Values[target].Name, v.Layer, class)}
	for _, s := range state {
		results = append(results, named(g.Values[s].Name, v.Layer, ir.Optimizer))
	}
	op := ir.OpAdamW
	switch {
	case o.Kind == "adamw":
		a.Beta1, a.Beta2, a.Eps = o.Beta1, o.Beta2, o.Eps
	case len(state) == 1:
		op = ir.OpSGDMomentum
		a.Momentum, a.Nesterov = o.Momentum, o.Nesterov
	default:
		op = ir.OpSGD
	}
	updated := step(g, op, "optimizer", v.Layer, a, args, results...)[0]
	if master != ir.None {
		step(g, ir.OpCast, "precision.master", v.Layer, ir.Attr{}, []ir.ID{updated, p}, named(v.Name, v.Layer, ir.Parameter))
	}
}

func named(name string, layer int, c ir.Class) ir.Result {
	return ir.Result{Name: name, Layer: layer, Class: c}
}

func step(g *ir.Graph, op ir.Op, origin string, layer int, a ir.Attr, args []ir.ID, results ...ir.Result) []ir.ID {
	return g.Add(ir.Node{Op: op, Args: args, Attr: a, Section: ir.Update, Phase: ir.Step, Layer: layer, Origin: origin}, results...)
}
