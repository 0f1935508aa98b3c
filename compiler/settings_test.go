package compiler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/place"
	"github.com/gradcue/gradcue/compiler/window"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/shape"
)

// experiment is a copy of an example that a test may change.
func experiment(t *testing.T, name string) *shape.Experiment {
	t.Helper()
	ls, list := spec.Load(spec.Options{Dir: ".."}, "examples/"+name)
	if len(list) > 0 || len(ls) != 1 {
		t.Fatal(list)
	}
	x := *ls[0].Experiment
	return &x
}

// letters prints a placement: a word for each block, k keep, r recompute, h host,
// and a word of d and h for the moments outside and of each block.
func letters(d *place.Decision) string {
	var words []string
	for _, row := range d.Block {
		w := ""
		for _, c := range row {
			w += string("krh"[c])
		}
		words = append(words, w)
	}
	moments := ""
	for _, host := range d.Moments {
		moments += map[bool]string{true: "h", false: "d"}[host]
	}
	return strings.Join(append(words, moments), " ")
}

// TestDeclared: what checkpointing and offload say, block by block, for the
// three blocks of the quickstart.
func TestDeclared(t *testing.T) {
	const keep, again, input, host = "kkkkkkkkk", "krrrrrrrr", "hrrrrrrrr", "hhhhhhhhh"
	layers := func(ls ...int64) shape.LayerList { return ls }
	for _, c := range []struct {
		name   string
		change func(c *shape.Checkpointing, o *shape.Offload)
		want   []string
	}{
		{"nothing", func(c *shape.Checkpointing, o *shape.Offload) {}, []string{keep, keep, keep, "dddd"}},
		{"full", func(c *shape.Checkpointing, o *shape.Offload) { c.Policy = "full" }, []string{again, again, again, "dddd"}},
		{"every second", func(c *shape.Checkpointing, o *shape.Offload) { c.Policy, c.Every = "every", 2 }, []string{again, keep, again, "dddd"}},
		{"every third", func(c *shape.Checkpointing, o *shape.Offload) { c.Policy, c.Every = "every", 3 }, []string{again, keep, keep, "dddd"}},
		{"full but one", func(c *shape.Checkpointing, o *shape.Offload) {
			c.Policy, c.Overrides = "full", []shape.CheckpointRule{{Layers: layers(1), Policy: "none"}}
		}, []string{again, keep, again, "dddd"}},
		{"two by name, the last word on one counts", func(c *shape.Checkpointing, o *shape.Offload) {
			c.Overrides = []shape.CheckpointRule{{Layers: layers(0, 2), Policy: "full"}, {Layers: layers(2), Policy: "none"}}
		}, []string{again, keep, keep, "dddd"}},
		{"full, but some results alone", func(c *shape.Checkpointing, o *shape.Offload) { c.Policy, c.Tensors = "full", []string{"ln2", "act"} },
			[]string{"kkkkkkrkr", "kkkkkkrkr", "kkkkkkrkr", "dddd"}},
		{"activations away", func(c *shape.Checkpointing, o *shape.Offload) { o.Place.Activations = "host" }, []string{host, host, host, "dddd"}},
		{"inputs of recomputed blocks away", func(c *shape.Checkpointing, o *shape.Offload) { c.Policy, o.Place.Activations = "full", "host" },
			[]string{input, input, input, "dddd"}},
		{"recomputed and moved in turns", func(c *shape.Checkpointing, o *shape.Offload) {
			c.Policy, c.Every, o.Place.Activations = "every", 2, "host"
		}, []string{input, host, input, "dddd"}},
		{"one block away", func(c *shape.Checkpointing, o *shape.Offload) {
			o.Overrides = []shape.OffloadRule{{Layers: layers(1), Class: "activations", Place: "host"}}
		}, []string{keep, host, keep, "dddd"}},
		{"all blocks away but one", func(c *shape.Checkpointing, o *shape.Offload) {
			o.Place.Activations, o.Overrides = "host", []shape.OffloadRule{{Layers: layers(2), Class: "activations", Place: "device"}}
		}, []string{host, host, keep, "dddd"}},
		{"some results away", func(c *shape.Checkpointing, o *shape.Offload) {
			o.Place.Activations, o.Tensors = "host", []string{"att", "fc"}
		},
			[]string{"kkkhkkkhk", "kkkhkkkhk", "kkkhkkkhk", "dddd"}},
		{"what is away is not recomputed", func(c *shape.Checkpointing, o *shape.Offload) {
			c.Policy, o.Place.Activations, o.Tensors = "full", "host", []string{"att", "lse"}
		}, []string{"krrhhrrrr", "krrhhrrrr", "krrhhrrrr", "dddd"}},
		{"moments away, outside the blocks, too", func(c *shape.Checkpointing, o *shape.Offload) { o.Place.Optimizer = "host" }, []string{keep, keep, keep, "hhhh"}},
		{"moments of some blocks", func(c *shape.Checkpointing, o *shape.Offload) {
			o.Overrides = []shape.OffloadRule{{Layers: layers(0, 2), Class: "optimizer", Place: "host"}}
		}, []string{keep, keep, keep, "dhdh"}},
		{"moments of all but some blocks", func(c *shape.Checkpointing, o *shape.Offload) {
			o.Place.Optimizer, o.Overrides = "host", []shape.OffloadRule{{Layers: layers(0), Class: "optimizer", Place: "device"}}
		}, []string{keep, keep, keep, "hdhh"}},
	} {
		x := experiment(t, "quickstart")
		c.change(&x.Checkpointing, &x.Offload)
		s := newState(Source{Experiment: x}, Options{})
		if d := cmp.Diff(strings.Join(c.want, " "), letters(s.declared().Decide())); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestDeclaredSlots: S is prefetch.buffers, by default two.
func TestDeclaredSlots(t *testing.T) {
	x := experiment(t, "offloaded")
	if got := newState(Source{Experiment: x}, Options{}).declared().Slots; got != 2 {
		t.Errorf("%d slots, want 2", got)
	}
	x.Offload.Prefetch.Buffers = 3
	if got := newState(Source{Experiment: x}, Options{}).declared().Slots; got != 3 {
		t.Errorf("%d slots, want 3", got)
	}
}

// TestSampleDeclaresNothing: a plan that samples has no backward to save for.
func TestSampleDeclaresNothing(t *testing.T) {
	x := experiment(t, "offloaded")
	x.Checkpointing.Policy = "full"
	d := newState(Source{Experiment: x}, Options{Program: Sample}).declared().Decide()
	if got := letters(d); strings.ContainsAny(got, "rh") {
		t.Errorf("sampling is placed as %s", got)
	}
}

func TestNeedsLo(t *testing.T) {
	for _, c := range []struct {
		name    string
		window  int64
		packing string
		program Program
		want    bool
	}{
		{"one stream", 0, "concat", Train, false},
		{"documents", 0, "none", Train, true},
		{"segments", 0, "segments", Train, true},
		{"a window shorter than the sequence", 8, "concat", Train, true},
		{"a window as long as the sequence", 128, "concat", Train, false},
		{"sampling after training on documents", 0, "none", Sample, false},
		{"sampling with a window", 8, "none", Sample, true},
	} {
		x := experiment(t, "quickstart")
		x.Model.Attention.Window, x.Mask.Packing.Mode = c.window, c.packing
		s := newState(Source{Experiment: x}, Options{Program: c.program})
		if s.batch.Lo != c.want {
			t.Errorf("%s: lo %v, want %v", c.name, s.batch.Lo, c.want)
		}
	}
}

// TestPositions: documents that restart at 0 need an input of positions.
func TestPositions(t *testing.T) {
	x := experiment(t, "quickstart")
	for _, c := range []struct {
		positions string
		program   Program
		want      bool
	}{{"continue", Train, false}, {"restart", Train, true}, {"restart", Sample, false}} {
		x.Mask.Packing.Positions = c.positions
		if got := newState(Source{Experiment: x}, Options{Program: c.program}).batch.Positions; got != c.want {
			t.Errorf("positions %s, program %d: input %v, want %v", c.positions, c.program, got, c.want)
		}
	}
}

func TestOptimizerSettings(t *testing.T) {
	x := experiment(t, "quickstart")
	decay, momentum := 0.3, 0.8
	x.Optimizer = shape.Optimizer{Kind: "sgd", Momentum: &momentum, Nesterov: true, WeightDecay: &decay, Clip: shape.Clip{Norm: 2},
		Groups: []shape.Group{{Params: []string{"*.bias"}, LRScale: 0.5}}}
	want := window.Optimizer{Kind: "sgd", Momentum: 0.8, Nesterov: true, Decay: 0.3, MaxNorm: 2, Groups: []window.Group{{Params: []string{"*.bias"}, Scale: 0.5}}}
	if d := cmp.Diff(want, optimizer(Source{Experiment: x})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestBatchAndWorkers: sampling has a batch of its own, workers come from the
// caller or the profile.
func TestBatchAndWorkers(t *testing.T) {
	x := experiment(t, "quickstart")
	s := newState(Source{Experiment: x}, Options{Program: Sample, Batch: 3, SeqLen: 16})
	if s.batch.B != 3 || s.batch.T != 16 {
		t.Errorf("sampling %d sequences of %d, want 3 of 16", s.batch.B, s.batch.T)
	}
	s = newState(Source{Experiment: x}, Options{Program: Sample})
	if s.batch.B != 1 || s.batch.T != int(x.Window.SeqLen) {
		t.Errorf("sampling %d sequences of %d, want 1 of %d", s.batch.B, s.batch.T, x.Window.SeqLen)
	}
	x.Device.Workers = 5
	for _, c := range []struct{ asked, want int }{{0, 5}, {2, 2}} {
		if got := newState(Source{Experiment: x}, Options{Workers: c.asked}).plannedWorkers(); got != c.want {
			t.Errorf("%d workers asked for, %d planned, want %d", c.asked, got, c.want)
		}
	}
}
