package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/compiler/plan/plantest"
)

// TestHashesSayWhatChanged: what each of the hashes depends on.
func TestHashesSayWhatChanged(t *testing.T) {
	for _, c := range []struct {
		name              string
		change            func(p *plan.Plan)
		identity, program bool
	}{
		{"nothing", func(*plan.Plan) {}, false, false},
		{"seed", func(p *plan.Plan) { p.Run.Seed++ }, true, true},
		{"data order", func(p *plan.Plan) { p.Run.Data.Order = "shuffle" }, true, true},
		{"rate", func(p *plan.Plan) { p.Run.Rate.Warmup++ }, true, true},
		{"decay of a parameter", func(p *plan.Plan) { p.Run.Params[2].Decay = 0.1 }, true, true},
		{"empty window", func(p *plan.Plan) { p.Run.Window.Empty = "stop" }, true, true},
		{"tokens of a window", func(p *plan.Plan) { p.Run.Window.MicroBatches *= 2 }, true, true},
		{"split of a window", func(p *plan.Plan) { p.Run.Window.MicroBatches, p.Run.Window.BatchSize = 4, 1 }, false, true},
		{"split of a mean over micro-batches", func(p *plan.Plan) {
			p.Run.Loss.Normalize = "microbatch-mean"
			p.Run.Window.MicroBatches, p.Run.Window.BatchSize = 4, 1
		}, true, true},
		{"place", func(p *plan.Plan) { p.Buffers[7].Offset += plan.Align }, false, true},
		{"place of a parameter", func(p *plan.Plan) { p.Run.Params[0].Buffer++ }, false, true},
		{"workers", func(p *plan.Plan) { p.Workers++ }, false, true},
		{"save cadence", func(p *plan.Plan) { p.Run.Save.Every = 5 }, false, true},
		{"predicted time", func(p *plan.Plan) { p.Sections[0].Commands[0].Nanos = 5 }, false, false},
		{"profile", func(p *plan.Plan) { p.Provenance.Profile.FLOPS = 1e12 }, false, false},
		{"name", func(p *plan.Plan) { p.Name = "other" }, false, false},
	} {
		p := plantest.GPT(plantest.Small())
		before := p.Hashes
		c.change(p)
		if err := plan.Seal(p); err != nil {
			t.Fatal(err)
		}
		if got := p.Hashes.Identity != before.Identity; got != c.identity {
			t.Errorf("%s: identity changes: %v, want %v", c.name, got, c.identity)
		}
		if got := p.Hashes.Program != before.Program; got != c.program {
			t.Errorf("%s: program changes: %v, want %v", c.name, got, c.program)
		}
		if got := p.Hashes.File != before.File; got != (c.name != "nothing") {
			t.Errorf("%s: file changes: %v", c.name, got)
		}
	}
}

func TestIdentityParts(t *testing.T) {
	p := plantest.GPT(plantest.Small())
	parts := map[string]string{}
	for _, q := range plan.IdentityParts(p) {
		if _, twice := parts[q.Name]; twice {
			t.Errorf("part %s is listed twice", q.Name)
		}
		parts[q.Name] = q.Value
	}
	for name, want := range map[string]string{
		"model.family":  `"gpt2"`,
		"window.tokens": "32",
		"seed":          "7",
		"data.train":    `["text.txt"]`,
		"params.ln.w":   `{"name":"ln.w","shape":[16],"init":"ones","std":0,"decay":0,"lrScale":1}`,
		"rate.kind":     `"cosine"`,
		"init.std":      "0",
		"loss.shiftBy":  `"loss"`,
		"optimizer.lr":  "0.001",
	} {
		if parts[name] != want {
			t.Errorf("%s is %s, want %s", name, parts[name], want)
		}
	}
	for name := range parts {
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") {
			t.Errorf("part %q has half a name", name)
		}
	}
}

func TestIdentityDiff(t *testing.T) {
	a, b := plantest.GPT(plantest.Small()), plantest.GPT(plantest.Small())
	if d := plan.IdentityDiff(a, b); len(d) != 0 {
		t.Errorf("equal plans differ in %v", d)
	}
	b.Run.Seed = 8
	b.Run.Params[0].Name = "wte"
	b.Buffers[3].Offset = 0
	want := []plan.Difference{
		{"params.embed.weight", `{"name":"embed.weight","shape":[31,16],"init":"normal","std":0.1,"decay":0,"lrScale":1}`, ""},
		{"seed", "7", "8"},
		{"params.wte", "", `{"name":"wte","shape":[31,16],"init":"normal","std":0.1,"decay":0,"lrScale":1}`},
	}
	if d := cmp.Diff(want, plan.IdentityDiff(a, b)); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
}
