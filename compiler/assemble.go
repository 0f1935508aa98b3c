package compiler

import (
	"fmt"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/loss"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/rate"
	"github.com/gradcue/gradcue/spec/shape"
)

// assemble writes the plan from the results of the passes.
func (s *state) assemble() error {
	p := &plan.Plan{Version: plan.Version, Name: s.src.Experiment.Name, Target: s.opt.Target, Workers: s.plannedWorkers(), Buffers: s.layout.Buffers}
	for t, n := range s.layout.Arenas {
		p.Arenas = append(p.Arenas, plan.Arena{Tier: ir.Tier(t).String(), Bytes: n})
	}
	o := origins{index: map[string]int{}}
	for sec := range s.sched.Sections {
		p.Sections = append(p.Sections, plan.Section{Name: ir.Section(sec).String(), Commands: s.commands(ir.Section(sec), &o)})
	}
	p.Run = s.runSettings()
	p.Provenance = plan.Provenance{Tool: s.opt.Tool, Spec: s.src.Hash, Files: s.src.Files, Origins: o.list, Profile: s.profile}
	s.plan = p
	s.predict()
	if s.opt.Unsealed {
		return nil
	}
	return plan.Seal(p)
}

// origins numbers the spec paths in order of appearance.
type origins struct {
	list  []string
	index map[string]int
}

func (o *origins) of(path string) int {
	i, ok := o.index[path]
	if !ok {
		i = len(o.list)
		o.index[path] = i
		o.list = append(o.list, path)
	}
	return i
}

func (s *state) commands(sec ir.Section, o *origins) []plan.Command {
	items := s.sched.Sections[sec]
	cs := make([]plan.Command, len(items))
	for at, it := range items {
		c := &cs[at]
		c.Kind, c.Stream = it.Kind, it.Stream
		if it.Node < 0 {
			c.Event = it.Event
			continue
		}
		n := &s.g.Nodes[it.Node]
		c.Op, c.Phase, c.Layer, c.Origin = n.Op.String(), n.Phase.String(), n.Layer+1, o.of(n.Origin)
		c.Args, c.Results = s.buffers(n.Args), s.buffers(n.Results)
		c.Work = s.layout.Work[sec][at]
		c.Nanos = s.times[sec].Commands[at]
		if n.Attr != (ir.Attr{}) {
			a := n.Attr
			c.Attr = &a
		}
	}
	return cs
}

func (s *state) buffers(ids []ir.ID) []int {
	bs := make([]int, len(ids))
	for i, id := range ids {
		bs[i] = s.bufferOf(id)
	}
	return bs
}

func (s *state) bufferOf(id ir.ID) int {
	if id == ir.None {
		return -1
	}
	return s.layout.BufferOf[id]
}

func (s *state) runSettings() plan.Run {
	x := s.src.Experiment
	r := plan.Run{
		Seed:   x.Seed,
		Model:  s.modelSettings(),
		Params: s.params(),
		Inputs: s.inputs(),
		Loss:   s.lossPolicy(),
		Window: plan.Window{MicroBatches: int(x.Window.MicroBatches), BatchSize: s.batch.B, SeqLen: s.batch.T, Last: x.Window.Last, Empty: x.Window.Empty},
		Optimizer: plan.Optimizer{Kind: x.Optimizer.Kind, LR: x.Optimizer.LR, Beta1: x.Optimizer.Beta1, Beta2: x.Optimizer.Beta2, Eps: x.Optimizer.Eps,
			Momentum: s.optim.Momentum, Nesterov: x.Optimizer.Nesterov, ClipNorm: x.Optimizer.Clip.Norm},
		Rate:      rate.Schedule{Kind: x.Schedule.Kind, Updates: int(x.Schedule.Updates), Warmup: int(x.Schedule.Warmup), Floor: x.Schedule.Floor, Decay: int(x.Schedule.Decay)},
		Precision: precision(&x.Precision),
		Init:      plan.Init{Std: x.Init.Std, ResidualScale: x.Init.ResidualScale},
		Save:      plan.Save{Every: int(x.Save.Every), Keep: int(x.Save.Keep)},
		Eval:      plan.Eval{Every: int(x.Eval.Every), Batches: int(x.Eval.Windows)},
	}
	if d := x.Data; d != nil {
		r.Data = plan.Data{Train: d.Train, Eval: d.Eval, Format: d.Format, Tokenizer: d.Tokenizer, Documents: d.Documents, Order: d.Order, EOS: d.EOS,
			Packing: x.Mask.Packing.Mode, Cross: s.crossDocs(), Restart: s.batch.Positions}
	}
	return r
}

func precision(x *shape.Precision) plan.Precision {
	l := &x.LossScale
	p := plan.Precision{Compute: string(x.Compute), Params: string(x.Params), Grads: string(x.Grads), Master: string(x.Master),
		Products: x.Products, Scaler: l.Kind, Scale: 1, SkipLimit: int(l.SkipLimit)}
	if l.Kind != "none" {
		p.Scale = l.Value
	}
	if l.Kind == "dynamic" {
		p.Growth, p.Every, p.Backoff = l.Growth, int(l.GrowthEvery), l.Backoff
	}
	return p
}

// crossDocs reports whether documents of a row see each other.
func (s *state) crossDocs() bool {
	p := &s.src.Experiment.Mask.Packing
	return p.Mode == "concat" || p.CrossAttention != nil && *p.CrossAttention
}

func (s *state) lossPolicy() loss.Policy {
	x := s.src.Experiment
	m := &x.Mask
	return loss.Policy{ShiftBy: m.Shift.By, Offset: int(m.Shift.Offset), IgnoreIndex: int(m.IgnoreIndex), Prompt: m.Prompt == "train",
		Response: m.Response == "train", EOS: m.EOS, Normalize: x.Window.Normalize, CrossDocs: m.Packing.LossAcross}
}

func (s *state) modelSettings() plan.Model {
	c := &s.cfg
	m := plan.Model{Family: c.Family, Layers: c.Layers, Heads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.HeadDim, Width: c.Width, FFN: c.FFN, Vocab: c.Vocab,
		Context: c.Context, Activation: s.src.Experiment.Model.Activation, NormEps: c.Eps, Tied: c.Tied, Window: c.AttentionWindow}
	if c.Llama() {
		m.RopeBase = c.RopeBase
	}
	return m
}

func (s *state) params() []plan.Param {
	var ps []plan.Param
	for i, d := range s.cfg.Params() {
		p := plan.Param{Name: d.Name, Shape: d.Shape, Buffer: s.bufferOf(s.leaves.Params[i]), Grad: -1, State: []int{}, Init: d.Init, Std: d.Std, Origin: d.Origin}
		p.Decay, p.Scale = s.optim.For(d.Name, len(d.Shape))
		if s.back != nil {
			p.Grad = s.bufferOf(s.back.GradLeaf[i])
			p.Master = s.bufferOf(s.master[i]) + 1
			p.State = append(p.State, s.buffers(s.state[i])...)
		}
		ps = append(ps, p)
	}
	return ps
}

func (s *state) inputs() plan.Inputs {
	l := s.leaves
	in := plan.Inputs{Control: s.bufferOf(l.Control), IDs: s.bufferOf(l.IDs), Targets: s.bufferOf(l.Targets), Weight: s.bufferOf(l.Weight), Lo: s.bufferOf(l.Lo),
		Positions: s.bufferOf(l.Positions), Row: -1, RowIDs: s.bufferOf(s.rowIDs), TokenLoss: s.bufferOf(s.tokenLoss), EvalLoss: s.bufferOf(s.evalLoss),
		Last: s.bufferOf(l.Last), Logits: s.bufferOf(s.logits)}
	if s.back != nil {
		in.Row = s.bufferOf(s.back.Row)
	}
	return in
}

// predict fills in what the plan says about itself.
func (s *state) predict() {
	p := s.plan
	w := &s.src.Experiment.Window
	k := w.MicroBatches
	pr := &p.Predictions
	*pr = plan.Predictions{Parameters: s.cfg.Count(), HostBytes: p.Arenas[ir.Host].Bytes, NoTransfer: s.noTransfer()}
	if s.opt.Program == Train {
		pr.Tokens = w.Tokens
		pr.Trained = w.Tokens
		if s.src.Experiment.Mask.Shift.By == "loss" && s.src.Experiment.Mask.Shift.Offset > 0 {
			pr.Trained = w.Sequences * (w.SeqLen - 1)
		}
	}
	m, u := &s.times[ir.Micro], &s.times[ir.Update]
	pr.FLOPs = k*m.FLOPs + u.FLOPs
	pr.Recomputed = k * m.Recomputed
	pr.Nanos = k*m.Nanos + u.Nanos
	pr.MovedOut, pr.MovedIn = k*m.MovedOut+u.MovedOut, k*m.MovedIn+u.MovedIn
	pr.TransferNs, pr.ExposedNs = k*m.TransferNs+u.TransferNs, k*m.ExposedNs+u.ExposedNs
	s.peaks(pr)
}

func (s *state) peaks(pr *plan.Predictions) {
	p := s.plan
	best, bestAt := ir.Section(0), -1
	var moment plan.Moment
	for sec := ir.Section(0); sec < ir.NumSections; sec++ {
		l := p.Ledger(sec, ir.Device)
		at, bytes := plan.PeakOf(l)
		if at < 0 {
			continue
		}
		peak := plan.Peak{Section: sec.String(), Command: at, Bytes: bytes, What: what(&p.Sections[sec].Commands[at])}
		pr.Sections = append(pr.Sections, peak)
		if bestAt < 0 || bytes > pr.Peak.Bytes {
			pr.Peak, best, bestAt, moment = peak, sec, at, l[at]
		}
	}
	if bestAt < 0 {
		return
	}
	pr.Fragments = p.Arenas[ir.Device].Bytes - pr.Peak.Bytes
	for c, b := range moment {
		if b > 0 {
			pr.ClassAtPeak = append(pr.ClassAtPeak, plan.ClassBytes{Class: ir.Class(c).String(), Bytes: b})
		}
	}
	owners := p.Owners(best, ir.Device, bestAt)
	pr.OwnersAtPeak = owners[:min(8, len(owners))]
}

// what names a command for a reader.
func what(c *plan.Command) string {
	if c.Op == "" {
		return c.Kind
	}
	if c.Layer > 0 {
		return fmt.Sprintf("%s of block %d (%s)", c.Op, c.Layer-1, c.Phase)
	}
	return fmt.Sprintf("%s (%s)", c.Op, c.Phase)
}

// noTransfer explains declared offloads of activations that move nothing.
func (s *state) noTransfer() []string {
	moved := s.times[ir.Micro].MovedOut
	if len(s.placed.Idle) == 0 || moved > 0 {
		return nil
	}
	return []string{fmt.Sprintf("activations of %d blocks are offloaded, but there are %d staging slots: every block's results stay in their slot and nothing is moved",
		len(s.placed.Idle), s.placed.Slots)}
}
