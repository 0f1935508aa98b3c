package place_test

import (
	"testing"

	"github.com/gradcue/gradcue/compiler/place"
)

// TestDecide: names are those of the GPT-2 family, in, ln1, qkv, att, lse,
// resid1, ln2, fc, act; k keep, r recompute, h host.
func TestDecide(t *testing.T) {
	on, off := []bool{true, true}, []bool{false, false}
	for _, c := range []struct {
		name                string
		checkpoint, offload []bool
		recomputed, moved   []string
		want                string
	}{
		{"nothing declared", off, off, nil, nil, "kkkkkkkkk kkkkkkkkk"},
		{"a recomputed block keeps its input", on, off, nil, nil, "krrrrrrrr krrrrrrrr"},
		{"one block of two", []bool{true, false}, off, nil, nil, "krrrrrrrr kkkkkkkkk"},
		{"named results alone are recomputed", on, off, []string{"ln1", "act"}, nil, "krkkkkkkr krkkkkkkr"},
		{"names without a recomputed block say nothing", off, off, []string{"act"}, nil, "kkkkkkkkk kkkkkkkkk"},
		{"the input cannot be recomputed", on, off, []string{"in", "act"}, nil, "kkkkkkkkr kkkkkkkkr"},
		{"an offloaded block moves all it would keep", off, on, nil, nil, "hhhhhhhhh hhhhhhhhh"},
		{"an offloaded block that is recomputed moves its input", on, on, nil, nil, "hrrrrrrrr hrrrrrrrr"},
		{"both in different blocks", []bool{true, false}, []bool{false, true}, nil, nil, "krrrrrrrr hhhhhhhhh"},
		{"named results alone are moved", off, on, nil, []string{"att", "fc"}, "kkkhkkkhk kkkhkkkhk"},
		{"what is moved is not recomputed", on, on, nil, []string{"att"}, "krrhrrrrr krrhrrrrr"},
		{"part recomputed, input moved, rest kept", on, on, []string{"act"}, nil, "hkkkkkkkr hkkkkkkkr"},
	} {
		g := gpt(2)
		d := place.Declared{Layers: 2, Names: g.Names(), Checkpoint: c.checkpoint, OffloadActs: c.offload, Recomputed: c.recomputed, Offloaded: c.moved,
			OffloadOpt: make([]bool, 3), Slots: 2}
		if got := rows(d.Decide()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDecisionOf(t *testing.T) {
	d := decision(gpt(1), 2, same("hrkkkkkkk"))
	for _, c := range []struct {
		layer int
		name  string
		want  place.Choice
	}{
		{0, "in", place.Host}, {0, "ln1", place.Recompute}, {0, "qkv", place.Keep},
		{0, "attout", place.Keep}, {-1, "in", place.Keep}, {1, "in", place.Keep},
	} {
		if got := d.Of(c.layer, c.name); got != c.want {
			t.Errorf("%s of block %d: %d, want %d", c.name, c.layer, got, c.want)
		}
	}
	if !d.Decidable("act") || d.Decidable("attout") || d.Decidable("ln1.mean") {
		t.Error("the decidable names are not those of the list")
	}
}
