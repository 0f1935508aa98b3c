// Package spec is the language of a gradcue experiment and its loader: from
// CUE files to resolved experiments ([shape.Experiment]) and diagnostics.
//
// The language is in two CUE packages. spec/shape (shape.cue) has the fields,
// their bounds and literal defaults; its Go types are generated. This folder
// (spec.cue) has derived values and defaults, the presets #GPT2 and #Llama, and
// the rules between fields. Both are embedded in the program.
//
// [Load] finds the experiments of files, folders and patterns, in any folder,
// with or without a CUE module around it, and without a network. It unifies each
// experiment with the schema, reports every finding at the user's line (rule id,
// path, position, help), and decodes what is without errors.
//
// [Vendor], [Files] and [CheckVendored] put the spec into a user's module, which
// is what the official cue needs to check the same files without gradcue.
//
// Derived values, with the field names of the schema:
//
//	dModel    = heads*headDim                               (gpt2; llama: default)
//	ffn       = 4*dModel                                    (gpt2, default)
//	sequences = microBatches*microBatchSize*replicas
//	tokens    = sequences*seqLen
//	buffers   = lead + 1                                    (default)
//	decay     = max(1, updates div 10)                      (wsd, default)
//
// What it is not: rules that need arithmetic over layers, files or a device are
// in compiler/check; nothing here reads training data. The package is the first
// stage of the flow, and the only one that links CUE.
package spec
