package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/runtime/cuda"
	"github.com/gradcue/gradcue/runtime/exec"
)

// smallDevice is an engine on a device with so much room.
type smallDevice struct{ free int64 }

func (smallDevice) Name() string { return "small" }
func (e smallDevice) Open(p *plan.Plan, _ exec.Options) (exec.Session, error) {
	return nil, &cuda.MemoryError{Need: p.Arenas[0].Bytes, Free: e.free, Total: 1 << 30}
}

// TestFitting: the advice names the placements that have room, with their sizes,
// or the smallest where none has; other errors are as they were.
func TestFitting(t *testing.T) {
	a, _, _ := testApp(t)
	here, err := filepath.Abs("../../examples/quickstart")
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.one(specFlags{}, here)
	if err != nil {
		t.Fatal(err)
	}
	o := compiler.Options{Target: cuda.Target}
	r, err := a.must(l, o)
	if err != nil {
		t.Fatal(err)
	}
	need := r.Plan.Arenas[0].Bytes
	for _, tt := range []struct {
		free int64
		want []string
	}{
		{need - 1, []string{"these would fit: ", `checkpointing: policy: "full" (`, `offload: place: optimizer: "host" (`}},
		{1 << 10, []string{"no placement fits: the smallest, ", "use smaller micro-batches"}},
	} {
		_, err := fitting{smallDevice{tt.free}, a.others(l, o)}.Open(r.Plan, exec.Options{})
		var can interface{ Advice() string }
		if !errors.As(err, &can) || !strings.Contains(err.Error(), "are missing") {
			t.Fatalf("%d bytes free: %v", tt.free, err)
		}
		for _, w := range tt.want {
			if !strings.Contains(can.Advice(), w) {
				t.Errorf("%d bytes free: %q, want %q", tt.free, can.Advice(), w)
			}
		}
	}
	if l.Experiment.Checkpointing.Policy != "none" || l.Experiment.Offload.Place.Optimizer != "device" {
		t.Error("the experiment was changed")
	}
	other := errors.New("other")
	if _, err := (fitting{failingEngine{other}, nil}).Open(r.Plan, exec.Options{}); err != other {
		t.Errorf("another error became %v", err)
	}
}

// failingEngine is an engine that cannot open.
type failingEngine struct{ error }

func (failingEngine) Name() string { return "failing" }
func (e failingEngine) Open(*plan.Plan, exec.Options) (exec.Session, error) {
	return nil, e.error
}
