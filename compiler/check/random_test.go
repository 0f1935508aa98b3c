package check_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gradcue/gradcue/compiler"
	"github.com/gradcue/gradcue/compiler/check"
	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/model"
	"github.com/gradcue/gradcue/compiler/plan"
	"github.com/gradcue/gradcue/spec"
	"github.com/gradcue/gradcue/spec/diag"
	"github.com/gradcue/gradcue/spec/shape"
)

// TestRandomRight: a thousand right specs, half of them of other trainers with
// every section of a pipeline filled in, all loaded from CUE text, and not one
// finding.
func TestRandomRight(t *testing.T) {
	const n = 1000
	specs := make([]tree, n)
	for i := range specs {
		specs[i] = right(uint64(i), i%2 == 0)
	}
	sections := map[string]int{}
	alarms := 0
	for i, list := range vetAll(t, specs) {
		for name := range specs[i].tree("pipeline") {
			sections[name]++
		}
		if len(list) > 0 {
			if alarms++; alarms <= 3 {
				t.Errorf("right spec %d:\n%s\n%s", i, strings.Join(found(list), "\n"), specs[i].cue())
			}
		}
	}
	if alarms > 0 {
		t.Errorf("%d of %d right specs have findings", alarms, n)
	}
	for _, name := range []string{"data", "targets", "mask", "loss", "window", "update", "resume", "attention", "recompute", "offload", "graph", "memory", "aux"} {
		if sections[name] < n/10 {
			t.Errorf("section %s is in %d specs only", name, sections[name])
		}
	}
}

// TestRandomPlans compiles the small ones among right specs of gradcue's own: no
// errors, and a warning that a placement is useless is true.
func TestRandomPlans(t *testing.T) {
	compiled, warned := 0, 0
	for i := uint64(0); compiled < 60; i++ {
		x := right(i, false)
		if x.int("model.layers") > 12 || x.int("model.heads")*x.int("model.headDim") > 512 {
			continue
		}
		compiled++
		e := loadOne(t, x).Experiment
		r, list, err := compiler.Compile(compiler.Source{Experiment: e}, compiler.Options{})
		if err != nil || list.HasErrors() {
			t.Errorf("right spec %d: %v %v\n%s", i, err, found(list), x.cue())
			continue
		}
		for _, d := range list {
			warned++
			without := *e
			without.Checkpointing, without.Offload = shape.Checkpointing{Policy: "none"}, shape.Offload{}
			without.Offload.Place = shape.Places{Params: "device", Grads: "device", Optimizer: "device", Activations: "device"}
			w, _, err := compiler.Compile(compiler.Source{Experiment: &without}, compiler.Options{})
			idle := strings.Contains(d.Summary, "nothing is moved") && !slices.ContainsFunc(r.Plan.Sections[ir.Micro].Commands, func(c plan.Command) bool { return c.Op == ir.OpCopyOut.String() })
			if err != nil || d.Code != "place.useless" || !idle && r.Plan.Predictions.Peak.Bytes < w.Plan.Predictions.Peak.Bytes {
				t.Errorf("right spec %d: %v\n%s", i, found(diag.List{d}), x.cue())
			}
		}
	}
	t.Logf("%d plans, %d true warnings", compiled, warned)
}

// tree is an experiment as text has it: what is not in it has its default.
type tree map[string]any

// set puts a value at a dotted path; list elements that it passes must be there.
func (x tree) set(path string, v any) {
	head, rest, more := strings.Cut(path, ".")
	if !more {
		x[head] = v
		return
	}
	switch next := x[head].(type) {
	case tree:
		next.set(rest, v)
	case []any:
		index, rest, more := strings.Cut(rest, ".")
		i, err := strconv.Atoi(index)
		if err != nil {
			panic(path)
		}
		if !more {
			next[i] = v
			return
		}
		next[i].(tree).set(rest, v)
	case nil:
		t := tree{}
		x[head] = t
		t.set(rest, v)
	default:
		panic(path)
	}
}

// get is the value at a path, nil where the text says nothing.
func (x tree) get(path string) any {
	head, rest, more := strings.Cut(path, ".")
	if !more {
		return x[head]
	}
	switch next := x[head].(type) {
	case tree:
		return next.get(rest)
	case []any:
		index, rest, more := strings.Cut(rest, ".")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(next) {
			return nil
		}
		if !more {
			return next[i]
		}
		if t, ok := next[i].(tree); ok {
			return t.get(rest)
		}
	}
	return nil
}

func (x tree) int(path string) int {
	n, _ := x.get(path).(int)
	return n
}

func (x tree) text(path string) string {
	s, _ := x.get(path).(string)
	return s
}

func (x tree) list(path string) []any {
	l, _ := x.get(path).([]any)
	return l
}

func (x tree) tree(path string) tree {
	t, _ := x.get(path).(tree)
	return t
}

// cue is the experiment as an expression.
func (x tree) cue() string {
	var b strings.Builder
	b.WriteString("spec.#Experiment & {\n")
	for _, k := range slices.Sorted(maps.Keys(x)) {
		data, err := json.Marshal(x[k])
		if err != nil {
			panic(err)
		}
		preset := ""
		if k == "model" {
			preset = map[string]string{"gpt2": "spec.#GPT2 & ", "llama": "spec.#Llama & "}[x.text("model.family")]
		}
		fmt.Fprintf(&b, "\t%s: %s%s\n", k, preset, data)
	}
	return b.String() + "}"
}

// vetAll gives what vet finds in each experiment without compiling it: loader,
// schema and check.Spec. Experiments are loaded in packages of 25.
func vetAll(t *testing.T, specs []tree) []diag.List {
	t.Helper()
	const each = 25
	out := make([]diag.List, len(specs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for from := range next {
				part := specs[from:min(from+each, len(specs))]
				copy(out[from:], vetPackage(t, part))
			}
		})
	}
	for i := 0; i < len(specs); i += each {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

// vetPackage loads experiments from one package; one that is refused by the
// schema hides the others, so they are then loaded one by one.
func vetPackage(t *testing.T, specs []tree) []diag.List {
	out := make([]diag.List, len(specs))
	ls, list := loadTrees(t, specs)
	if len(list) > 0 && len(specs) > 1 {
		for i := range specs {
			out[i] = vetPackage(t, specs[i:i+1])[0]
		}
		return out
	}
	for i, l := range ls {
		out[i] = specFindings(l)
	}
	if len(list) > 0 {
		out[0] = append(list, out[0]...)
	}
	return out
}

func loadTrees(t *testing.T, specs []tree) ([]*spec.Loaded, diag.List) {
	return loadText(t.TempDir(), specs...)
}

// loadText writes experiments as one package into a folder and loads it. A
// folder that cannot be written loads as nothing.
func loadText(dir string, specs ...tree) ([]*spec.Loaded, diag.List) {
	var b strings.Builder
	b.WriteString("package exp\n\nimport \"github.com/gradcue/gradcue/spec\"\n")
	for i, x := range specs {
		fmt.Fprintf(&b, "\nexperiments: x%04d: %s\n", i, x.cue())
	}
	if err := os.WriteFile(filepath.Join(dir, "exp.cue"), []byte(b.String()), 0o644); err != nil {
		return nil, diag.List{{Summary: err.Error()}}
	}
	ls, list := spec.Load(spec.Options{Dir: dir}, "exp.cue")
	slices.SortFunc(ls, func(a, b *spec.Loaded) int { return strings.Compare(a.Name, b.Name) })
	return ls, list
}

// specFindings is what check.Spec says of a loaded experiment.
func specFindings(l *spec.Loaded) diag.List {
	c := model.FromSpec(l.Experiment)
	return check.Spec(&check.Input{Experiment: l.Experiment, Model: &c, Where: l.Where, Prefix: l.Name})
}

func loadOne(t *testing.T, x tree) *spec.Loaded {
	t.Helper()
	ls, list := loadTrees(t, []tree{x})
	if len(ls) != 1 || len(list) > 0 {
		t.Fatalf("%v\n%s", found(list), x.cue())
	}
	return ls[0]
}

// maker draws a right experiment.
type maker struct {
	*rand.Rand
	x       tree
	foreign bool
}

// right is the right experiment of a seed: one of gradcue's own, or the
// description of another trainer.
func right(seed uint64, foreign bool) tree {
	m := &maker{rand.New(rand.NewPCG(seed, 1)), tree{}, foreign}
	m.x["name"] = fmt.Sprintf("right-%d", seed)
	m.x["seed"] = m.IntN(1000)
	m.model()
	m.window()
	m.mask()
	m.precision()
	m.update()
	m.placement()
	if m.maybe(0.4) {
		m.x["data"] = tree{"train": []any{"a.txt", "more/*.txt"}, "eval": []any{"b.txt"}, "documents": m.of("file", "line", "paragraph"), "order": m.of("shuffle", "sequential"), "eos": m.maybe(0.5)}
		m.x["eval"] = tree{"every": m.oneOf(0, 10, 100), "windows": 1 + m.IntN(8)}
	}
	if foreign {
		m.pipeline()
	}
	return m.x
}

func (m *maker) maybe(p float64) bool     { return m.Float64() < p }
func (m *maker) of(list ...string) string { return list[m.IntN(len(list))] }
func (m *maker) oneOf(list ...int) int    { return list[m.IntN(len(list))] }
func (m *maker) some(from, to float64) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(from+m.Float64()*(to-from), 'g', 3, 64), 64)
	return f
}

func (m *maker) model() {
	kv, share := m.oneOf(1, 2, 3, 4, 8), 1
	t := m.oneOf(8, 16, 32, 100, 128, 1024, 4096)
	x := tree{"family": "gpt2", "layers": m.oneOf(1, 2, 3, 4, 6, 8, 12, 24, 48), "headDim": 2 * m.oneOf(2, 4, 8, 16, 32, 40, 64),
		"vocab": m.oneOf(257, 300, 1000, 32000, 50257, 128256), "context": t * m.oneOf(1, 1, 2, 4)}
	if m.maybe(0.5) {
		share = m.oneOf(1, 2, 3, 4, 7)
		x["family"], x["ffn"] = "llama", 16*(1+m.IntN(64))
		if m.maybe(0.2) {
			x["dModel"] = 8 * (1 + m.IntN(64))
		}
		if m.maybe(0.3) {
			x["rope"] = tree{"base": m.oneOf(10000, 500000, 1000000)}
		}
		x["qkvBias"] = m.maybe(0.3)
	} else {
		x["activation"] = m.of("gelu", "gelu_tanh")
		x["bias"] = m.maybe(0.7)
	}
	x["heads"], x["kvHeads"] = kv*share, kv
	x["tied"] = m.maybe(0.5)
	if m.maybe(0.3) {
		x["attention"] = tree{"window": 1 + m.IntN(t)}
	}
	m.x["model"] = x
	m.x["window"] = tree{"seqLen": t}
}

func (m *maker) window() {
	w := m.x.tree("window")
	k, b, r := m.oneOf(1, 1, 2, 3, 4, 5, 8, 40), m.oneOf(1, 2, 3, 4, 8, 64), 1
	if m.foreign {
		r = m.oneOf(1, 2, 4, 8)
	}
	w["microBatches"], w["microBatchSize"], w["replicas"] = k, b, r
	w["last"], w["empty"] = m.of("carry", "drop", "flush"), m.of("skip", "stop")
	if m.maybe(0.3) {
		w["sequences"], w["tokens"] = k*b*r, k*b*r*w.int("seqLen")
	}
	if m.maybe(0.2) {
		w["normalize"] = "sequences"
	} else if m.maybe(0.1) {
		w["normalize"], w["acceptBias"] = "microbatch-mean", true
	}
}

func (m *maker) mask() {
	x := tree{"eos": m.of("first", "none", "all"), "shift": tree{"by": m.of("loss", "data"), "offset": 1}}
	if m.maybe(0.05) {
		x.set("shift.offset", 0)
	}
	if m.maybe(0.3) {
		x["ignoreIndex"] = m.oneOf(-1, -100, m.x.int("model.vocab"), -2)
	}
	if m.maybe(0.3) {
		x["prompt"] = m.of("train", "ignore")
	}
	p := tree{"mode": m.of("concat", "none", "segments"), "positions": m.of("continue", "restart")}
	if p["mode"] == "segments" && m.maybe(0.3) {
		p["crossAttention"] = m.maybe(0.5)
	}
	x["packing"] = p
	m.x["mask"] = x
}

func (m *maker) precision() {
	p := tree{"compute": m.of("f32", "f32", "bf16", "f16")}
	if p["compute"] == "f16" {
		p["lossScale"] = tree{"kind": "dynamic", "growthEvery": m.oneOf(100, 2000), "skipLimit": m.oneOf(5, 20)}
		if m.maybe(0.3) {
			p["lossScale"] = tree{"kind": "static", "value": m.oneOf(128, 1024)}
		}
	}
	if m.foreign && m.maybe(0.3) {
		p["products"] = m.of("f16dot", "tf32")
	}
	m.x["precision"] = p
}

func (m *maker) update() {
	o := tree{"kind": "adamw", "lr": m.some(1e-5, 5e-3), "clip": tree{"norm": m.oneOf(0, 1, 1, 5)}}
	if m.maybe(0.2) {
		o = tree{"kind": "sgd", "lr": m.some(1e-3, 0.5), "momentum": m.some(0, 0.99), "nesterov": m.maybe(0.3)}
	} else if m.maybe(0.4) {
		o["beta2"], o["eps"], o["weightDecay"] = m.some(0.9, 0.999), 1e-8, m.some(0, 0.2)
	}
	if m.maybe(0.2) {
		o["groups"] = []any{tree{"params": []any{"*.ln1.*", "embed.weight"}, "weightDecay": 0}, tree{"params": []any{"blocks.0.*"}, "lrScale": 0.5}}
	}
	u := m.oneOf(10, 100, 1000, 18865, 500000)
	s := tree{"kind": m.of("constant", "linear", "cosine", "wsd"), "updates": u, "warmup": m.oneOf(0, 1, u/20, u/2), "floor": m.some(0, 0.2)}
	if s["kind"] == "wsd" && m.maybe(0.5) {
		s["decay"] = 1 + m.IntN(u/2)
	}
	m.x["optimizer"], m.x["schedule"] = o, s
	m.x["init"] = tree{"std": m.some(0.005, 0.1), "residualScale": m.maybe(0.8)}
	if m.maybe(0.3) {
		m.x["dropout"] = tree{"rate": m.some(0, 0.4)}
	}
}

func (m *maker) placement() {
	layers, llama := m.x.int("model.layers"), m.x.text("model.family") == "llama"
	act := "fc"
	if llama {
		act = "gateup"
	}
	switch m.IntN(4) {
	case 0:
		c := tree{"policy": "full"}
		if m.maybe(0.4) {
			c["tensors"] = []any{"act", "ln2", act}
		}
		m.x["checkpointing"] = c
	case 1:
		m.x["checkpointing"] = tree{"policy": "every", "every": 1 + m.IntN(4), "overrides": []any{tree{"layers": []any{layers - 1}, "policy": "none"}}}
	}
	if m.maybe(0.3) {
		lead := m.oneOf(1, 2)
		m.x["offload"] = tree{"place": tree{"activations": m.of("host", "device"), "optimizer": m.of("host", "device")}, "prefetch": tree{"lead": lead, "buffers": lead + m.oneOf(1, 2)},
			"overrides": []any{tree{"layers": []any{m.IntN(layers)}, "class": "activations", "place": m.of("host", "device")}}}
	}
	if m.maybe(0.2) {
		m.x["device"] = tree{"name": "big", "flops": 4e14, "bandwidth": 2.5e12, "h2d": 2.5e10, "d2h": 2.5e10}
		m.x["memory"] = tree{"budget": 1 << 50}
	}
}
