// Package shape holds the Go types of an experiment, generated from shape.cue
// in this folder, which is the single definition of the fields: their types,
// bounds, literal defaults and meaning.
//
// It is not the place of anything that depends on another field. Derived
// values and defaults and the rules between fields are in spec.cue of package
// spec, which fills in every field that shape.cue calls "derived"; so an
// [Experiment] that spec.Load returned has no field left to work out. Which
// means, after loading:
//
//   - Model.KVHeads, DModel, FFN and QKVBias, Window.Sequences and Tokens,
//     Precision.Params, Optimizer.WeightDecay and Offload.Prefetch.Buffers are
//     set;
//   - Optimizer.Beta1, Beta2 and Eps are set for adamw and 0 for sgd;
//     Momentum is set for sgd and nil for adamw;
//   - Schedule.Decay is set for wsd and 0 otherwise; Precision.LossScale.Value
//     is set for static and dynamic and 0 otherwise; Mask.Packing.CrossAttention
//     is set for segments and nil otherwise.
//
// A pointer is a field whose absence differs from its zero value. Sizes are in
// elements, memory in bytes, rates in bytes or floating-point operations per
// second, counts of updates in successful updates.
//
// The package imports nothing, so that every part of the compiler can use it
// without linking CUE. It is the first stage of the flow: spec file → shape →
// compiler.
package shape

//go:generate go tool cue fmt .
//go:generate go tool cue exp gengotypes .
