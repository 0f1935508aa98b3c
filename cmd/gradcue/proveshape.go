package main

import (
	"fmt"
	"slices"

	"github.com/gradcue/gradcue/runtime/prove"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

// Sizes that an experiment is brought down to for the proofs. Three blocks are
// the fewest of which one leaves the device through one staging slot; eight rows
// can be split evenly and unevenly; a row is longer than a head is wide.
const (
	proveLayers, proveHeads, proveHeadDim = 3, 4, 16
	proveVocab, proveSeq, proveRows       = 257, 32, 8
)

// smaller is the experiment in sizes that are quick to run, with a line for each
// size that is not the spec's.
func smaller(l *spec.Loaded) (*spec.Loaded, []string) {
	x, small := *l.Experiment, *l
	m, w := &x.Model, &x.Window
	var said []string
	set := func(what string, p *int64, to int64) {
		if *p > to {
			said = append(said, fmt.Sprintf("%s %d of %d", what, to, *p))
			*p = to
		}
	}
	group, width, ffn := m.Heads/max(1, m.KVHeads), m.DModel, m.FFN
	set("layers", &m.Layers, proveLayers)
	set("heads", &m.Heads, max(group, proveHeads/group*group))
	m.KVHeads = max(1, m.Heads/max(1, group))
	set("headDim", &m.HeadDim, proveHeadDim)
	if d := m.Heads * m.HeadDim; width > d {
		m.DModel = d
		m.FFN = max(4, ffn*d/width/4*4)
		said = append(said, fmt.Sprintf("width %d of %d", m.DModel, width))
	}
	set("vocab", &m.Vocab, proveVocab)
	set("row", &w.SeqLen, proveSeq)
	if s := m.Attention.Window; s > 0 && s >= w.SeqLen {
		set("attention window", &m.Attention.Window, max(2, w.SeqLen/3))
	}
	rows := w.MicroBatches * w.MicroBatchSize
	if rows > proveRows {
		k := min(w.MicroBatches, 2)
		w.MicroBatches, w.MicroBatchSize = k, max(1, proveRows/k)
		said = append(said, fmt.Sprintf("rows of a window %d of %d", k*w.MicroBatchSize, rows))
	}
	m.Shapes, x.Memory.Budget, x.Memory.HostBudget = nil, 0, 0
	keepLayers(&x)
	x.Eval.Every = 0
	count(w)
	small.Experiment = &x
	return &small, said
}

// keepLayers drops what is said of blocks that are gone.
func keepLayers(x *shape.Experiment) {
	gone := func(l int64) bool { return l >= x.Model.Layers }
	x.Checkpointing.Overrides = slices.Clone(x.Checkpointing.Overrides)
	for i := range x.Checkpointing.Overrides {
		r := &x.Checkpointing.Overrides[i]
		r.Layers = slices.DeleteFunc(slices.Clone(r.Layers), gone)
	}
	x.Offload.Overrides = slices.Clone(x.Offload.Overrides)
	for i := range x.Offload.Overrides {
		r := &x.Offload.Overrides[i]
		r.Layers = slices.DeleteFunc(slices.Clone(r.Layers), gone)
	}
}

// count fills in the numbers that follow from the split of a window.
func count(w *shape.Window) {
	w.Sequences = w.MicroBatches * w.MicroBatchSize * w.Replicas
	w.Tokens = w.Sequences * w.SeqLen
}

// vary makes a variant of an experiment.
func vary(x *shape.Experiment, v prove.Variant) {
	w := &x.Window
	put := func(p *int64, n int) {
		if n > 0 {
			*p = int64(n)
		}
	}
	put(&w.MicroBatches, v.MicroBatches)
	put(&w.MicroBatchSize, v.BatchSize)
	put(&w.SeqLen, v.SeqLen)
	put(&x.Schedule.Updates, v.Updates)
	count(w)
	// What a variant needs more of than the experiment is no mistake of its author.
	x.Memory.Budget, x.Memory.HostBudget = 0, 0
	if v.Wide {
		x.Precision.Compute, x.Precision.Params, x.Precision.Products = "f32", "f32", "f32"
		x.Precision.LossScale.Kind = "none"
	}
	if v.Train != nil {
		d := *x.Data
		d.Train, d.Eval = v.Train, nil
		x.Data, x.Eval.Every = &d, 0
	}
	if v.Checkpoint != "" {
		x.Checkpointing = shape.Checkpointing{Policy: v.Checkpoint, Overrides: []shape.CheckpointRule{}}
	}
	if v.Offload != "" {
		place(&x.Offload, v.Offload)
	}
}

// place puts activations, moments or both on the host, and the rest on the
// device, with the smallest pool of slots.
func place(o *shape.Offload, what string) {
	o.Overrides, o.Tensors = []shape.OffloadRule{}, nil
	o.Place.Activations, o.Place.Optimizer = "device", "device"
	o.Prefetch = shape.Prefetch{Lead: 1, Buffers: 1}
	if what == "activations" || what == "all" {
		o.Place.Activations = "host"
	}
	if what == "optimizer" || what == "all" {
		o.Place.Optimizer = "host"
	}
}
