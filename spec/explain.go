package spec

import (
	"maps"
	"slices"
)

// Codes returns the codes that Load's findings can have, sorted: the rules of
// the schema (RuleIDs) and the loader's own.
func Codes() []string { return slices.Sorted(maps.Keys(explanations)) }

// Explain returns what a code means and what to do, in one or two sentences, or
// "" for a code that is not of this package.
func Explain(code string) string { return explanations[code] }

var explanations = map[string]string{
	"attn.heads":    "model.kvHeads must divide model.heads: each key and value head is shared by heads/kvHeads query heads. The message lists the divisors.",
	"cadence.batch": "window.sequences and window.tokens are computed: sequences = microBatches*microBatchSize*replicas, tokens = sequences*seqLen. A stated value must be that one; leave it out, or change a factor.",
	"cadence.unit":  "schedule.warmup and schedule.updates both count successful updates, and the warm-up must be shorter than the run.",
	"loss.tokens":   "Averaging per micro-batch first weighs a token by 1/(tokens of its micro-batch). Use normalize: \"tokens\", or set window.acceptBias: true if that bias is the experiment.",
	"mask.ignore":   "mask.ignoreIndex marks positions without loss, so it must not be a token id: use a negative number, or one >= model.vocab.",
	"scale.need":    "A loss scale is needed if and only if gradients are f16, whose smallest normal number is 6.1e-5. Set precision.lossScale.kind, or remove it where no gradient is f16.",
	"spec.adamw":    "The field belongs to sgd and would be ignored by adamw. Remove it, or set optimizer.kind to \"sgd\".",
	"spec.buffers":  "offload.prefetch.buffers must exceed offload.prefetch.lead: one slot is in use while lead transfers are in flight.",
	"spec.context":  "A row cannot be longer than what the model can take: window.seqLen must be at most model.context.",
	"spec.decay":    "schedule.decay is the length of the final fall of kind \"wsd\", and warm-up and decay must fit into updates.",
	"spec.eval":     "eval.every asks for a held-out loss, so data.eval must name held-out text.",
	"spec.every":    "checkpointing.every and policy \"every\" go together: state both, or neither.",
	"spec.family":   "The family fixes norm, activation and positions: gpt2 has layernorm, gelu or gelu_tanh, learned; llama has rmsnorm, silu_glu, rope.",
	"spec.layers":   "A list of layers must name at least one layer, each once, in 0..model.layers-1.",
	"spec.rope":     "Rotary positions turn pairs of elements, so model.headDim must be even.",
	"spec.segments": "mask.packing.crossAttention says whether segments of a row see each other; only mode \"segments\" has segments.",
	"spec.sgd":      "The field belongs to adamw and would be ignored by sgd. Remove it, or set optimizer.kind to \"adamw\".",
	"spec.shapes":   "model.shapes is stated to be checked: both tensors are [vocab, dModel].",
	"spec.static":   "precision.lossScale.value is the factor of kind \"static\" and the start of kind \"dynamic\"; static needs it, none has no use for it.",
	"spec.trains":   "With prompt and response both ignored no token carries loss. Train at least one of them.",
	"spec.vocab":    "The bytes tokenizer makes ids 0..255, and 256 for the end token if data.eos is set; model.vocab must exceed the largest id.",
	"spec.width":    "In the gpt2 family the width of the residual stream is heads*headDim. Leave model.dModel out, or change a factor.",
	codeFile:        "A file or folder that was named cannot be read, or is not CUE.",
	codeTag:         "A -t KEY=VALUE must name a field of the spec with @tag(KEY), and its value must be of that field's type.",
	codeSyntax:      "The file is not CUE at this place. Only the first such error of a file is shown, since those after it mostly follow.",
	codeImport:      "An import leads nowhere. The spec is imported as \"" + ImportPath + "\"; other modules must be vendored under cue.mod/pkg, as no network is used.",
	codeLoad:        "The files do not make a CUE package.",
	codeReference:   "A name stands for nothing. A file that is named on its own is loaded without the other files of its folder.",
	codeNone:        "A package's experiments are its field `experiment` and the fields of `experiments`; it has neither.",
	codeUnknown:     "The schema has no such field here. The help line has the nearest name, or the names there are.",
	codeRequired:    "A field without a default is missing.",
	codeIncomplete:  "A field has a type but no value yet.",
	codeVersion:     "The file states another version of the spec in its field schema than this gradcue reads.",
	codeValue:       "A value has the wrong type, is out of its bounds, or contradicts another value of the same field.",
	codeVendor:      "The spec that is vendored in the module is not the one of this gradcue, so the official cue and gradcue may disagree. Run gradcue init.",
	codeInternal:    "A mistake of gradcue's or of CUE's, not of the spec's author.",
}
