// Package loss is the one definition of what is trained: it turns the rows of a
// window into targets and weights and counts N. Graph, data and checks use it;
// nothing else shifts, masks or divides.
//
//	L = (1/N) Σ_{k,i} w_{k,i} ℓ_{k,i},  N = Σ w         (token loss over the window)
//	g = (1/N) Σ_{k,i} w_{k,i} ∇ℓ_{k,i}                  (window gradient)
//
// Logits at position i answer for the token at i+1; exactly one owner shifts:
// "loss" takes the target from the next position of the same row, so the last
// position of a row trains nothing; "data" gets targets that the data source
// has read one token further. Whether a position takes part (m) is decided on
// targets, never on inputs.
package loss
