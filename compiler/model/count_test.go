package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/spec"
)

// published are parameter counts as their authors state them, by the name of
// the experiment in testdata/models.
var published = map[string]int64{
	"gpt2-small":  124_439_808,
	"gpt2-medium": 354_823_168,
	"gpt2-large":  774_030_080,
	"gpt2-xl":     1_557_611_200,
	"llmc-small":  124_475_904,

	"gpt3-175b":       174_604_259_328,
	"gpt3-175b-51200": 174_615_846_912,
	"megatron-22b":    22_074_273_792,
	"megatron-530b":   529_600_819_200,
	"megatron-1t":     1_008_038_758_400,

	"llama2-7b":      6_738_415_616,
	"llama2-13b":     13_015_864_320,
	"llama2-70b":     68_976_648_192,
	"llama3-8b":      8_030_261_248,
	"llama3-70b":     70_553_706_496,
	"llama3.1-405b":  405_853_388_800,
	"llama3.2-1b":    1_235_814_400,
	"llama3.2-3b":    3_212_749_824,
	"mistral-7b":     7_241_732_096,
	"tinyllama-1.1b": 1_100_048_384,
	"smollm2-135m":   134_515_008,

	"qwen2.5-0.5b": 494_032_768,
	"qwen2.5-1.5b": 1_543_714_304,
	"qwen2.5-7b":   7_615_616_512,

	"qwen3-0.6b": 596_049_920,
	"qwen3-4b":   4_022_468_096,
	"qwen3-8b":   8_190_735_360,
}

// configs loads an experiment file of the compiler's test data.
func configs(t *testing.T, folder string) map[string]model.Config {
	t.Helper()
	ls, list := spec.Load(spec.Options{Dir: "../.."}, "compiler/testdata/"+folder)
	if len(list) > 0 {
		t.Fatalf("findings: %v", list)
	}
	cs := map[string]model.Config{}
	for _, l := range ls {
		cs[strings.TrimPrefix(l.Name, "experiments.")] = model.FromSpec(l.Experiment)
	}
	return cs
}

func TestCountPublishedModels(t *testing.T) {
	got := map[string]int64{}
	for name, c := range configs(t, "models") {
		got[name] = c.Count()
	}
	if d := cmp.Diff(published, got); d != "" {
		t.Errorf("parameter counts (-published +counted):\n%s", d)
	}
}

// TestCountFormula compares the list of tensors with the closed forms
//
//	GPT-2  V·h + T·h + L·(12h² + 13h) + 2h                                   tied
//	Llama  (1|2)·V·h + L·(2·nq·d·h + 2·nkv·d·h + 3·h·f + 2h + bias + norms) + h
func TestCountFormula(t *testing.T) {
	for name, c := range configs(t, "models") {
		n := func(i int) int64 { return int64(i) }
		v, h, l, f := n(c.Vocab), n(c.Width), n(c.Layers), n(c.FFN)
		q, kv := n(c.Heads*c.HeadDim), n(c.KVHeads*c.HeadDim)
		want := v*h + n(c.Context)*h + l*(12*h*h+13*h) + 2*h
		if c.Llama() {
			block := 2*q*h + 2*kv*h + 3*h*f + 2*h
			if c.QKVBias {
				block += q + 2*kv
			}
			if c.QKNorm {
				block += 2 * n(c.HeadDim)
			}
			want = v*h + l*block + h
			if !c.Tied {
				want += v * h
			}
		}
		if got := c.Count(); got != want {
			t.Errorf("%s: %d parameters, the formula says %d", name, got, want)
		}
	}
}
