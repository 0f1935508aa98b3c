package compiler

import (
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/window"
	"github.com/gradcue/gradcue/spec/shape"
)

func newState(src Source, o Options) *state {
	x := src.Experiment
	s := &state{src: src, opt: o, cfg: model.FromSpec(x), rowIDs: ir.None, tokenLoss: ir.None, evalLoss: ir.None, logits: ir.None}
	if s.opt.Target == "" {
		s.opt.Target = "cpu"
	}
	s.batch = model.Batch{B: int(x.Window.MicroBatchSize), T: int(x.Window.SeqLen), Seed: x.Seed}
	if o.Program == Sample {
		s.batch.B, s.batch.T = max(1, o.Batch), asked(x)
		if o.SeqLen > 0 {
			s.batch.T = o.SeqLen
		}
	}
	s.batch.Lo = s.needsLo()
	s.batch.Positions = o.Program == Train && x.Mask.Packing.Positions == "restart"
	d := &x.Device
	s.profile = plan.Profile{Name: d.Name, FLOPS: d.Flops, Bandwidth: d.Bandwidth, H2D: d.H2D, D2H: d.D2H, Launch: d.Launch, Ops: d.Ops}
	s.optim = optimizer(src)
	return s
}

// asked is how many positions of a row are asked for a token in training. When
// the loss shifts, the last one never is, so sampling must not read from it.
func asked(x *shape.Experiment) int {
	n := x.Window.SeqLen
	if x.Mask.Shift.By == "loss" {
		n -= x.Mask.Shift.Offset
	}
	return int(max(1, n))
}

// needsLo reports whether some query sees less than every key before it.
func (s *state) needsLo() bool {
	window := s.cfg.AttentionWindow > 0 && s.cfg.AttentionWindow < s.batch.T
	if s.opt.Program == Sample {
		return window
	}
	return window || s.src.Experiment.Mask.Packing.Mode != "concat"
}

func (s *state) plannedWorkers() int {
	if s.opt.Workers > 0 {
		return s.opt.Workers
	}
	return max(1, int(s.src.Experiment.Device.Workers))
}

func optimizer(src Source) window.Optimizer {
	x := &src.Experiment.Optimizer
	o := window.Optimizer{Kind: x.Kind, Beta1: x.Beta1, Beta2: x.Beta2, Eps: x.Eps, Nesterov: x.Nesterov, MaxNorm: x.Clip.Norm}
	if x.Momentum != nil {
		o.Momentum = *x.Momentum
	}
	if x.WeightDecay != nil {
		o.Decay = *x.WeightDecay
	}
	for _, g := range x.Groups {
		o.Groups = append(o.Groups, window.Group{Params: g.Params, Decay: g.WeightDecay, Scale: g.LRScale})
	}
	return o
}

// declared reads the placement sections; later overrides win.
func (s *state) declared() *place.Declared {
	x := s.src.Experiment
	d := &place.Declared{Layers: s.cfg.Layers, Names: s.cfg.Names(), Recomputed: x.Checkpointing.Tensors,
		Offloaded: x.Offload.Tensors, Slots: int(max(x.Offload.Prefetch.Buffers, 1)),
		Checkpoint: make([]bool, s.cfg.Layers), OffloadActs: make([]bool, s.cfg.Layers), OffloadOpt: make([]bool, s.cfg.Layers+1)}
	if s.opt.Program == Sample {
		return d
	}
	for l := range s.cfg.Layers {
		switch x.Checkpointing.Policy {
		case "full":
			d.Checkpoint[l] = true
		case "every":
			d.Checkpoint[l] = l%int(max(x.Checkpointing.Every, 1)) == 0
		}
		d.OffloadActs[l] = x.Offload.Place.Activations == "host"
		d.OffloadOpt[l+1] = x.Offload.Place.Optimizer == "host"
	}
	d.OffloadOpt[0] = x.Offload.Place.Optimizer == "host"
	for _, r := range x.Checkpointing.Overrides {
		for _, l := range r.Layers {
			d.Checkpoint[l] = r.Policy == "full"
		}
	}
	for _, r := range x.Offload.Overrides {
		for _, l := range r.Layers {
			switch r.Class {
			case "activations":
				d.OffloadActs[l] = r.Place == "host"
			case "optimizer":
				d.OffloadOpt[l+1] = r.Place == "host"
			}
		}
	}
	return d
}
