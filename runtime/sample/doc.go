// Package sample continues a text with a trained model.
//
//	ids of the last T tokens → logits of the last position → one id → text → again
//
// It runs the section logits of a plan that was compiled for sampling, with the
// parameters of a run's newest state. There is no cache of keys and values: each
// token runs the whole window again, so time per token grows with T and not with
// what was written before. A prompt longer than the window keeps its end.
//
// Choosing an id: logits/temperature, the topK largest, softmax in float64, one
// uniform number per token from seed, sample and place. Temperature 0 takes the
// largest, the lower id of equals. Equal arguments give equal text.
package sample
