package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gradcue/gradcue/compiler/ir"
	"github.com/gradcue/gradcue/compiler/plan"
)

// symptom is where a search begins: what is seen, which question to ask, the
// formulas behind it, the rules that decide parts of it, and what answers it.
type symptom struct {
	name, title string
	look        string // look first at
	question    string
	formulas    []string
	doc         string
	rules       []string
	commands    [][]string // what to run, and why
	answer      func(*page, *subject)
}

// symptoms are the five ways in which training goes wrong without saying so.
var symptoms = []symptom{
	{name: "backward-fails", title: "forward runs; backward fails, or gradients look odd",
		look: "the graph and its backward pass", question: "along which path does the gradient come back, and does each parameter get one?",
		formulas: []string{"x̄ = J_f(x)ᵀ ȳ", "y = f(x) + h(x) ⇒ x̄ = J_fᵀ ȳ + J_hᵀ ȳ", "tied ⇒ one storage, one gradient, one slot"},
		doc:      "A gradient reaches a parameter along every op that reads it, and the parts are added. It is missing where a path is cut (detach, a pass without gradients, a reentrant segment without an input that has one), wrong where a part overwrites another or a saved tensor was overwritten, and doubled where one storage has two names and two slots.",
		rules:    []string{"grad.reach", "grad.alias", "grad.save", "grad.cover", "remat.input", "remat.rng", "remat.pure", "accum.add"},
		commands: [][]string{{"gradcue gradcheck SPEC", "every gradient against finite differences in float64"}, {"gradcue prove SPEC", "the invariants, on a small version of the spec"}, {"gradcue show SPEC --graph", "the graph with every use"}},
		answer:   func(p *page, s *subject) { p.gradients(s.compiled.Plan) }},
	{name: "attention-saves", title: "attention runs; it is not known what backward keeps",
		look: "the backward pass of attention", question: "what is saved, what is computed again, what is fused?",
		formulas: []string{"S = QKᵀ/√d, P = softmax(S), O = PV", "dV = Pᵀ dO; dP = dO Vᵀ; dS = P ⊙ (dP − rowsum(dP ⊙ P)); dQ = dS K/√d; dK = dSᵀ Q/√d"},
		doc:      "The path dV → dP → dS → dQ, dK fixes what must be kept: the probabilities P, or a statistic of each row from which a fused backward computes P again. The choice changes memory and traffic, never the formula. The same set of keys holds in forward and backward; gradients of grouped key heads are sums.",
		rules:    []string{"attn.visible", "attn.scale", "attn.docs", "attn.heads", "mask.value", "mask.order", "mask.row"},
		commands: [][]string{{"gradcue explain attention SPEC", "the op, and where it is used"}, {"gradcue explain blocks.0.qkv SPEC", "who reads the projections, and until when"}, {"gradcue show SPEC --memory", "what is resident when"}},
		answer:   func(p *page, s *subject) { p.attentionKeeps(s.compiled.Plan) }},
	{name: "loss-looks-fine", title: "the loss has a value; the supervision is doubtful",
		look: "the alignment of labels", question: "which tokens enter the loss; do shift, mask and ignore index agree?",
		formulas: []string{"L = (1/N) Σ_{k,i} m_{k,i} ℓ_{k,i}, N = Σ m_{k,i}", "g = (1/N) Σ_{k,i} m_{k,i} ∇ℓ_{k,i}", "logits at i answer for the token at i + 1, shifted by exactly one owner"},
		doc:      "A label that is shifted twice, a mask that is off by one, a pad that is the end token and a mean of means all give an ordinary number. So positions are looked at, not the loss: position, input, target, role, weight.",
		rules:    []string{"loss.shift", "loss.edge", "loss.tokens", "loss.once", "mask.align", "mask.pad", "mask.eos", "mask.empty", "mask.ignore", "mask.order", "aux.loss"},
		commands: [][]string{{"gradcue data show SPEC", "position, input, target, weight and keys of the first rows"}, {"gradcue vet SPEC --data", "the rules on the text itself"}},
		answer:   func(p *page, s *subject) { p.supervision(s.compiled.Plan) }},
	{name: "out-of-memory", title: "too much memory, or none left on long sequences",
		look: "the lives of states", question: "is the peak activations, parameters, gradients, optimizer state or workspace?",
		formulas: []string{"M_t = Σ_i a_i(t) b_i", "M_peak = max_t M_t", "ΔM = M_saved,base − M_saved,ckpt", "T_exposed = max(0, T_rt − T_overlap)"},
		doc:      "Only what is alive at the peak lowers it. Checkpointing shrinks activations and nothing else, and costs time; offload moves a state and costs transfers, of which only what is not covered by work counts; more and smaller micro-batches shrink activations and leave the rest.",
		rules:    []string{"mem.peak", "mem.report", "place.useless", "place.order", "place.host", "remat.pure"},
		commands: [][]string{{"gradcue show SPEC --memory", "bytes by class over the commands"}, {"gradcue plan SPEC", "the ledger at the peak, before anything runs"}, {"gradcue bench SPEC", "the same window measured, with and without a placement"}},
		answer:   func(p *page, s *subject) { p.memory(s.compiled.Plan) }},
	{name: "slow-or-off-cadence", title: "a step runs; effective batch, throughput or cadence are off",
		look: "the timing of training", question: "how many backward passes does one optimizer step have, and what is exposed?",
		formulas: []string{"global batch = K · B · R", "θ_{u+1} = θ_u − η_u U(g_u), u counts successful updates", "one clear, one step and one tick of the schedule for K backward passes"},
		doc:      "Accumulation changes the cadence: a schedule that ticks per micro-batch ends K times too early, a clear inside the window throws micro-batches away, a last window is scaled by the wrong count. A step is slow where work is done again or transfers are exposed.",
		rules:    []string{"cadence.batch", "cadence.unit", "cadence.zero", "window.last", "scale.order", "scale.need", "scale.skip", "clip.norm", "accum.add", "resume.state", "resume.cursor", "place.useless"},
		commands: [][]string{{"gradcue show SPEC --schedule", "every command with its predicted time"}, {"gradcue bench SPEC", "measured time, and what dominates it"}},
		answer:   func(p *page, s *subject) { p.cadence(s) }},
}

// aboutSymptom prints a symptom and what specs answer; false where there is none
// of that name.
func (a *app) aboutSymptom(p *page, name string, on []*subject) bool {
	i := slices.IndexFunc(symptoms, func(s symptom) bool { return s.name == name })
	if i < 0 {
		return false
	}
	y := &symptoms[i]
	p.title(y.name, y.title)
	p.blank()
	p.line("look at", y.look)
	p.line("question", y.question)
	for k, f := range y.formulas {
		p.line([]string{"formulas", ""}[min(k, 1)], p.paint(cyan, f))
	}
	p.blank()
	p.text("  ", y.doc)
	if len(on) == 0 {
		p.blank()
		p.labelled("ask", []column{{style: bold}, {style: dim}}, clone(y.commands))
		p.line("rules", strings.Join(y.rules, ", "))
		return true
	}
	for _, s := range on {
		p.about(a, s)
		p.verdict(s.found, y.rules...)
		if s.compiled == nil {
			p.line("plan", "none: it is refused, or describes another trainer")
			p.reads(s, y.described())
			continue
		}
		y.answer(p, s)
	}
	return true
}

// described are the fields of a described trainer that the rules read, each once.
func (y *symptom) described() (paths []string) {
	for i := range facts {
		for _, path := range facts[i].reads {
			if slices.Contains(y.rules, facts[i].id) && strings.HasPrefix(path, "pipeline.") && !slices.ContainsFunc(paths, func(p string) bool { return p == path || strings.HasPrefix(path, p+".") }) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// clone copies rows, since a table puts its label into them.
func clone(rows [][]string) (out [][]string) {
	for _, r := range rows {
		out = append(out, slices.Clone(r))
	}
	return out
}

// attentionKeeps is what each block keeps from forward to backward around
// attention, and what the probabilities would take.
func (p *page) attentionKeeps(pl *plan.Plan) {
	m, w := &pl.Run.Model, &pl.Run.Window
	var rows [][]string
	for _, n := range []string{"in", "ln1", "qkv", "att", "lse"} {
		bytes, kept, again := int64(0), 0, 0
		for i := range pl.Buffers {
			b := &pl.Buffers[i]
			if b.Name != "blocks.0."+n || b.Run || b.Section != int(ir.Micro) {
				continue
			}
			bytes = b.Bytes
			c := pl.Sections[ir.Micro].Commands
			switch first, last := c[b.First].Phase, c[b.Last].Phase; {
			case first == ir.Recompute.String():
				again++
			case first != last:
				kept++
			}
		}
		does := "given up in forward"
		switch {
		case again > 0:
			does = "computed again in backward"
		case kept > 0:
			does = "kept until backward"
		}
		if bytes > 0 {
			rows = append(rows, []string{n, plan.Bytes(bytes), does})
		}
	}
	p.labelled("block 0", []column{{}, {right: true}, {}}, rows)
	b, t, h := int64(w.BatchSize), int64(w.SeqLen), int64(m.Heads)
	p.line("P", plan.Bytes(4*b*h*t*t)+" a block if it were kept", fmt.Sprintf("B·H·T·T = %d·%d·%d·%d in f32", b, h, t, t))
	p.line("lse", plan.Bytes(4*b*h*t)+" a block instead", "one number for each row of P, from which backward computes P again")
	p.line("scale", fmt.Sprintf("1/√%d, in forward and backward", m.HeadDim), window(m))
}

// supervision is who shifts, what is trained, and what the sum is divided by.
func (p *page) supervision(pl *plan.Plan) {
	l, w := &pl.Run.Loss, &pl.Run.Window
	trains := func(b bool) string {
		if b {
			return "trained"
		}
		return "ignored"
	}
	p.line("shift", fmt.Sprintf("by %d, once, by the %s", l.Offset, l.ShiftBy))
	p.line("mask", "prompt "+trains(l.Prompt), "response and text "+trains(l.Response), "padding ignored", "end token "+l.EOS)
	p.line("ignored", fmt.Sprintf("target %d, which is no id in 0..%d", l.IgnoreIndex, pl.Run.Model.Vocab-1))
	p.line("N", fmt.Sprintf("%s of the whole window: K·B·T = %d·%d·%d, up to %s count", l.Normalize, w.MicroBatches, w.BatchSize, w.SeqLen, group(pl.Predictions.Trained)))
}

// cadence is what belongs to one update, and where its time goes.
func (p *page) cadence(s *subject) {
	pl := s.compiled.Plan
	w, pr, x := &pl.Run.Window, &pl.Predictions, &s.Experiment.Schedule
	p.line("update", fmt.Sprintf("K = %d times forward and backward, then one clip, one step, one tick", w.MicroBatches))
	p.line("batch", fmt.Sprintf("K·B·R = %d·%d·%d = %d rows, %s tokens", w.MicroBatches, w.BatchSize, s.Experiment.Window.Replicas, s.Experiment.Window.Sequences, group(pr.Tokens)))
	p.line("schedule", fmt.Sprintf("%s, %d updates, warm-up %d", x.Kind, x.Updates, x.Warmup), fmt.Sprintf("%s tokens in all", group(x.Updates*pr.Tokens)))
	p.line("last window", w.Last)
	p.line("compute", si(float64(pr.FLOPs), "FLOP")+" an update", percent(pr.Recomputed, pr.FLOPs)+" of it again")
	p.when(pl)
}
